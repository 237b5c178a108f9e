import BLECore

/// The notifications of a phone, as provided to accessories by the Apple Notification Center Service.
enum NotificationTable {
  /// The names of the tables that the profile's key `notifications` creates.
  static let id = "notifications"
  static let apps = "apps"

  /// CategoryID (Apple Notification Center Service, Appendix).
  static let categories: [ValueFormat.NamedNumber] = [
    .init("other", 0), .init("incoming-call", 1), .init("missed-call", 2), .init("voicemail", 3), .init("social", 4),
    .init("schedule", 5), .init("email", 6), .init("news", 7), .init("health", 8), .init("business", 9),
    .init("location", 10), .init("entertainment", 11),
  ]

  /// The EventFlags that a profile sets. The others are derived.
  static let flags: [ValueFormat.NamedNumber] = [.init("silent", 1), .init("important", 2)]

  static let columns: [ValueFormat.Field] = [
    // The next number by default.
    .init("uid", .integer(IntegerFormat(octets: 4)), defaultValue: .int(0)),
    .init("category", .named(categories), defaultValue: .string("other")),
    .init("flags", .flags(flags), defaultValue: .array([])),
    .init("app", .text, defaultValue: .string("")),
    .init("title", .text, defaultValue: .string("")),
    .init("subtitle", .text, defaultValue: .string("")),
    .init("message", .text, defaultValue: .string("")),
    // By default, the time at which the notification was added.
    .init("date", .dateTime, defaultValue: .string("")),
    .init("positive-action", .text, defaultValue: .string("")),
    .init("negative-action", .text, defaultValue: .string("")),
  ]

  static let appColumns: [ValueFormat.Field] = [.init("app", .text), .init("name", .text)]

  /// The EventID in an announcement.
  enum Event: UInt8 { case added, modified, removed }

  /// The EventFlags that a profile does not set.
  private static let preExisting: UInt8 = 0x04
  private static let positiveAction: UInt8 = 0x08
  private static let negativeAction: UInt8 = 0x10

  /// Returns a Notification Source value: EventID, EventFlags, CategoryID, CategoryCount, NotificationUID.
  static func announcement(
    _ event: Event, of row: RecordTable.Record, in table: RecordTable, isPreExisting: Bool = false
  ) -> [UInt8] {
    func octets(_ column: String) -> [UInt8] {
      guard let value = table.value(column, in: row), let format = table.format(of: column) else { return [] }
      return (try? format.encode(value)) ?? []
    }
    let category = table.value("category", in: row)
    let count = table.rows.count { table.value("category", in: $0) == category }
    var flags = octets("flags").first ?? 0
    if isPreExisting { flags |= preExisting }
    if !table.text(of: "positive-action", in: row).isEmpty { flags |= positiveAction }
    if !table.text(of: "negative-action", in: row).isEmpty { flags |= negativeAction }
    return [event.rawValue, flags] + octets("category") + [UInt8(clamping: count)] + octets("uid")
  }
}
