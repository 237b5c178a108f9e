import BLECore
import BLEGAP

/// Advertising data as fields, including service data and the formats of iBeacon, Eddystone and Apple (Core 5.4 Vol 3 Part C 11, Core
/// Specification Supplement Part A 1).
enum AdvertisingFields {
  /// Adds the structures in the next `count` octets.
  static func add(_ count: Int, to list: inout FieldList) {
    let end = min(list.octets.count, list.offset + count)
    while list.offset + 1 < end {
      let length = Int(list.octets[list.offset])
      // An early end: the rest is zeros.
      guard length > 0 else { break }
      let type = AdvertisingStructureType(rawValue: list.octets[list.offset + 1])
      list.group(type.description, min(length + 1, end - list.offset)) { list in
        list.number("Length", 1)
        list.number("AD Type", 1) { _ in type.description }
        content(type, &list)
      }
      list.amend { $0.meaning = $0.children.dropFirst(2).compactMap { $0.meaning }.joined(separator: ", ") }
    }
    if list.offset < end { list.octets("Early Termination", end - list.offset) }
  }

  /// Returns the structures in a range of the octets.
  static func structures(_ octets: [UInt8], in range: Range<Int>) -> [DescribedField] {
    var list = FieldList(octets, from: range.lowerBound, to: range.upperBound)
    add(range.count, to: &list)
    return list.fields
  }

  /// Returns the meaning of each structure as text.
  static func text(_ octets: some Sequence<UInt8>) -> String {
    var list = FieldList(Array(octets))
    add(list.remaining, to: &list)
    return list.fields.filter { $0.name != "Early Termination" }
      .map { field in field.meaning.flatMap { $0.isEmpty ? nil : "\(field.name): \($0)" } ?? field.name }
      .joined(separator: " - ")
  }

  private static func content(_ type: AdvertisingStructureType, _ list: inout FieldList) {
    switch type {
    case .flags: list.number("Flags", 1) { flags(UInt8(truncatingIfNeeded: $0)) }
    case .incompleteServices16, .completeServices16, .solicitation16: uuids(2, &list)
    case .incompleteServices32, .completeServices32, .solicitation32: uuids(4, &list)
    case .incompleteServices128, .completeServices128, .solicitation128: uuids(16, &list)
    case .shortenedLocalName, .completeLocalName:
      list.rest("Name") { "\"" + String(decoding: $0, as: UTF8.self) + "\"" }
    case .transmitPowerLevel: list.number("Tx Power", 1) { "\(Int8(truncatingIfNeeded: $0)) dBm" }
    case .appearance:
      list.number("Appearance", 2) { "\(Appearance(rawValue: UInt16(truncatingIfNeeded: $0)))" }
    case .connectionIntervalRange:
      list.number("Minimum", 2, interval)
      list.number("Maximum", 2, interval)
    case .serviceData16: serviceData(2, &list)
    case .serviceData32: serviceData(4, &list)
    case .serviceData128: serviceData(16, &list)
    case .manufacturerData: CompanyFields.add(&list)
    default: list.rest("Data") { $0.hexadecimal }
    }
  }

  private static func interval(_ units: UInt64) -> String {
    units == 0xFFFF ? "no preference" : "\(Double(units) * 1.25) ms"
  }

  private static func flags(_ flags: UInt8) -> String {
    let names = [
      "LE Limited Discoverable", "LE General Discoverable", "BR/EDR Not Supported", "Simultaneous LE and BR/EDR",
    ]
    return names.indices.filter { flags & 1 << UInt8($0) != 0 }.map { names[$0] }.joined(separator: ", ")
  }

  static func name(_ octets: [UInt8]) -> String? {
    BluetoothUUID(littleEndianOctets: octets).map { uuid in
      uuid.assignedName.map { "\(uuid) (\($0.displayName))" } ?? uuid.description
    }
  }

  private static func uuids(_ width: Int, _ list: inout FieldList) {
    while list.has(width) { list.octets("UUID", width, meaning: name) }
  }

  private static func serviceData(_ width: Int, _ list: inout FieldList) {
    guard list.has(width) else { return }
    let uuid = Array(list.octets[list.offset..<list.offset + width])
    list.octets("Service", width, meaning: name)
    if uuid == [0xAA, 0xFE] { EddystoneFields.add(&list) } else { list.rest("Data") { $0.hexadecimal } }
  }
}

