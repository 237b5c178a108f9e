extension Language {
  static let recordTables = [table, tableStep, notificationTable, notification, notificationStep]

  static let table = KeyTable(
    name: "table",
    keys: [
      .init(name: "id", type: .text, summary: "Its name in commands.", isRequired: true),
      .init(name: "columns", type: .dictionary(.format), summary: "What every record holds: names and formats."),
      .init(
        name: "format", type: .format,
        summary: "A struct whose fields are the columns, in place of 'columns': a characteristic that sends records."),
      .init(
        name: "key", type: .text, summary: "The column by which records are found; the first if not given."),
      .init(name: "rows", type: .list(.dictionary(.value)), summary: "The records at the start."),
      .init(name: "timeline", type: .list(.mapping("table-step")), summary: "What happens to them by itself."),
    ])

  static let tableStep = step("table-step", record: .dictionary(.value))

  static let notificationTable = KeyTable(
    name: "notifications",
    keys: [
      .init(name: "apps", type: .dictionary(.text), summary: "The identifiers of apps, and their names."),
      .init(name: "rows", type: .list(.mapping("notification")), summary: "The notifications at the start."),
      .init(
        name: "timeline", type: .list(.mapping("notification-step")), summary: "What happens to them by itself."),
    ])

  static let notification = KeyTable(
    name: "notification",
    keys: [
      .init(name: "uid", type: .integer(0...4_294_967_295), summary: "Its number; the next one if not given."),
      .init(
        name: "category", type: .names(NotificationTable.categories.map(\.name)),
        summary: "What it is about; other if not given."),
      .init(
        name: "flags", type: .list(.names(NotificationTable.flags.map(\.name))),
        summary: "How it is shown; the flags of actions follow from their labels."),
      .init(name: "app", type: .text, summary: "The identifier of the app."),
      .init(name: "title", type: .text, summary: "The title, such as who calls."),
      .init(name: "subtitle", type: .text, summary: "The subtitle."),
      .init(name: "message", type: .text, summary: "The text."),
      .init(name: "date", type: .text, summary: "When it came, as 2024-02-29T23:59:58; when it is added if not given."),
      .init(name: "positive-action", type: .text, summary: "The label of what can be done with it, such as Answer."),
      .init(name: "negative-action", type: .text, summary: "The label of the other, such as Decline."),
    ])

  static let notificationStep = step("notification-step", record: .mapping("notification"))

  private static func step(_ name: String, record: ValueType) -> KeyTable {
    KeyTable(
      name: name,
      keys: [
        .init(name: "at", type: .duration, summary: "How long after the start.", isRequired: true),
        .init(name: "add", type: record, summary: "A record that comes."),
        .init(name: "modify", type: record, summary: "The key of a record, and the columns that change."),
        .init(name: "remove", type: .value, summary: "The key of a record that goes."),
      ])
  }
}
