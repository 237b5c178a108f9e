import BLEATT
import BLECore

/// ATT PDUs as fields, from the layouts of `BLEATT`, with the names and values of attributes.
struct ATTTree {
  /// The known attributes of the server.
  let table: AttributeTable?
  let valueText: PacketDecoder.ValueText?
  /// The PDU's attribute, even if only its request names it.
  let attribute: UInt16?
  /// The opcode of the PDU.
  let opcode: UInt8
  /// The response that contains the value, if the value is only a part of it.
  let response: SplicedResponse?

  private static let layouts = Dictionary(uniqueKeysWithValues: allATTPDUs.map { ($0.opcode.rawValue, $0) })

  static let titles: [UInt8: String] = [
    0x01: "Error Response", 0x02: "Exchange MTU Request", 0x03: "Exchange MTU Response",
    0x04: "Find Information Request", 0x05: "Find Information Response", 0x06: "Find By Type Value Request",
    0x07: "Find By Type Value Response", 0x08: "Read By Type Request", 0x09: "Read By Type Response",
    0x0A: "Read Request", 0x0B: "Read Response", 0x0C: "Read Blob Request", 0x0D: "Read Blob Response",
    0x0E: "Read Multiple Request", 0x0F: "Read Multiple Response", 0x10: "Read By Group Type Request",
    0x11: "Read By Group Type Response", 0x12: "Write Request", 0x13: "Write Response",
    0x16: "Prepare Write Request", 0x17: "Prepare Write Response", 0x18: "Execute Write Request",
    0x19: "Execute Write Response", 0x1B: "Handle Value Notification", 0x1D: "Handle Value Indication",
    0x1E: "Handle Value Confirmation", 0x20: "Read Multiple Variable Request",
    0x21: "Read Multiple Variable Response", 0x23: "Multiple Handle Value Notification", 0x52: "Write Command",
    0xD2: "Signed Write Command",
  ]

  static func title(_ opcode: UInt8) -> String { titles[opcode] ?? "ATT PDU 0x" + [opcode].uppercaseHexadecimal }

  func fields(_ octets: [UInt8]) -> FieldList {
    var list = FieldList(octets)
    list.number("Opcode", 1) { Self.title(UInt8(truncatingIfNeeded: $0)) }
    if let type = Self.layouts[opcode] { list.layout(type, list.remaining) } else { list.rest("Parameters") }
    list.amendAll { field in explain(&field, octets) }
    return list
  }

  private func explain(_ field: inout DescribedField, _ octets: [UInt8]) {
    switch field.name {
    case "Attribute Handle", "Attribute Handle In Error":
      field.meaning = field.number.flatMap { table?.name(of: UInt16(truncatingIfNeeded: $0)) }
    case "Attribute Value" where opcode == 0x0B || field.range.lowerBound == 3, "Part Attribute Value":
      let octets = Array(octets[field.range])
      field.meaning = value(octets[...])
      if response == nil, let fields = appleFields(octets) {
        field.children = fields.map { $0.moved(by: field.range.lowerBound) }
      }
    case "Attribute Type", "Attribute Group Type":
      let type = Array(octets[field.range])
      if let name = PacketDecoder.typeName(type.hexadecimal), let uuid = BluetoothUUID(littleEndianOctets: type) {
        field.meaning = "\(uuid) (\(name))"
      } else if field.number != nil {
        field.meaning = AdvertisingFields.name(type)
      }
    case "Client Rx MTU", "Server Rx MTU", "Value Offset": field.meaning = field.number.map { "\($0)" }
    case "Information Data": field.children = entries(octets, field.range, octets.count > 1 && octets[1] == 1 ? 4 : 18)
    case "Attribute Data List": field.children = entries(octets, field.range, octets.count > 1 ? Int(octets[1]) : 0)
    case "Handle Length Value Tuple List": field.children = tuples(octets, field.range)
    default: break
    }
  }

