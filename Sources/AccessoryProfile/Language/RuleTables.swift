extension Language {
  static let ruleTables = [rule, trigger, variable, computedValue, parameter, packets]

  /// Triggers that are one word; those of the second line only in rules of a characteristic, and mean that one.
  static let triggerWords = [
    "start", "connected", "disconnected", "lost", "paired", "asleep", "awake", "entered", "left",
  ]
  static let ownTriggerWords = ["written", "read", "subscribed", "unsubscribed"]

  static let rule = KeyTable(
    name: "rule",
    keys: [
      .init(
        name: "when", type: .choice([.names(triggerWords + ownTriggerWords), .mapping("trigger")]),
        summary: "What has to happen.", isRequired: true),
      .init(name: "if", type: .expression, summary: "What must hold then; nothing if not given."),
      .init(name: "after", type: .duration, summary: "How long after that it is done; at once if not given."),
      .init(name: "do", type: effects("rule-effect"), summary: "What is done; one thing or a list.", isRequired: true),
    ])

  static let trigger = KeyTable(
    name: "trigger",
    keys: [
      .init(name: "button", type: .text, summary: "Somebody presses a button of that name."),
      .init(name: "every", type: .duration, summary: "So much time has passed, again and again; 10 ms at the least."),
      .init(name: "at", type: .text, summary: "A time of day, such as 07:30, or 07:30:15."),
      .init(name: "subscribed", type: .text, summary: "A client subscribes to that characteristic."),
      .init(name: "unsubscribed", type: .text, summary: "A client ends its subscription."),
      .init(name: "written", type: .text, summary: "A client has written that characteristic, and that was accepted."),
      .init(name: "read", type: .text, summary: "A client reads that characteristic."),
      .init(name: "becomes", type: .expression, summary: "A condition that becomes true."),
      .init(
        name: "until", type: .expression,
        summary: "What must hold before 'becomes' counts again; its contrary if not given."),
    ])

  static let variable = KeyTable(
    name: "variable",
    keys: [
      .init(name: "value", type: .scalar, summary: "The value at the start.", isRequired: true),
      .init(
        name: "per", type: .names(["connection"]),
        summary: "Every connection has a value of its own, from the start on."
      ),
    ])

  static let parameter = KeyTable(
    name: "parameter",
    keys: [
      .init(name: "default", type: .any, summary: "The value where nobody sets another.", isRequired: true),
      .init(name: "about", type: .text, summary: "What it is, for people."),
    ])

  static let packets = KeyTable(
    name: "packets",
    keys: [
      .init(
        name: "length", type: .names(["u8", "u16", "u32"]), summary: "The integer that says how long a packet is."),
      .init(
        name: "at", type: .integer(0...64),
        summary: "Where that stands, from the beginning of a packet; 0 if not given."),
      .init(name: "order", type: .names(orders), summary: "Which of its octets comes first; little if not given."),
      .init(
        name: "plus", type: .integer(-64...1024),
        summary: "How much longer the whole packet is; if not given, as much as stands up to the end of the integer."),
      .init(name: "start", type: .octets, summary: "What every packet begins with; what comes before is passed over."),
      .init(name: "end", type: .octets, summary: "What every packet ends with, in place of length."),
      .init(name: "longest", type: .integer(1...65_535), summary: "The longest packet, in octets; 4096 if not given."),
      .init(
        name: "within", type: .duration,
        summary: "How long there may be between two parts, or the first is forgotten; 5 s if not given."),
    ])

  static let computedValue = KeyTable(
    name: "computed-value",
    keys: [.init(name: "compute", type: .expression, summary: "What an expression gives.", isRequired: true)])

  /// What is done that is one word.
  static let effectWords = ["log", "disconnect", "restart", "sleep", "wake"]

  static let effectsType = effects("effect")

  /// One thing that is done, or a list of such.
  static func effects(_ table: String, _ words: [String] = effectWords) -> ValueType {
    .choice([.mapping(table), .names(words), .list(.choice([.mapping(table), .names(words)]))])
  }
}
