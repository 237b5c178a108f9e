import BLECore

/// Advertising data or scan response data: a run of AD structures (Core 5.4 Vol 3 Part C 11).
public struct AdvertisingData: Hashable, Sendable {
  /// The structures, in the order of the wire.
  public var structures: [AdvertisingStructure]

  /// Data of these structures.
  public init(_ structures: [AdvertisingStructure] = []) { self.structures = structures }

  /// The most octets that legacy advertising PDUs carry (Core 5.4 Vol 6 Part B 2.3.1.1).
  public static let legacyLimit = 31
  /// The most octets that any controller takes for an extended set (Core 5.4 Vol 4 Part E 7.8.57).
  public static let extendedLimit = 1650
  /// The most octets of a connectable extended set, whose data must fit AUX_ADV_IND: that PDU has no AuxPtr there, so that no
  /// chain of packets follows (Core 5.4 Vol 6 Part B 2.3.1.6). Of its 255 octets of payload 1 holds the length of the extended
  /// header and the mode, and the header takes 9: its flags 1, AdvA 6, ADI 2 (2.3.4).
  public static let connectableExtendedLimit = 245
  /// The most octets of one structure behind its length octet.
  public static let structureLimit = 255

  /// How many octets all structures take together.
  public var octetCount: Int { structures.reduce(0) { $0 + $1.octetCount } }

  /// The octets, where they are not more than `limit` and no structure is too long.
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

  /// Adds a complete list for each width that occurs among the UUIDs: 16, 32, then 128 bits.
  public mutating func appendServices(_ uuids: [BluetoothUUID], isComplete: Bool = true) {
    for width in AdvertisingStructure.UUIDWidth.allCases {
      let list = uuids.filter { $0.advertisingWidth == width }
      if !list.isEmpty { structures.append(.services(list, width: width, isComplete: isComplete)) }
    }
  }

  /// Every service UUID that a list names, complete or not.
  public var services: [BluetoothUUID] {
    structures.flatMap { structure -> [BluetoothUUID] in
      if case .services(let uuids, _, _) = structure { return uuids }
      return []
    }
  }
}

/// Why structures cannot be sent.
package enum AdvertisingDataError: Error, Hashable, Sendable {
  /// The structures together take more octets than fit; `parts` says what each of them takes.
  case tooLong(octets: Int, limit: Int, parts: [Part])
  /// One structure is longer than its length octet can say.
  case structureTooLong(AdvertisingStructureType, octets: Int)

  /// What one structure takes, with its length and type octets.
  package struct Part: Hashable, Sendable {
    /// Which structure.
    package var type: AdvertisingStructureType
    /// How many octets.
    package var octets: Int

    /// A structure of that size.
    package init(type: AdvertisingStructureType, octets: Int) {
      self.type = type
      self.octets = octets
    }
  }
}

extension AdvertisingDataError: CustomStringConvertible {
  /// What is too long, and what each structure takes.
  package var description: String {
    switch self {
    case .tooLong(let octets, let limit, let parts):
      let list = parts.map { "\($0.type) \($0.octets)" }.joined(separator: ", ")
      return "\(octets) octets where \(limit) fit (\(list))"
    case .structureTooLong(let type, let octets):
      return "\(type) takes \(octets) octets, and a structure holds \(AdvertisingData.structureLimit)"
    }
  }
}
