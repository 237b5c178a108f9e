import AccessoryProfile
import BLECore
import BLELink
import BLESMP

/// The `info` file that BlueZ stores for a device (its doc/settings-storage.txt): groups in brackets with `Key=Value` lines.
/// Keys are hexadecimal digits in transmission order; `Rand` and `EDiv` are decimal. `Authenticated` of a Long Term Key is 0
/// or 1 for legacy keys without and with authentication, 2 or 3 for those of Secure Connections, and 4 for debug keys.
enum BlueZInfo {
  static func text(of record: BondRecord) -> String {
    let bond = record.bond
    var lines = [
      "# /var/lib/bluetooth/OWN-ADDRESS/\(bond.peer.address)/info", "[General]",
      "Name=\(record.name ?? "\(bond.peer.address)")", "AddressType=\(bond.peer.isRandom ? "static" : "public")",
      "SupportedTechnologies=LE;", "Trusted=false", "Blocked=false",
    ]
    func group(_ name: String, _ fields: (String, String)...) {
      lines += ["", "[\(name)]"] + fields.map { "\($0.0)=\($0.1)" }
    }
    let grade = (bond.strength.isSecureConnections ? 2 : 0) + (bond.strength.isAuthenticated ? 1 : 0)
    for (name, ltk) in [("LongTermKey", bond.keyAsCentral), ("PeripheralLongTermKey", bond.keyAsPeripheral)] {
      guard let ltk else { continue }
      group(
        name, ("Key", digits(ltk.key)), ("Authenticated", "\(grade)"), ("EncSize", "\(bond.strength.keySize)"),
        ("EDiv", "\(ltk.diversifier)"), ("Rand", "\(ltk.random)"))
    }
    if let key = bond.identityResolvingKey { group("IdentityResolvingKey", ("Key", digits(key))) }
    for (name, key) in [("LocalSignatureKey", bond.ownSigning), ("RemoteSignatureKey", bond.peerSigning)] {
      guard let key else { continue }
      group(
        name, ("Key", digits(key.key)), ("Counter", "\(key.counter)"),
        ("Authenticated", "\(bond.strength.isAuthenticated)"))
    }
    if let key = bond.linkKey {
      let type = (bond.linkKeyStrength ?? bond.strength).linkKeyType
      group("LinkKey", ("Key", digits(key)), ("Type", "\(type)"), ("PINLength", "0"))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func digits(_ key: [UInt8]) -> String { key.uppercaseHexadecimal }

  /// Reads the bonds of one file, or of several files in sequence as `text` writes them. The comment before
  /// each gives the address of its peer, which in BlueZ appears only in the file's path.
  static func bonds(from text: String, peer: DeviceAddress?) throws(ProfileValueError) -> [BondRecord] {
    var records: [BondRecord] = []
    var (address, group) = (peer, "")
    var groups: [String: [String: String]] = [:]
    func finish() throws(ProfileValueError) {
      guard !groups.isEmpty else { return }
      guard let address else {
        throw ProfileValueError(
          "an info file does not name its peer: give the peer's address, which is the name of the file's folder")
      }
      records.append(try record(of: groups, address))
      groups = [:]
    }
    for line in text.split(whereSeparator: \.isNewline).map({ $0.trimmed }) {
      if line.hasPrefix("#") {
        guard let named = line.split(separator: "/").lazy.compactMap({ DeviceAddress($0) }).last else { continue }
        try finish()
        address = named
      } else if line.hasPrefix("["), line.hasSuffix("]") {
        group = String(line.dropFirst().dropLast())
        groups[group] = groups[group] ?? [:]
      } else if let equals = line.firstIndex(of: "=") {
        groups[group, default: [:]][line[..<equals].trimmed] = line[line.index(after: equals)...].trimmed
      }
    }
    try finish()
    guard !records.isEmpty else { throw ProfileValueError("it contains no bond") }
    return records
  }

  private static func record(
    of groups: [String: [String: String]], _ address: DeviceAddress
  ) throws(ProfileValueError) -> BondRecord {
    func key(_ group: String) throws(ProfileValueError) -> [UInt8]? {
      guard let text = groups[group]?["Key"] else { return nil }
      let digits = text.hasPrefix("0x") ? text.dropFirst(2) : text[...]
      guard let key = [UInt8](hexadecimal: digits), key.count == 16 else {
        throw ProfileValueError("[\(group)] Key is not 32 hexadecimal digits")
      }
      return key
    }
    func number<Number: FixedWidthInteger>(_ group: String, _ name: String) throws(ProfileValueError) -> Number {
      guard let text = groups[group]?[name] else { return 0 }
      guard let number = Number(text) else {
        throw ProfileValueError("[\(group)] \(name) is not a number within its range")
      }
      return number
    }
    func longTermKey(_ group: String) throws(ProfileValueError) -> LongTermKey? {
      guard let octets = try key(group) else { return nil }
      return LongTermKey(key: octets, diversifier: try number(group, "EDiv"), random: try number(group, "Rand"))
    }
    func signingKey(_ group: String) throws(ProfileValueError) -> SigningKey? {
      guard let octets = try key(group) else { return nil }
      return SigningKey(key: octets, counter: try number(group, "Counter"))
    }
    let ofPeripheral = groups["PeripheralLongTermKey"] == nil ? "SlaveLongTermKey" : "PeripheralLongTermKey"
    let group = groups["LongTermKey"] == nil ? ofPeripheral : "LongTermKey"
    let grade: Int = try number(group, "Authenticated")
    let size: Int = try number(group, "EncSize")
    let strength = KeyStrength(
      isAuthenticated: grade == 1 || grade == 3, isSecureConnections: grade >= 2, keySize: 7...16 ~= size ? size : 16)
    let isRandom = groups["General"]?["AddressType"] != "public"
    var bond = Bond(peer: TypedAddress(address: address, isRandom: isRandom), strength: strength)
    bond.keyAsCentral = try longTermKey("LongTermKey")
    bond.keyAsPeripheral = try longTermKey(ofPeripheral)
    if strength.isSecureConnections {
      // One key serves both roles.
      bond.keyAsCentral = bond.keyAsCentral ?? bond.keyAsPeripheral
      bond.keyAsPeripheral = bond.keyAsPeripheral ?? bond.keyAsCentral
    }
    bond.identityResolvingKey = try key("IdentityResolvingKey")
    bond.ownSigning = try signingKey("LocalSignatureKey")
    bond.peerSigning = try signingKey("RemoteSignatureKey")
    bond.linkKey = try key("LinkKey")
    let linkKeyType = groups["LinkKey"]?["Type"].flatMap { UInt8($0) }
    bond.linkKeyStrength = linkKeyType.flatMap { KeyStrength(linkKeyType: $0) }.flatMap { $0 == strength ? nil : $0 }
    return BondRecord(bond: bond, name: groups["General"]?["Name"])
  }
}

extension StringProtocol {
  /// The text without surrounding blanks.
  fileprivate var trimmed: String {
    let blank = { (character: Character) in character == " " || character == "\t" }
    return String(drop(while: blank).reversed().drop(while: blank).reversed())
  }
}
