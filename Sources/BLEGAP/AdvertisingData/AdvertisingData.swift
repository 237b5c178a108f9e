import BLECore

/// Advertising data or scan response data: a sequence of AD structures (Core 5.4 Vol 3 Part C 11).
public struct AdvertisingData: Hashable, Sendable {
  /// The structures, in transmission order.
  public var structures: [AdvertisingStructure]

  /// Creates data from these structures.
  public init(_ structures: [AdvertisingStructure] = []) { self.structures = structures }

  /// The maximum number of octets in legacy advertising PDUs (Core 5.4 Vol 6 Part B 2.3.1.1).
  public static let legacyLimit = 31
  /// The maximum number of octets that any controller accepts for an extended set (Core 5.4 Vol 4 Part E 7.8.57).
  public static let extendedLimit = 1650
  /// The maximum number of octets of a connectable extended set, whose data must fit into AUX_ADV_IND: that PDU has no AuxPtr there, so
  /// no chain of packets follows (Core 5.4 Vol 6 Part B 2.3.1.6). Of its 255 octets of payload, 1 holds the length of the extended header
  /// and the mode, and the header takes 9: flags 1, AdvA 6, ADI 2 (2.3.4).
  public static let connectableExtendedLimit = 245
  /// The maximum number of octets of one structure after its length octet.
  public static let structureLimit = 255

  /// The total number of octets of all structures.
  public var octetCount: Int { structures.reduce(0) { $0 + $1.octetCount } }

  /// Returns the octets. Throws if they exceed `limit` or a structure is too long.
  package func encoded(limit: Int) throws(AdvertisingDataError) -> [UInt8] {
    var octets: [UInt8] = []
    for structure in structures {
      let content = structure.content
      guard content.count + 1 <= Self.structureLimit else {
        throw .structureTooLong(structure.type, octets: content.count + 1)
      }
      octets.append(UInt8(content.count + 1))
      octets.append(structure.type.rawValue)
      octets += content
    }
    guard octets.count <= limit else {
      throw .tooLong(
        octets: octets.count, limit: limit, parts: structures.map { .init(type: $0.type, octets: $0.octetCount) })
    }
    return octets
  }

  /// Adds a list for each UUID width that occurs: 16, 32, then 128 bits.
  public mutating func appendServices(_ uuids: [BluetoothUUID], isComplete: Bool = true) {
    for width in AdvertisingStructure.UUIDWidth.allCases {
      let list = uuids.filter { $0.advertisingWidth == width }
      if !list.isEmpty { structures.append(.services(list, width: width, isComplete: isComplete)) }
    }
  }

  /// The service UUIDs in all lists, complete or not.
  public var services: [BluetoothUUID] {
    structures.flatMap { structure -> [BluetoothUUID] in
      if case .services(let uuids, _, _) = structure { return uuids }
      return []
    }
  }
}

/// Why structures cannot be encoded.
package enum AdvertisingDataError: Error, Hashable, Sendable {
  /// The structures together exceed the limit; `parts` lists the size of each.
  case tooLong(octets: Int, limit: Int, parts: [Part])
  /// A structure is longer than its length octet can express.
  case structureTooLong(AdvertisingStructureType, octets: Int)

  /// The size of one structure, including its length and type octets.
  package struct Part: Hashable, Sendable {
    /// The type of the structure.
    package var type: AdvertisingStructureType
    /// The number of octets.
    package var octets: Int

    /// Creates the size of a structure.
    package init(type: AdvertisingStructureType, octets: Int) {
      self.type = type
      self.octets = octets
    }
  }
}

extension AdvertisingDataError: CustomStringConvertible {
  /// The reason, and the size of each structure.
  package var description: String {
    switch self {
    case .tooLong(let octets, let limit, let parts):
      let list = parts.map { "\($0.type) \($0.octets)" }.joined(separator: ", ")
      return "the data takes \(octets) octets where \(limit) fit (\(list))"
    case .structureTooLong(let type, let octets):
      return "\(type) takes \(octets) octets, and a structure holds \(AdvertisingData.structureLimit)"
    }
  }
}
