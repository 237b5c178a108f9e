import BLECore

extension AttributeDatabase {
  /// The input of the Database Hash (Core 5.4 Vol 3 Part G 7.3.1): handle, type and value of the declarations and of Extended Properties,
  /// and handle and type of the other descriptors that GATT defines, in handle order.
  public var hashInput: [UInt8] { hashInput { _ in true } }

  /// The input of the Database Hash of what clients of a transport find.
  package func hashInput(over transport: LinkTransport) -> [UInt8] { hashInput { !isHidden($0, over: transport) } }

  private func hashInput(_ isIncluded: (Int) -> Bool) -> [UInt8] {
    var input: [UInt8] = []
    for (position, attribute) in attributes.enumerated() where isIncluded(position) {
      guard let type = attribute.type.short else { continue }
      switch type {
      case 0x2800...0x2803, 0x2900:
        input += attribute.handle.littleEndianOctets + type.littleEndianOctets + attribute.value
      case 0x2901...0x2905: input += attribute.handle.littleEndianOctets + type.littleEndianOctets
      default: break
      }
    }
    return input
  }

  /// A number that identifies a state of the database in this and in later runs: FNV-1a over the input of the Database Hash, or of both
  /// transports' if they differ.
  public var fingerprint: UInt64 {
    let input = restricted.isEmpty ? hashInput : hashInput(over: .le) + hashInput(over: .classic)
    return input.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

extension GATTServer {
  /// Recomputes the Database Hash, least significant octet first, in the order of values (Core 5.4 Vol 3 Part G 2.4). Returns it, even if
  /// clients cannot read it; empty if it is not computed.
  @discardableResult
  mutating func updateHash() -> [UInt8] {
    hashPosition = database.hostCharacteristic(.databaseHash).flatMap { database.position(of: $0.value) }
    guard let hashFunction else { return [] }
    let hash: [UInt8] = hashFunction(database.hashInput).reversed()
    if let hashPosition { database.store(hash, at: hashPosition) }
    transportHashes = [:]
    if !database.restricted.isEmpty {
      for transport in LinkTransport.allCases {
        transportHashes[transport] = hashFunction(database.hashInput(over: transport)).reversed()
      }
    }
    return hash
  }
}
