import BLECore

extension AttributeDatabase {
  /// What the Database Hash is computed over (Core 5.4 Vol 3 Part G 7.3.1): handle, type and value of the declarations and of
  /// Extended Properties, handle and type of the other descriptors that GATT defines, in the order of handles.
  public var hashInput: [UInt8] {
    var input: [UInt8] = []
    for attribute in attributes {
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

  /// A number by which two states of a database are told apart, in this run and in a later one: FNV-1a over what the Database
  /// Hash is computed over.
  public var fingerprint: UInt64 {
    hashInput.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

extension GATTServer {
  /// Computes the Database Hash anew, least significant octet first, as values are sent (Core 5.4 Vol 3 Part G 2.4). Returns it,
  /// also where clients cannot read it; empty when nobody computes it.
  @discardableResult
  mutating func updateHash() -> [UInt8] {
    hashPosition = database.hostCharacteristic(.databaseHash).flatMap { database.position(of: $0.value) }
    guard let hashFunction else { return [] }
    let hash: [UInt8] = hashFunction(database.hashInput).reversed()
    if let hashPosition { database.store(hash, at: hashPosition) }
    return hash
  }
}