/// Eddystone frames, in the service data of FEAA (github.com/google/eddystone, protocol-specification.md).
enum EddystoneFields {
  static func add(_ list: inout FieldList) {
    guard list.remaining > 0 else { return }
    switch list.octets[list.offset] {
    case 0x00:
      list.number("Frame Type", 1) { _ in "Eddystone-UID" }
      list.number("Ranging Data", 1, power)
      list.octets("Namespace", 10) { $0.hexadecimal }
      list.octets("Instance", 6) { $0.hexadecimal }
      list.rest("Reserved")
    case 0x10:
      list.number("Frame Type", 1) { _ in "Eddystone-URL" }
      list.number("Tx Power", 1, power)
      list.rest("URL") { url($0) }
    case 0x20:
      list.number("Frame Type", 1) { _ in "Eddystone-TLM" }
      list.number("Version", 1)
      if list.octets[max(0, list.offset - 1)] == 0, list.has(12) {
        // Big endian, unlike everything else.
        list.octets("Battery Voltage", 2) { "\(Int($0[0]) << 8 | Int($0[1])) mV" }
        list.octets("Temperature", 2) { "\(Double(Int8(bitPattern: $0[0])) + Double($0[1]) / 256) °C" }
        list.octets("Advertising Count", 4) { "\($0.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })" }
        list.octets("Time Since Start", 4) { "\(Double($0.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }) / 10) s" }
      }
      list.rest("Encrypted")
    case 0x30:
      list.number("Frame Type", 1) { _ in "Eddystone-EID" }
      list.number("Ranging Data", 1, power)
      list.rest("Ephemeral Identifier") { $0.hexadecimal }
    default:
      list.number("Frame Type", 1)
      list.rest("Data") { $0.hexadecimal }
    }
  }

  private static func power(_ value: UInt64) -> String { "\(Int8(truncatingIfNeeded: value)) dBm at 0 m" }

  private static func url(_ octets: [UInt8]) -> String {
    let schemes = ["http://www.", "https://www.", "http://", "https://"]
    let ends = [".com", ".org", ".edu", ".net", ".info", ".biz", ".gov"]
    guard let first = octets.first, Int(first) < schemes.count else { return octets.hexadecimal }
    return octets.dropFirst().reduce(schemes[Int(first)]) { text, octet in
      switch octet {
      case 0...6: text + ends[Int(octet)] + "/"
      case 7...13: text + ends[Int(octet) - 7]
      case 0x21...0x7E: text + String(UnicodeScalar(octet))
      default: text + "?"
      }
    }
  }
}

/// Manufacturer data: the company, and for Apple the publicly known message headers.
enum CompanyFields {
  private static let companies: [UInt16: String] = [
    0x004C: "Apple", 0x0006: "Microsoft", 0x0059: "Nordic Semiconductor", 0x0075: "Samsung", 0x00E0: "Google",
    0x05F1: "Linux Foundation", 0x0002: "Intel", 0x000F: "Broadcom", 0x000D: "Texas Instruments", 0x02E5: "Espressif",
    0xFFFF: "for internal use",
  ]

  static func add(_ list: inout FieldList) {
    let company = list.number("Company", 2) { number in
      let name = companies[UInt16(truncatingIfNeeded: number)]
      let digits = String(number, radix: 16, uppercase: true)
      return name ?? "company 0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    if company == 0x004C { apple(&list) } else { list.rest("Data") { $0.hexadecimal } }
  }

  /// The types of Apple's messages, as named by public research (furiousMAC/continuity, hexway/apple_bleee).
  private static let appleTypes: [UInt8: String] = [
    0x02: "iBeacon", 0x03: "AirPrint", 0x05: "AirDrop", 0x06: "HomeKit", 0x07: "Proximity Pairing",
    0x08: "Hey Siri", 0x09: "AirPlay Target", 0x0A: "AirPlay Source", 0x0B: "Magic Switch", 0x0C: "Handoff",
    0x0D: "Tethering Target", 0x0E: "Tethering Source", 0x0F: "Nearby Action", 0x10: "Nearby Info", 0x12: "Find My",
  ]

  /// Adds messages of type, length and content.
  private static func apple(_ list: inout FieldList) {
    while list.has(2) {
      let type = list.octets[list.offset]
      let length = Int(list.octets[list.offset + 1])
      let name = appleTypes[type] ?? "Apple message"
      guard list.has(2 + length) else { break }
      list.group(name, 2 + length, meaning: name) { list in
        list.number("Type", 1) { _ in name }
        list.number("Length", 1)
        if type == 0x02, length == 21 {
          beacon(&list)
        } else {
          list.rest("Content")
        }
      }
      if type == 0x02, length == 21 {
        list.amend { group in
          let parts = group.children.dropFirst(2).compactMap { child in child.meaning.map { "\(child.name) \($0)" } }
          group.meaning = "iBeacon " + parts.joined(separator: " ")
        }
      }
    }
    list.rest("Data") { $0.hexadecimal }
  }

  /// Adds the fields of Apple's Proximity Beacon Specification, which are big endian.
  private static func beacon(_ list: inout FieldList) {
    list.octets("UUID", 16) { BluetoothUUID(littleEndianOctets: $0.reversed())?.description }
    list.octets("Major", 2) { "\(Int($0[0]) << 8 | Int($0[1]))" }
    list.octets("Minor", 2) { "\(Int($0[0]) << 8 | Int($0[1]))" }
    list.number("Measured Power", 1) { "\(Int8(truncatingIfNeeded: $0)) dBm" }
  }
}
