extension Language {
  static let recordTables = [table, tableStep, notificationTable, notification, notificationStep]

  static let table = KeyTable(
    name: "table",
    keys: [
      .init(name: "id", type: .text, summary: "Its name in commands.", isRequired: true),
      .init(name: "columns", type: .dictionary(.format), summary: "The columns of each record: names and formats."),
      .init(
        name: "format", type: .format,
        summary: "A struct whose fields are the columns, instead of 'columns': the format of the characteristic that "
          + "sends the records."),
      .init(
        name: "key", type: .text, summary: "The column that identifies records (default: the first)."),
      .init(name: "rows", type: .list(.dictionary(.value)), summary: "The records at the start."),
      .init(name: "timeline", type: .list(.mapping("table-step")), summary: "Scheduled changes."),
    ])

  static let tableStep = step("table-step", record: .dictionary(.value))

  static let notificationTable = KeyTable(
    name: "notifications",
    keys: [
      .init(name: "apps", type: .dictionary(.text), summary: "App identifiers and names."),
      .init(name: "rows", type: .list(.mapping("notification")), summary: "The notifications at the start."),
      .init(
        name: "timeline", type: .list(.mapping("notification-step")), summary: "Scheduled changes."),
    ])

  static let notification = KeyTable(
    name: "notification",
    keys: [
      .init(name: "uid", type: .integer(0...4_294_967_295), summary: "Its number (default: the next one)."),
      .init(
        name: "category", type: .names(NotificationTable.categories.map(\.name)),
        summary: "The category (default: other)."),
      .init(
        name: "flags", type: .list(.names(NotificationTable.flags.map(\.name))),
        summary: "The flags; those for actions follow from the labels of the actions."),
      .init(name: "app", type: .text, summary: "The identifier of the app."),
      .init(name: "title", type: .text, summary: "The title, such as the caller."),
      .init(name: "subtitle", type: .text, summary: "The subtitle."),
      .init(name: "message", type: .text, summary: "The text."),
      .init(name: "date", type: .text, summary: "The date, as 2024-02-29T23:59:58 (default: when it is added)."),
      .init(name: "positive-action", type: .text, summary: "The label of the positive action, such as Answer."),
      .init(name: "negative-action", type: .text, summary: "The label of the negative action, such as Decline."),
    ])

  static let notificationStep = step("notification-step", record: .mapping("notification"))

  private static func step(_ name: String, record: ValueType) -> KeyTable {
    KeyTable(
      name: name,
      keys: [
        .init(name: "at", type: .upToDay, summary: "The time after the start.", isRequired: true),
        .init(name: "add", type: record, summary: "The record to add."),
        .init(name: "modify", type: record, summary: "The key of a record, and the columns to change."),
        .init(name: "remove", type: .value, summary: "The key of the record to remove."),
      ])
  }
}
