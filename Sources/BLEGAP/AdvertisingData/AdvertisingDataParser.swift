import BLECore

extension AdvertisingData {
  /// Parses the structures of received data. All octets are accepted: a structure whose content does not fit its type becomes `raw`, and
  /// parsing ends at an early termination (a length of zero, Core 5.4 Vol 3 Part C 11) or at a structure that is cut off.
  public init(parsing octets: [UInt8]) {
    var structures: [AdvertisingStructure] = []
    var offset = 0
    while offset < octets.count {
      let length = Int(octets[offset])
      guard length > 0, offset + 1 + length <= octets.count else { break }
      let type = AdvertisingStructureType(rawValue: octets[offset + 1])
      structures.append(AdvertisingStructure(type: type, content: Array(octets[(offset + 2)..<(offset + 1 + length)])))
      offset += 1 + length
    }
    self.init(structures)
  }
}

extension AdvertisingStructure {
  /// Creates the structure of this type, or `raw` if the content does not fit it.
  init(type: AdvertisingStructureType, content: [UInt8]) {
    self = Self.typed(type, content) ?? .raw(type, content)
  }

  private static func typed(_ type: AdvertisingStructureType, _ content: [UInt8]) -> AdvertisingStructure? {
    switch type {
    case .flags: content.count == 1 ? .flags(AdvertisingFlags(rawValue: content[0])) : nil
    case .incompleteServices16: uuids(content, .bits16).map { .services($0, width: .bits16, isComplete: false) }
    case .completeServices16: uuids(content, .bits16).map { .services($0, width: .bits16, isComplete: true) }
    case .incompleteServices32: uuids(content, .bits32).map { .services($0, width: .bits32, isComplete: false) }
    case .completeServices32: uuids(content, .bits32).map { .services($0, width: .bits32, isComplete: true) }
    case .incompleteServices128: uuids(content, .bits128).map { .services($0, width: .bits128, isComplete: false) }
    case .completeServices128: uuids(content, .bits128).map { .services($0, width: .bits128, isComplete: true) }
    case .shortenedLocalName: String(validating: content, as: UTF8.self).map { .localName($0, isComplete: false) }
    case .completeLocalName: String(validating: content, as: UTF8.self).map { .localName($0, isComplete: true) }
    case .transmitPowerLevel: content.count == 1 ? .transmitPower(Int8(bitPattern: content[0])) : nil
    case .connectionIntervalRange:
      content.count == 4
        ? .connectionIntervals(minimum: word(content[0...]), maximum: word(content[2...])) : nil
    case .solicitation16: uuids(content, .bits16).map { .solicitation($0, width: .bits16) }
    case .solicitation32: uuids(content, .bits32).map { .solicitation($0, width: .bits32) }
    case .solicitation128: uuids(content, .bits128).map { .solicitation($0, width: .bits128) }
    case .serviceData16: serviceData(content, .bits16)
    case .serviceData32: serviceData(content, .bits32)
    case .serviceData128: serviceData(content, .bits128)
    case .appearance: content.count == 2 ? .appearance(Appearance(rawValue: word(content[0...]))) : nil
    case .manufacturerData:
      content.count >= 2 ? .manufacturerData(company: word(content[0...]), data: Array(content[2...])) : nil
    default: nil
    }
  }

  private static func word(_ octets: ArraySlice<UInt8>) -> UInt16 {
    UInt16(octets[octets.startIndex]) | UInt16(octets[octets.startIndex + 1]) << 8
  }

  /// Returns the UUIDs of one width that fill the content; nil if octets are left over.
  private static func uuids(_ content: [UInt8], _ width: UUIDWidth) -> [BluetoothUUID]? {
    guard content.count.isMultiple(of: width.rawValue) else { return nil }
    return stride(from: 0, to: content.count, by: width.rawValue).compactMap {
      BluetoothUUID(littleEndianOctets: Array(content[$0..<($0 + width.rawValue)]))
    }
  }

  private static func serviceData(_ content: [UInt8], _ width: UUIDWidth) -> AdvertisingStructure? {
    guard content.count >= width.rawValue,
      let uuid = BluetoothUUID(littleEndianOctets: Array(content[..<width.rawValue]))
    else { return nil }
    return .serviceData(uuid, width: width, data: Array(content[width.rawValue...]))
  }
}
