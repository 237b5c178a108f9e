/// The language of scenarios: the same as that of profiles, with other keys.
extension Language {
  static let scenario = KeyTable(
    name: "scenario",
    keys: [
      .init(
        name: "understudy-scenario", type: .integer(1...1), summary: "The version of the language.", isRequired: true),
      .init(name: "name", type: .text, summary: "What it is called.", isRequired: true),
      .init(name: "about", type: .text, summary: "What it is about, for people."),
      .init(
        name: "accessory", type: .choice([.text, .mapping("profile")]),
        summary: "A profile: the name of a shipped one, a file told from the scenario's place, or a profile itself.",
        isRequired: true),
      .init(name: "tags", type: .list(.text), summary: "What all its cases can be chosen by."),
      .init(name: "seed", type: .integer(0...Int.max), summary: "For what is random; 1 if not given."),
      .init(
        name: "timeout", type: .duration, summary: "How long a case may take of virtual time; 10 min if not given."),
      .init(name: "within", type: .duration, summary: "How long a step may take; 60 s if not given."),
      .init(name: "parameters", type: .dictionary(.value), summary: "What ${NAME} stands for."),
      .init(
        name: "faults", type: .list(.mapping("fault")), summary: "What goes wrong in every case, from the beginning."),
      .init(name: "prepare", type: .list(.mapping("scenario-step")), summary: "Steps that every case begins with."),
      .init(name: "cases", type: .list(.mapping("scenario-case")), summary: "The cases.", isRequired: true),
    ])

  static let scenarioCase = KeyTable(
    name: "scenario-case",
    keys: [
      .init(name: "name", type: .text, summary: "What it is called.", isRequired: true),
      .init(name: "tags", type: .list(.text), summary: "What it can be chosen by."),
      .init(name: "seed", type: .integer(0...Int.max), summary: "For what is random; the scenario's if not given."),
      .init(name: "timeout", type: .duration, summary: "How long it may take of virtual time."),
      .init(name: "parameters", type: .dictionary(.value), summary: "What ${NAME} stands for in it."),
      .init(
        name: "matrix", type: .dictionary(.list(.value)),
        summary: "Parameters with several values: there is a case for each combination."),
      .init(name: "faults", type: .list(.mapping("fault")), summary: "What goes wrong from the beginning."),
      .init(
        name: "prepare", type: .boolean, summary: "Whether it begins with the scenario's steps; true if not given."),
      .init(name: "steps", type: .list(.mapping("scenario-step")), summary: "What is done.", isRequired: true),
    ])

  /// What a step does; each has one of these keys.
  static let scenarioActions = [
    "connect", "disconnect", "disconnected", "exchange-mtu", "discover", "read", "write", "subscribe", "unsubscribe",
    "notified", "not-notified", "pair", "forget", "open", "send", "received", "close", "scan", "set", "value",
    "notify", "indicate", "fault", "inject", "disarm", "drop", "expect", "expect-all", "expect-none", "wait", "air",
    "repeat",
  ]

