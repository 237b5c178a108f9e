import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import BLESMP

/// A bond as JSON, for the store and the control API. Keys and numbers of eight octets are hexadecimal digits
/// in transmission order, least significant octet first.
extension BondRecord {
  /// The bond without its keys, of which only the names are listed.
  package var publicJSON: [String: ProfileValue] {
    var fields = json
    let names = Self.secrets.filter { fields.removeValue(forKey: $0) != nil }
    fields["link_key_type"] = nil
    fields["keys"] = .array(names.map { .string($0) })
    fields["id"] = .string(peer.bondID)
    return fields
  }

  private static let secrets = [
    "irk", "key_as_central", "key_as_peripheral", "link_key", "own_signing", "peer_signing",
  ]

  /// The whole bond.
  package var json: [String: ProfileValue] {
    var fields: [String: ProfileValue] = [
      "peer": .string(bond.peer.address.description), "peer_type": .string(bond.peer.typeText),
      "authenticated": .bool(bond.strength.isAuthenticated),
      "secure_connections": .bool(bond.strength.isSecureConnections), "key_size": .int(Int64(bond.strength.keySize)),
      "gatt": gatt.json,
    ]
    if !values.isEmpty { fields["values"] = .object(values.mapValues { .string($0.hexadecimal) }) }
    fields["name"] = name.map { .string($0) }
    if usesPrivateAddress { fields["private_address"] = .bool(true) }
    if let resolvesAddresses { fields["resolves_addresses"] = .bool(resolvesAddresses) }
    if recency > 0 { fields["recency"] = .int(Int64(recency)) }
    fields["key_as_peripheral"] = bond.keyAsPeripheral?.json
    fields["key_as_central"] = bond.keyAsCentral?.json
    fields["irk"] = bond.identityResolvingKey.map { .string($0.hexadecimal) }
    fields["own_signing"] = bond.ownSigning?.json
    fields["peer_signing"] = bond.peerSigning?.json
    fields["link_key"] = bond.linkKey.map { .string($0.hexadecimal) }
    fields["link_key_type"] = bond.linkKeyStrength.map { .int(Int64($0.linkKeyType)) }
    return fields
  }

  /// Reads a bond from such fields.
  package init(json fields: [String: ProfileValue]) throws(ProfileValueError) {
    var reading = FieldReading(fields)
    guard let address = try reading.address("peer") else { throw ProfileValueError("peer is missing") }
    let type = try reading.text("peer_type")
    guard let type, let isRandom = TypedAddress.isRandom(type) else {
      throw ProfileValueError("peer_type is not public or random")
    }
    let strength = KeyStrength(
      isAuthenticated: try reading.truth("authenticated"), isSecureConnections: try reading.truth("secure_connections"),
      keySize: Int(try reading.integer("key_size", in: 7...16)))
    var bond = Bond(peer: TypedAddress(address: address, isRandom: isRandom), strength: strength)
    bond.keyAsPeripheral = try LongTermKey.read("key_as_peripheral", of: &reading)
    bond.keyAsCentral = try LongTermKey.read("key_as_central", of: &reading)
    bond.identityResolvingKey = try reading.octets("irk", count: 16)
    bond.ownSigning = try SigningKey.read("own_signing", of: &reading)
    bond.peerSigning = try SigningKey.read("peer_signing", of: &reading)
    bond.linkKey = try reading.octets("link_key", count: 16)
    if reading.has("link_key_type") {
      bond.linkKeyStrength = KeyStrength(linkKeyType: UInt8(try reading.integer("link_key_type", in: 0...8)))
    }
    let gatt = try reading.object("gatt").map { reading throws(ProfileValueError) in try GATTBondState(reading) }
    self.init(bond: bond, gatt: gatt ?? GATTBondState(), name: try reading.text("name"))
    // Records that older versions have written lack these fields.
    if var fields = try reading.object("values") {
      values = try fields.rest { fields, name throws(ProfileValueError) in try fields.octets(name) }
    }
    if reading.has("private_address") { usesPrivateAddress = try reading.truth("private_address") }
    if reading.has("resolves_addresses") { resolvesAddresses = try reading.truth("resolves_addresses") }
    if reading.has("recency") { recency = UInt32(clamping: try reading.integer("recency", in: 0...Int64(UInt32.max))) }
    try reading.finish()
  }
}

extension TypedAddress {
  /// `public` or `random`.
  package var typeText: String { isRandom ? "random" : "public" }

  /// The bond's id on the command line and in the control API.
  package var bondID: String { "\(address)-\(typeText)" }

  static func isRandom(_ text: String) -> Bool? {
    switch text {
    case "public": false
    case "random": true
    default: nil
    }
  }

  /// The name of the bond's file.
  var fileName: String { "\(address.littleEndianOctets.reversed().hexadecimal)-\(typeText).json" }
}

extension LongTermKey {
  fileprivate var json: ProfileValue {
    .object([
      "key": .string(key.hexadecimal), "ediv": .int(Int64(diversifier)),
      "rand": .string(random.littleEndianOctets.hexadecimal),
    ])
  }

  fileprivate static func read(_ name: String, of reading: inout FieldReading) throws(ProfileValueError) -> LongTermKey?
  {
    guard var fields = try reading.object(name) else { return nil }
    guard let key = try fields.octets("key", count: 16) else { throw ProfileValueError("\(name).key is missing") }
    let diversifier = UInt16(clamping: try fields.integer("ediv", in: 0...0xFFFF))
    let random = try fields.number("rand")
    try fields.finish()
    return LongTermKey(key: key, diversifier: diversifier, random: random)
  }
}

extension SigningKey {
  fileprivate var json: ProfileValue {
    .object(["key": .string(key.hexadecimal), "counter": .int(Int64(counter))])
  }

  fileprivate static func read(_ name: String, of reading: inout FieldReading) throws(ProfileValueError) -> SigningKey?
  {
    guard var fields = try reading.object(name) else { return nil }
    guard let key = try fields.octets("key", count: 16) else { throw ProfileValueError("\(name).key is missing") }
    let counter = UInt32(clamping: try fields.integer("counter", in: 0...Int64(UInt32.max)))
    try fields.finish()
    return SigningKey(key: key, counter: counter)
  }
}

extension GATTBondState {
  fileprivate var json: ProfileValue {
    .object([
      "subscriptions": .object(configurations.mapValues { .int(Int64($0)) }), "features": .int(Int64(features)),
      "change_aware": .bool(isChangeAware), "database": .string(databaseFingerprint.littleEndianOctets.hexadecimal),
      "unreported": .array(unreportedChange.map { .int(Int64($0)) }),
    ])
  }

  fileprivate init(_ reading: FieldReading) throws(ProfileValueError) {
    self.init()
    var reading = reading
    if var subscriptions = try reading.object("subscriptions") {
      configurations = try subscriptions.rest { fields, name throws(ProfileValueError) in
        UInt16(clamping: try fields.integer(name, in: 0...0xFFFF))
      }
    }
    features = UInt8(clamping: try reading.integer("features", in: 0...0xFF))
    isChangeAware = try reading.truth("change_aware")
    databaseFingerprint = try reading.number("database")
    unreportedChange = try reading.list("unreported").map { value throws(ProfileValueError) in
      guard case .int(let handle) = value, let handle = UInt16(exactly: handle) else {
        throw ProfileValueError("gatt.unreported is not two handles")
      }
      return handle
    }
    try reading.finish()
  }
}
