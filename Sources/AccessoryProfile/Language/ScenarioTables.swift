import BLEGAP

/// The language of scenarios, which is that of profiles with other keys.
extension Language {
  static let scenario = KeyTable(
    name: "scenario",
    keys: [
      .init(
        name: "understudy-scenario", type: .integer(1...1), summary: "The version of the language.", isRequired: true),
      .init(name: "name", type: .text, summary: "Its name.", isRequired: true),
      .init(name: "about", type: .text, summary: "A description, for people."),
      .init(
        name: "accessory", type: .choice([.text, .mapping("profile")]),
        summary: "A profile: the name of a shipped one, a file relative to the scenario, or the profile itself.",
        isRequired: true),
      .init(name: "phone", type: .mapping("scenario-phone"), summary: "What the centrals are like."),
      .init(name: "tags", type: .list(.text), summary: "Tags for selecting all its cases."),
      .init(name: "seed", type: .integer(0...Int.max), summary: "The seed for random values (default: 1)."),
      .init(
        name: "timeout", type: .span, summary: "How long a case may take, in virtual time (default: 10 min)."),
      .init(name: "within", type: .span, summary: "How long a step may take, in virtual time (default: 60 s)."),
      .init(name: "parameters", type: .dictionary(.value), summary: "Values for ${NAME}."),
      .init(
        name: "faults", type: .list(.mapping("fault")), summary: "Faults in every case, from the start."),
      .init(name: "prepare", type: .list(scenarioStepType), summary: "Steps at the start of every case."),
      .init(name: "cases", type: .list(.mapping("scenario-case")), summary: "The cases.", isRequired: true),
    ])

  static let scenarioCase = KeyTable(
    name: "scenario-case",
    keys: [
      .init(name: "name", type: .text, summary: "Its name.", isRequired: true),
      .init(name: "tags", type: .list(.text), summary: "Tags for selecting it."),
      .init(
        name: "seed", type: .integer(0...Int.max), summary: "The seed for random values (default: the scenario's)."),
      .init(name: "timeout", type: .span, summary: "How long it may take, in virtual time."),
      .init(name: "parameters", type: .dictionary(.value), summary: "Values for ${NAME} in this case."),
      .init(
        name: "matrix", type: .dictionary(.list(.value)),
        summary: "Parameters with several values each; there is a case for every combination."),
      .init(name: "faults", type: .list(.mapping("fault")), summary: "Faults from the start."),
      .init(
        name: "prepare", type: .boolean,
        summary: "Whether it starts with the scenario's steps in prepare (default: true)."),
      .init(name: "steps", type: .list(scenarioStepType), summary: "The steps.", isRequired: true),
    ])

