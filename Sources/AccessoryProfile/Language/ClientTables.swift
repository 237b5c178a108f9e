extension Language {
  static let clientTables = [clientStep, clientTrigger, clientRetry]

  /// The keys of a step of which it has exactly one.
  static let clientActions = ["discover", "read", "subscribe", "write"]

  static let clientStep = KeyTable(
    name: "client-step",
    keys: [
      .init(
        name: "when", type: .choice([.names(["connected"]), .mapping("client-trigger")]),
        summary: "What it waits for; connected if not given."),
      .init(
        name: "if", type: .expression,
        summary: "What must hold then; of what has come, which `written` is, or of anything else."),
      .init(name: "after", type: .duration, summary: "How long after that it is done; at once if not given."),
      .init(name: "discover", type: .names(["all"]), summary: "Finds out what the central offers, and nothing else."),
      .init(name: "read", type: .uuid, summary: "A characteristic of the central that is read."),
      .init(
        name: "subscribe", type: .uuid,
        summary: "A characteristic of the central whose notifications or indications are wanted."),
      .init(name: "write", type: .uuid, summary: "A characteristic of the central that gets the value."),
      .init(name: "value", type: .value, summary: "What is written."),
      .init(
        name: "service", type: .uuid,
        summary: "The service that the characteristic is in; the first with such a one if not given."),
      .init(
        name: "do",
        type: effects("rule-effect"),
        summary: "What is done with the value that was read, sent or written; one thing or a list."),
      .init(name: "retry", type: .mapping("client-retry"), summary: "When it is tried again; never if not given."),
    ])

  static let clientTrigger = KeyTable(
    name: "client-trigger",
    keys: [
      .init(
        name: "subscribed", type: .text, summary: "A characteristic of this profile that the central subscribes to."),
      .init(
        name: "received", type: .uuid,
        summary: "A characteristic of the central of which another step has read a value, or gets the notifications."),
      .init(name: "button", type: .text, summary: "Somebody presses a button of that name."),
    ])

  static let clientRetry = KeyTable(
    name: "client-retry",
    keys: [
      .init(
        name: "times", type: .integer(1...1000), summary: "How often it is tried again after it has failed.",
        isRequired: true),
      .init(name: "every", type: .duration, summary: "How long after each failure.", isRequired: true),
    ])
}
