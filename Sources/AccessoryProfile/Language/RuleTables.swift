extension Language {
  static let ruleTables = [rule, trigger, variable, computedValue, parameter, packets, writeNumbering]

  /// The triggers that consist of a single word. The words in `ownTriggerWords` are allowed only in rules of a characteristic, and refer to
  /// it.
  static let triggerWords = [
    "start", "paged", "connected", "disconnected", "lost", "paired", "asleep", "awake", "entered", "left",
  ]
  static let ownTriggerWords = ["written", "read", "subscribed", "unsubscribed"]

  static let rule = KeyTable(
    name: "rule",
    keys: [
      .init(
        name: "when", type: .choice([.names(triggerWords + ownTriggerWords), .mapping("trigger")]),
        summary: "The trigger.", isRequired: true),
      .init(name: "if", type: .expression, summary: "A condition that must then be true (default: none)."),
      .init(
        name: "after", type: .duration(.milliseconds(1)...(.seconds(31_536_000))), summary: "The delay (default: none)."
      ),
      .init(name: "do", type: effects("rule-effect"), summary: "The action; one action or a list.", isRequired: true),
    ])

  static let trigger = KeyTable(
    name: "trigger",
    keys: [
      .init(name: "button", type: .text, summary: "The button of that name is pressed."),
      .init(
        name: "every", type: .duration(.milliseconds(10)...(.seconds(31_536_000))),
        summary: "That much time has passed, periodically."),
      .init(name: "at", type: .text, summary: "A time of day, such as 07:30, or 07:30:15."),
      .init(name: "subscribed", type: .text, summary: "A client subscribes to that characteristic."),
      .init(name: "unsubscribed", type: .text, summary: "A client ends its subscription to that characteristic."),
      .init(
        name: "written", type: .text, summary: "A client has written that characteristic, and the write was accepted."),
      .init(name: "read", type: .text, summary: "A client reads that characteristic."),
      .init(name: "becomes", type: .expression, summary: "That condition becomes true."),
      .init(
        name: "until", type: .expression,
        summary: "A condition that must be true before 'becomes' can fire again (default: that 'becomes' is false)."),
    ])

  static let owners = ValueOwner.allCases.filter { $0 != .accessory }.map(\.rawValue)

  static let variable = KeyTable(
    name: "variable",
    keys: [
      .init(name: "value", type: .scalar, summary: "The initial value.", isRequired: true),
      .init(
        name: "per", type: .names(owners),
        summary:
          "Whether each connection, or each bonded central, has its own copy, which starts with the initial value."),
    ])

  static let parameter = KeyTable(
    name: "parameter",
    keys: [
      .init(name: "default", type: .any, summary: "The value unless another is set.", isRequired: true),
      .init(name: "about", type: .text, summary: "A description, for people."),
    ])

  static let writeNumbering = KeyTable(
    name: "numbering",
    keys: [
      .init(
        name: "number", type: .names(["u8", "u16", "u24", "u32"]),
        summary: "The integer that increases by one with every written value, and wraps around to 0.",
        isRequired: true
      ),
      .init(name: "at", type: .integer(0...508), summary: "The number of octets before it (default: 0)."),
      .init(name: "order", type: .names(orders), summary: "The order of its octets (default: little)."),
    ])

  static let packets = KeyTable(
    name: "packets",
    keys: [
      .init(
        name: "length", type: .names(["u8", "u16", "u32"]), summary: "The integer that holds the length of a packet."),
      .init(
        name: "at", type: .integer(0...64),
        summary: "The position of that integer in a packet (default: 0)."),
      .init(name: "order", type: .names(orders), summary: "The order of the octets of that integer (default: little)."),
      .init(
        name: "plus", type: .integer(-64...1024),
        summary: "How much longer the whole packet is than the length says (default: the octets up to the end of the "
          + "integer)."),
      .init(
        name: "start", type: .octets,
        summary: "The octets that every packet begins with; anything before them is skipped."),
      .init(name: "end", type: .octets, summary: "The octets that every packet ends with, instead of length."),
      .init(
        name: "longest", type: .integer(1...65_535),
        summary: "The maximum length of a packet, in octets (default: 4096)."),
      .init(
        name: "within", type: .wait,
        summary: "The longest time between two parts, after which the first is discarded (default: 5 s)."),
    ])

  static let computedValue = KeyTable(
    name: "computed-value",
    keys: [.init(name: "compute", type: .expression, summary: "The result of an expression.", isRequired: true)])

  /// The effects that consist of a single word.
  static let effectWords = ["log", "disconnect", "restart", "sleep", "wake"]

  static let effectsType = effects("effect")

  /// Returns the type of one effect or a list of them.
  static func effects(_ table: String, _ words: [String] = effectWords) -> ValueType {
    .choice([.mapping(table), .names(words), .list(.choice([.mapping(table), .names(words)]))])
  }
}
