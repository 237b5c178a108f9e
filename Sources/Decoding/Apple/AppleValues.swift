import BLECore

/// The values of the services that Apple's devices offer to accessories, as fields: the Apple Notification Center Service and the Apple
/// Media Service. A characteristic's value has one layout if the client writes it, and another if the server sends it.
enum AppleValues {
  /// A layout of values.
  private typealias Layout = @Sendable (inout FieldList) -> Void

  /// The layouts by characteristic: values that clients write, and values that servers notify or return from reads.
  private static let layouts: [BluetoothUUID: (written: Layout, said: Layout)] = {
    let rows: [(uuid: String, written: Layout, said: Layout)] = [
      ("9FBF120D-6301-42D9-8C58-25E699A21DBD", NotificationFields.event, NotificationFields.event),
      ("69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9", NotificationFields.request, NotificationFields.request),
      ("22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB", NotificationFields.response, NotificationFields.response),
      ("9B3C81D8-57B1-4A8A-B8DF-0E56F7CA51C2", MediaFields.command, MediaFields.commands),
      ("2F7CABCE-808D-411F-9A0C-BB92BA96C102", MediaFields.wantedAttributes, MediaFields.update),
      ("C6B2F38C-23AB-46D8-A6AB-A3A870BBD5D7", MediaFields.wantedAttributes, MediaFields.attribute),
      ("ABDD3056-28FA-441D-A470-55A75A52553A", psm, psm),
    ]
    return Dictionary(
      rows.compactMap { row in BluetoothUUID(row.uuid).map { ($0, (row.written, row.said)) } }, uniquingKeysWith: { $1 }
    )
  }()

  /// Returns the fields of a value; nil if it is not one of Apple's characteristics.
  static func fields(_ uuid: BluetoothUUID, _ octets: [UInt8], isWritten: Bool) -> [DescribedField]? {
    guard uuid.short == nil, let layout = layouts[uuid] else { return nil }
    var list = FieldList(octets)
    (isWritten ? layout.written : layout.said)(&list)
    list.rest("Undecoded")
    return list.fields
  }

  /// Returns fields on one line, for example `EventID: Added - CategoryID: Email`.
  static func text(_ fields: [DescribedField]) -> String {
    let parts = fields.map { field in
      let inside = field.children.map { $0.meaning ?? $0.value }.joined(separator: " ")
      let text = field.meaning ?? (inside.isEmpty ? field.value : inside)
      return field.name.isEmpty ? text : "\(field.name): \(text)"
    }
    return parts.joined(separator: " - ")
  }

  private static let psm: Layout = { $0.number("PSM", 2) }
}

extension FieldList {
  /// Adds an octet whose values have names, in numerical order.
  @discardableResult
  mutating func named(_ name: String, _ names: [String]) -> UInt64? {
    number(name, 1) { $0 < names.count ? names[Int($0)] : nil }
  }

  /// Adds octets of text.
  mutating func text(_ name: String, _ count: Int) {
    let value = rest.prefix(max(0, count))
    let text = "\"\(String(decoding: value, as: UTF8.self))\""
    octets(name, count)
    amend { $0.meaning = value.count < count ? "\(text) (cut off)" : text }
  }
}