  static let scenarioStep = KeyTable(
    name: "scenario-step",
    keys: [
      .init(name: "connect", type: .choice([.text, .mapping("scenario-link")]), summary: "The central connects."),
      .init(name: "disconnect", type: .text, summary: "The central disconnects."),
      .init(
        name: "disconnected", type: .choice([.text, .integer(0...255)]),
        summary: "The link has ended or ends: for any reason, or for that one."),
      .init(name: "exchange-mtu", type: .text, summary: "The central exchanges the MTU."),
      .init(name: "discover", type: .text, summary: "The central finds all services and characteristics."),
      .init(name: "read", type: .text, summary: "The central reads that characteristic."),
      .init(name: "write", type: .text, summary: "The central writes that characteristic: 'value'."),
      .init(name: "subscribe", type: .text, summary: "The central subscribes to that characteristic."),
      .init(name: "unsubscribe", type: .text, summary: "The central ends that."),
      .init(
        name: "notified", type: .text, summary: "The central is sent 'value', or 'values', of that characteristic."),
      .init(
        name: "not-notified", type: .text, summary: "The central is sent nothing of that characteristic 'for' a time."),
      .init(name: "pair", type: .text, summary: "The central pairs, or encrypts the link with keys that it has."),
      .init(name: "forget", type: .text, summary: "The central forgets its bonds."),
      .init(name: "open", type: .text, summary: "The central opens a channel to that."),
      .init(name: "send", type: .text, summary: "The central sends 'value' on the channel to that."),
      .init(name: "received", type: .text, summary: "The central is sent 'value' on the channel to that."),
      .init(name: "close", type: .text, summary: "The central closes the channel to that."),
      .init(
        name: "scan", type: .text, summary: "The central scans 'for' a time and hears 'name' or 'data', or does not."),
      .init(name: "set", type: .dictionary(.value), summary: "The accessory's characteristics get values."),
      .init(
        name: "value", type: .value,
        summary: "What is written, sent or came; or with 'is', a characteristic of the accessory."),
      .init(name: "notify", type: .text, summary: "The accessory notifies that characteristic."),
      .init(name: "indicate", type: .text, summary: "The accessory indicates that characteristic."),
      .init(name: "fault", type: .mapping("fault"), summary: "A fault is armed."),
      .init(name: "inject", type: .choice([.text, .mapping("fault-deed")]), summary: "Something goes wrong at once."),
      .init(name: "disarm", type: .text, summary: "The fault with that id is taken back, or all."),
      .init(name: "drop", type: .text, summary: "The accessory ends the link."),
      .init(name: "expect", type: .dictionary(.value), summary: "Such an event has come since the last one, or comes."),
      .init(name: "expect-all", type: .list(.dictionary(.value)), summary: "All these events, in any order."),
      .init(name: "expect-none", type: .dictionary(.value), summary: "No such event comes 'for' a time."),
      .init(name: "wait", type: .duration, summary: "Time passes."),
      .init(
        name: "air", type: .choice([.names(["good", "unreachable"]), .dictionary(.value)]),
        summary: "What the air does to packets."),
      .init(name: "repeat", type: .integer(1...10_000), summary: "'steps' are done so many times."),
      .init(name: "steps", type: .list(.mapping("scenario-step")), summary: "With 'repeat'."),
      .init(name: "gives", type: .value, summary: "What a read, or an exchange of the MTU, gives."),
      .init(
        name: "fails", type: .choice([.boolean, .names(["timeout", "cut", "violation", "maybe"]), errorType]),
        summary:
          "That it fails: in any way, with an ATT error, by a timeout, by the end of the link, or by a violation."),
      .init(name: "is", type: .value, summary: "With 'value': what the characteristic has to be."),
      .init(
        name: "values", type: .list(.value),
        summary: "With 'notified': several values in order; any stands for one that does not matter."),
      .init(name: "without-response", type: .boolean, summary: "With 'write': by a command."),
      .init(name: "indications", type: .boolean, summary: "With 'subscribe': to indications."),
      .init(name: "anew", type: .boolean, summary: "With 'pair': even where there are keys."),
      .init(name: "passkey", type: .integer(0...999_999), summary: "With 'pair': what the central types."),
      .init(name: "has", type: .list(.text), summary: "With 'discover': what is found."),
      .init(name: "lacks", type: .list(.text), summary: "With 'discover': what is not."),
      .init(name: "name", type: .text, summary: "With 'scan': the name that is heard."),
      .init(name: "data", type: .octets, summary: "With 'scan': what the advertising data begin with."),
      .init(name: "heard", type: .boolean, summary: "With 'scan': whether it is heard; true if not given."),
      .init(name: "phone", type: .text, summary: "Which central does it; each name is one of its own."),
      .init(
        name: "of", type: .names(["accessory", "phone"]),
        summary: "With 'expect': whose event; the accessory's if not given."),
      .init(name: "within", type: .duration, summary: "How long it may take."),
      .init(name: "for", type: .duration, summary: "How long nothing comes, or is scanned."),
    ])

  static let scenarioLink = KeyTable(
    name: "scenario-link",
    keys: [
      .init(name: "interval", type: .duration, summary: "The connection interval; 30 ms if not given."),
      .init(name: "latency", type: .integer(0...499), summary: "The peripheral latency; 0 if not given."),
      .init(name: "timeout", type: .duration, summary: "The supervision timeout; 1 s if not given."),
    ])

  static let scenarioTables = [scenario, scenarioCase, scenarioStep, scenarioLink]
}
