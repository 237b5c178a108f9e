extension Language {
  static let clientTables = [clientStep, clientTrigger, clientRetry]

  /// The keys for actions. Each step has exactly one.
  static let clientActions = ["discover", "read", "subscribe", "write"]

  static let clientStep = KeyTable(
    name: "client-step",
    keys: [
      .init(
        name: "when", type: .choice([.names(["connected"]), .mapping("client-trigger")]),
        summary: "The trigger of the step (default: connected)."),
      .init(
        name: "if", type: .expression,
        summary: "A condition that must then be true; `written` is the value that was received."),
      .init(name: "after", type: .delay, summary: "The delay (default: none)."),
      .init(name: "discover", type: .names(["all"]), summary: "Only discovers the central's services."),
      .init(name: "read", type: .uuid, summary: "Reads this characteristic of the central."),
      .init(
        name: "subscribe", type: .uuid,
        summary: "Subscribes to notifications or indications of this characteristic of the central."),
      .init(name: "write", type: .uuid, summary: "Writes the value to this characteristic of the central."),
      .init(name: "value", type: .value, summary: "The value to write."),
      .init(
        name: "service", type: .uuid,
        summary: "The service of the characteristic (default: the first that has it)."),
      .init(
        name: "do",
        type: effects("rule-effect"),
        summary: "The action with the value that was read, sent or written; one action or a list."),
      .init(name: "retry", type: .mapping("client-retry"), summary: "Retries after a failure (default: none)."),
    ])

  static let clientTrigger = KeyTable(
    name: "client-trigger",
    keys: [
      .init(
        name: "subscribed", type: .text, summary: "A characteristic of this profile that the central subscribes to."),
      .init(
        name: "received", type: .uuid,
        summary: "A characteristic of the central whose value another step has read, or received."),
      .init(name: "button", type: .text, summary: "The button of that name is pressed."),
    ])

  static let clientRetry = KeyTable(
    name: "client-retry",
    keys: [
      .init(
        name: "times", type: .integer(1...1000), summary: "The number of retries.",
        isRequired: true),
      .init(name: "every", type: .wait, summary: "The delay before each retry.", isRequired: true),
    ])
}