  /// The actions of steps. Each step has exactly one of these keys. Other keys are allowed beside it as `companions` says.
  private static let scenarioActionKeys: [KeyTable.Key] = [
    .init(
      name: "connect", type: .choice([.text, .mapping("scenario-link")]), summary: "The central connects.",
      companions: ["transport", "fails"]),
    .init(name: "disconnect", type: .text, summary: "The central disconnects.", companions: []),
    .init(
      name: "disconnected", type: .choice([.text, .integer(0...255)]),
      summary: "Waits until the link has ended: for any reason, or for that one.", companions: []),
    .init(
      name: "exchange-mtu", type: .text, summary: "The central exchanges the MTU.", companions: ["gives", "fails"]),
    .init(
      name: "discover", type: .text, summary: "The central discovers all services and characteristics.",
      companions: ["has", "lacks", "fails"]),
    .init(
      name: "read", type: .text, summary: "The central reads that characteristic.", companions: ["gives", "fails"]),
    .init(
      name: "write", type: .text, summary: "The central writes 'value' to that characteristic.",
      companions: ["value", "without-response", "fails"]),
    .init(
      name: "subscribe", type: .text, summary: "The central subscribes to that characteristic.",
      companions: ["indications", "fails"]),
    .init(
      name: "unsubscribe", type: .text, summary: "The central ends its subscription to that characteristic.",
      companions: ["fails"]),
    .init(
      name: "notified", type: .text,
      summary: "Waits until the central receives 'value', or 'values', of that characteristic.",
      companions: ["value", "values"]),
    .init(
      name: "not-notified", type: .text,
      summary: "Expects that the central receives nothing from that characteristic 'for' a time.", companions: []),
    .init(
      name: "pair", type: .text, summary: "The central pairs, or encrypts the link with keys that it has.",
      companions: ["anew", "passkey", "fails"]),
    .init(name: "forget", type: .text, summary: "The central deletes its bonds.", companions: []),
    .init(
      name: "open", type: .text, summary: "The central opens a channel to that publication.", companions: ["fails"]),
    .init(
      name: "send", type: .text, summary: "The central sends 'value' on that channel.", companions: ["value", "fails"]),
    .init(
      name: "received", type: .text, summary: "Waits until the central receives 'value' on that channel.",
      companions: ["value"]),
    .init(name: "close", type: .text, summary: "The central closes that channel.", companions: []),
    .init(
      name: "scan", type: .text,
      summary: "The central scans 'for' a time, and expects to find 'name' or 'data', or not to.",
      companions: ["transport", "name", "data", "heard"]),
    .init(
      name: "records", type: .text,
      summary: "The central searches the service records of the accessory, over BR/EDR.",
      companions: ["has", "lacks", "fails"]),
    .init(name: "set", type: .dictionary(.value), summary: "Sets characteristics of the accessory.", companions: []),
    .init(
      name: "value", type: expectedValue,
      summary: "The value that is written, sent or expected; with 'is', a characteristic of the accessory.",
      companions: ["is"]),
    .init(name: "notify", type: .text, summary: "The accessory notifies that characteristic.", companions: []),
    .init(name: "indicate", type: .text, summary: "The accessory indicates that characteristic.", companions: []),
    .init(name: "fault", type: .mapping("fault"), summary: "Arms a fault.", companions: []),
    .init(
      name: "inject", type: .choice([.text, .mapping("fault-action")]), summary: "Applies a fault now.", companions: []),
    .init(name: "disarm", type: .text, summary: "Disarms the fault with that id, or all.", companions: []),
    .init(name: "drop", type: .text, summary: "The accessory disconnects all links.", companions: []),
    .init(
      name: "expect", type: .dictionary(.value),
      summary: "Waits for such an event after the last one that was expected.", companions: ["of"]),
    .init(
      name: "expect-all", type: .list(.dictionary(.value)), summary: "Waits for all of these events, in any order.",
      companions: ["of"]),
    .init(
      name: "expect-none", type: .dictionary(.value), summary: "Expects no such event 'for' a time.", companions: ["of"]
    ),
    .init(
      name: "never", type: .dictionary(.value), summary: "Expects that no such event has occurred so far.",
      companions: ["of"]),
    .init(name: "press", type: .text, summary: "Presses that button of the accessory.", companions: []),
    .init(name: "wait", type: .span, summary: "Lets time pass.", companions: []),
    .init(
      name: "air", type: .choice([.names(["good", "unreachable"]), .dictionary(.value)]),
      summary: "Sets the impairment of the radio.", companions: []),
    .init(
      name: "repeat", type: .integer(1...10_000), summary: "Repeats 'steps' that many times.", companions: ["steps"]),
  ]

  /// The names of the actions whose value says nothing, such as `any`.
  static let bareScenarioActions = [
    "disconnect", "disconnected", "exchange-mtu", "discover", "pair", "forget", "scan", "records", "drop",
  ]

  /// The keys for which people write `expect` or `gives` beside an action.
  static let scenarioExpectations = [
    "read": "gives", "exchange-mtu": "gives", "notified": "value", "received": "value", "value": "is",
  ]

  /// The names of the actions.
  static let scenarioActions = scenarioActionKeys.map(\.name)

