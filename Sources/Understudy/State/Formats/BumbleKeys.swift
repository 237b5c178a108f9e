import AccessoryProfile
import BLECore
import BLESMP

/// Bumble's JSON key store: for each own address, as its namespace, an object for each peer's address. Keys and random
/// numbers are hexadecimal digits, least significant octet first; `address_type` is 0 for public and 1 for random.
/// `ltk` is a key of Secure Connections; legacy pairing has one key for each role of the device that stored it.
enum BumbleKeys {
  static let defaultNamespace = "__DEFAULT__"

  static func json(of bonds: [Bond], own: DeviceAddress?) -> ProfileValue {
    var peers: [String: ProfileValue] = [:]
    for bond in bonds { peers[bond.peer.address.description] = json(of: bond) }
    return .object([own?.description ?? defaultNamespace: .object(peers)])
  }

  private static func json(of bond: Bond) -> ProfileValue {
    let isAuthenticated = bond.strength.isAuthenticated
    func key(_ octets: [UInt8]) -> [String: ProfileValue] {
      ["value": .string(octets.hexadecimal), "authenticated": .bool(isAuthenticated)]
    }
    func longTermKey(_ ltk: LongTermKey) -> ProfileValue {
      .object(
        key(ltk.key).merging([
          "ediv": .int(Int64(ltk.diversifier)), "rand": .string(ltk.random.littleEndianOctets.hexadecimal),
        ]) { $1 })
    }
    var fields: [String: ProfileValue] = ["address_type": .int(bond.peer.isRandom ? 1 : 0)]
    if bond.strength.isSecureConnections {
      fields["ltk"] = (bond.keyAsPeripheral ?? bond.keyAsCentral).map { .object(key($0.key)) }
    } else {
      fields["ltk_peripheral"] = bond.keyAsPeripheral.map(longTermKey)
      fields["ltk_central"] = bond.keyAsCentral.map(longTermKey)
    }
    fields["irk"] = bond.identityResolvingKey.map { .object(key($0)) }
    fields["csrk"] = (bond.peerSigning?.key).map { .object(key($0)) }
    fields["link_key"] = bond.linkKey.map { .object(key($0)) }
    fields["link_key_type"] = bond.linkKeyStrength.map { .int(Int64($0.linkKeyType)) }
    return .object(fields)
  }

  /// Reads the bonds of a store, from all its namespaces.
  static func bonds(from value: ProfileValue) throws(ProfileValueError) -> [Bond] {
    guard case .object(let namespaces) = value else {
      throw ProfileValueError("a key store of Bumble is a JSON object")
    }
    var bonds: [Bond] = []
    for (name, namespace) in namespaces.sorted(by: { $0.key < $1.key }) {
      guard case .object(let peers) = namespace else { throw ProfileValueError("\(name) is not an object") }
      for (address, keys) in peers.sorted(by: { $0.key < $1.key }) {
        bonds.append(try bond(address, try FieldReading(keys, place: address)))
      }
    }
    return bonds
  }

  private static func bond(_ name: String, _ reading: FieldReading) throws(ProfileValueError) -> Bond {
    var reading = reading
    // A public address may end with /P.
    let digits = name.hasSuffix("/P") ? String(name.dropLast(2)) : name
    guard let address = DeviceAddress(digits) else { throw ProfileValueError("\(name) is not an address") }
    let isRandom = reading.optional("address_type").map { $0.number == 1 || $0.number == 3 } ?? !name.hasSuffix("/P")
    var (isAuthenticated, isSecure) = (false, false)
    func key(_ name: String) throws(ProfileValueError) -> LongTermKey? {
      guard var fields = try reading.object(name) else { return nil }
      guard let value = try fields.octets("value", count: 16) else {
        throw ProfileValueError("\(name).value is missing")
      }
      if fields.optional("authenticated") == .bool(true) { isAuthenticated = true }
      let random = try fields.octets("rand") ?? []
      let diversifier = UInt16(clamping: Int(fields.optional("ediv")?.number ?? 0))
      return LongTermKey(
        key: value, diversifier: diversifier, random: random.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
    let shared = try key("ltk")
    isSecure = shared != nil
    let asPeripheral = try key("ltk_peripheral")
    let asCentral = try key("ltk_central")
    let irk = try key("irk")
    let csrk = try key("csrk")
    let linkKey = try key("link_key")
    var bond = Bond(
      peer: TypedAddress(address: address, isRandom: isRandom),
      strength: KeyStrength(isAuthenticated: isAuthenticated, isSecureConnections: isSecure, keySize: 16))
    (bond.keyAsPeripheral, bond.keyAsCentral) = (shared ?? asPeripheral, shared ?? asCentral)
    bond.identityResolvingKey = irk?.key
    bond.peerSigning = csrk.map { SigningKey(key: $0.key) }
    bond.linkKey = linkKey?.key
    bond.linkKeyStrength = reading.optional("link_key_type")?.number.flatMap {
      KeyStrength(linkKeyType: UInt8(clamping: Int($0)))
    }.flatMap { $0 == bond.strength ? nil : $0 }
    return bond
  }
}
