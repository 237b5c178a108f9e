extension Language {
  static let ruleTables = [rule, trigger, variable, computedValue]

  /// Triggers that are one word; those of the second line only in rules of a characteristic, and mean that one.
  static let triggerWords = ["start", "connected", "disconnected", "paired", "entered", "left"]
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

  static let computedValue = KeyTable(
    name: "computed-value",
    keys: [.init(name: "compute", type: .expression, summary: "What an expression gives.", isRequired: true)])

  /// What is done that is one word.
  static let effectWords = ["log", "disconnect", "restart"]

  static let effectsType = effects("effect")

  /// One thing that is done, or a list of such.
  static func effects(_ table: String, _ words: [String] = effectWords) -> ValueType {
    .choice([.mapping(table), .names(words), .list(.choice([.mapping(table), .names(words)]))])
  }
}