  /// Returns the entries of a list, each starting with its handle.
  private func entries(_ octets: [UInt8], _ range: Range<Int>, _ length: Int) -> [DescribedField] {
    guard length > 2 else { return [] }
    var list = FieldList(octets, from: range.lowerBound, to: range.upperBound)
    while list.has(length) {
      list.group("Attribute Data", length) { list in
        list.number("Attribute Handle", 2) { table?.name(of: UInt16(truncatingIfNeeded: $0)) }
        switch (opcode, length) {
        case (0x05, _): list.rest("Attribute Type", meaning: AdvertisingFields.name)
        case (0x11, 6), (0x11, 20):
          list.number("End Group Handle", 2)
          list.rest("Attribute Value", meaning: AdvertisingFields.name)
        case (0x09, 7), (0x09, 21):
          // Characteristic declarations. Another value of that length may be misread, but its octets are shown.
          list.number("Characteristic Properties", 1) { Self.properties($0) }
          list.number("Characteristic Value Handle", 2)
          list.rest("Characteristic UUID", meaning: AdvertisingFields.name)
        default: list.rest("Attribute Value")
        }
      }
    }
    return list.fields
  }

  private func tuples(_ octets: [UInt8], _ range: Range<Int>) -> [DescribedField] {
    var list = FieldList(octets, from: range.lowerBound, to: range.upperBound)
    while list.has(4) {
      let length = 4 + Int(list.octets[list.offset + 2]) + Int(list.octets[list.offset + 3]) << 8
      list.group("Handle Length Value Tuple", length) { list in
        list.number("Attribute Handle", 2) { table?.name(of: UInt16(truncatingIfNeeded: $0)) }
        list.number("Value Length", 2)
        list.rest("Attribute Value")
      }
    }
    return list.fields
  }

  /// Returns characteristic properties (Core 5.4 Vol 3 Part G 3.3.1.1).
  static func properties(_ bits: UInt64) -> String {
    let names = [
      "Broadcast", "Read", "Write Without Response", "Write", "Notify", "Indicate", "Authenticated Signed Writes",
      "Extended Properties",
    ]
    return names.indices.filter { bits >> UInt64($0) & 1 != 0 }.map { names[$0] }.joined(separator: ", ")
  }

  /// Returns a value as text, by the type of its attribute.
  func value(_ slice: ArraySlice<UInt8>) -> String? {
    guard let attribute, let entry = table?.entries[attribute] else { return nil }
    let octets = Array(slice)
    if entry.uuid.short == 0x2902, entry.role == .descriptor, octets.count == 2 {
      let names = ["Notification", "Indication"].indices.filter { octets[0] >> UInt8($0) & 1 != 0 }
      return names.isEmpty ? "Off" : names.map { ["Notification", "Indication"][$0] }.joined(separator: ", ")
    }
    guard entry.role == .value || entry.role == .descriptor else { return nil }
    if let response { return Self.text(of: response) }
    return appleFields(octets).map(AppleValues.text) ?? valueText?(entry.uuid, octets)
  }

  /// Returns the fields of a value of Apple's services.
  private func appleFields(_ octets: [UInt8]) -> [DescribedField]? {
    guard let attribute, let entry = table?.entries[attribute], entry.role == .value else { return nil }
    return AppleValues.fields(entry.uuid, octets, isWritten: [0x12, 0x16, 0x17, 0x52, 0xD2].contains(opcode))
  }

  /// Returns the whole response for its last part, and the progress for earlier ones.
  private static func text(of response: SplicedResponse) -> String? {
    guard response.isWhole else {
      return "Part \(response.parts) of a response, \(response.octets.count) octets so far"
    }
    let whole = "Part \(response.parts) of a response, the last"
    return NotificationFields.dataSource.flatMap {
      AppleValues.fields($0, response.octets, isWritten: false).map { "\(whole) - \(AppleValues.text($0))" }
    }
  }
}