  /// The other keys of steps.
  private static let scenarioDetailKeys: [KeyTable.Key] = [
    .init(name: "steps", type: .list(scenarioStepType), summary: "With 'repeat': the steps."),
    .init(
      name: "gives", type: expectedValue,
      summary: "The expected result of a read, or of an MTU exchange; a number in it can be { low: 60, high: 100 }."),
    .init(
      name: "fails", type: .choice([.boolean, .names(["timeout", "cut", "violation", "maybe"]), errorType]),
      summary:
        "Expects a failure: in any way, with an ATT error, by a timeout, by the end of the link, or by a "
        + "protocol violation."),
    .init(name: "is", type: expectedValue, summary: "With 'value': the value that the characteristic must have."),
    .init(
      name: "values", type: .list(expectedValue),
      summary: "With 'notified': several values in order; any matches every value."),
    .init(name: "without-response", type: .boolean, summary: "With 'write': uses a Write Command."),
    .init(name: "indications", type: .boolean, summary: "With 'subscribe': to indications."),
    .init(name: "anew", type: .boolean, summary: "With 'pair': pairs again even if there are keys."),
    .init(
      name: "passkey", type: .choice([.names(["displayed"]), .integer(0...999_999)]),
      summary: "With 'pair': the passkey that the central enters, or displayed for the one that the accessory displays."
    ),
    .init(
      name: "transport", type: .names(["le", "br-edr"]), summary: "With 'connect' and 'scan': over which (default: le)."
    ),
    .init(name: "has", type: .list(.text), summary: "With 'discover' and 'records': what must be found."),
    .init(name: "lacks", type: .list(.text), summary: "With 'discover' and 'records': what must not be found."),
    .init(name: "name", type: .text, summary: "With 'scan': the name to find."),
    .init(name: "data", type: .octets, summary: "With 'scan': what the advertising data begins with."),
    .init(name: "heard", type: .boolean, summary: "With 'scan': whether it must be found (default: true)."),
    .init(
      name: "phone", type: .text, summary: "The central that performs the step; each name is a separate central."),
    .init(
      name: "of", type: .names(["accessory", "phone"]),
      summary: "With 'expect': whose event it is (default: the accessory's)."),
    .init(name: "within", type: .span, summary: "How long it may take."),
    .init(name: "for", type: .span, summary: "How long nothing may arrive, or how long to scan."),
  ]

  static let scenarioStep = KeyTable(name: "scenario-step", keys: scenarioActionKeys + scenarioDetailKeys)

  /// Returns the keys that are allowed beside an action: its companions, and the keys that are nobody's companions.
  static func scenarioStepKeys(beside action: String) -> [String] {
    let claimed = Set(scenarioActionKeys.flatMap { $0.companions ?? [] })
    let companions = Set(scenarioActionKeys.first { $0.name == action }?.companions ?? [])
    return scenarioStep.keys.filter { key in
      companions.contains(key.name) || (key.companions == nil && !claimed.contains(key.name))
    }.map(\.name)
  }

  static let scenarioLink = KeyTable(
    name: "scenario-link",
    keys: [
      .init(
        name: "interval", type: .connectionInterval,
        summary: "The connection interval (default: 30 ms, or that of the scenario's phone)."),
      .init(name: "latency", type: .integer(0...499), summary: "The peripheral latency (default: 0)."),
      .init(
        name: "timeout", type: .supervisionTimeout,
        summary: "The supervision timeout (default: 1 s, or that of the scenario's phone)."),
    ])

  static let scenarioPhone = KeyTable(
    name: "scenario-phone",
    keys: [
      .init(
        name: "as", type: .names(CentralPersona.all.map(\.name)),
        summary: "The system whose MTU, parameters and first requests they have.", isRequired: true)
    ])

  /// A range in place of a number of a value that a step expects.
  static let numberRange = KeyTable(
    name: "number-range",
    keys: [
      .init(name: "low", type: .number, summary: "The smallest number that is accepted (default: any)."),
      .init(name: "high", type: .number, summary: "The largest number that is accepted (default: any)."),
    ])

  private static let expectedValue = ValueType.choice([.value, .mapping("number-range")])

  /// A step whose action needs no other keys consists of its name alone.
  private static let scenarioStepType = ValueType.choice([.names(scenarioActions), .mapping("scenario-step")])

  static let scenarioTables = [
    scenario, scenarioCase, scenarioStep, scenarioLink, scenarioPhone, numberRange,
  ]
}
