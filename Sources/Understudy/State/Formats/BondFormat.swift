import AccessoryProfile
import BLECore
import BLELink
import BLESMP

/// The formats in which bonds are exported for other programs and imported from them. Keys in a file are
/// those of the device that stored it: an accessory that imports the file takes that device's place.
package enum BondFormat: String, Sendable, CaseIterable {
  /// Everything, as in the store.
  case json
  /// The keys for Wireshark's toolbar of the nRF Sniffer for Bluetooth LE. Export only.
  case wireshark
  /// Bumble's JSON key store.
  case bumble
  /// The `info` file that BlueZ stores for a device.
  case bluez

  /// The names of all formats, for messages.
  package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// Guesses the format of a text.
  package static func guess(_ octets: [UInt8]) -> BondFormat {
    guard case .object(let fields) = try? ProfileValue(json: octets) else { return .bluez }
    return fields["bonds"] != nil || fields["peer"] != nil ? .json : .bumble
  }

  /// Returns the bonds as a text, including keys. `own` is this device's address. BlueZ has a file for each
  /// bond, so for it the files are concatenated, each after a comment with the peer's address.
  package func text(of bonds: [BondRecord], own: DeviceAddress?) -> String {
    switch self {
    case .json: ProfileValue.object(["bonds": .array(bonds.map { .object($0.json) })]).indentedJSONText
    case .wireshark: bonds.map { WiresharkKeys.text(of: $0.bond) }.joined(separator: "\n")
    case .bumble: BumbleKeys.json(of: bonds.map(\.bond), own: own).indentedJSONText
    case .bluez: bonds.map { BlueZInfo.text(of: $0) }.joined(separator: "\n")
    }
  }

  /// Reads bonds from a text. `peer` is their peer, for formats that do not name it.
  package func bonds(from octets: [UInt8], peer: DeviceAddress?) throws(ProfileValueError) -> [BondRecord] {
    switch self {
    case .json: try Self.json(try ProfileValue(json: octets))
    case .bumble: try BumbleKeys.bonds(from: try ProfileValue(json: octets)).map { BondRecord(bond: $0) }
    case .bluez:
      try BlueZInfo.bonds(from: String(decoding: octets, as: UTF8.self), peer: peer)
    case .wireshark: throw ProfileValueError("keys for Wireshark do not name their peers, so they cannot be imported")
    }
  }

  private static func json(_ value: ProfileValue) throws(ProfileValueError) -> [BondRecord] {
    guard case .object(var fields) = value else { throw ProfileValueError("expected a JSON object") }
    guard let bonds = fields["bonds"] else {
      // A file of the store. It has two more fields, and optionally its check.
      for name in ["kind", "version", "check"] { fields[name] = nil }
      return [try BondRecord(json: fields)]
    }
    guard case .array(let elements) = bonds else { throw ProfileValueError("bonds is not a list") }
    return try elements.map { element throws(ProfileValueError) in
      guard case .object(let fields) = element else {
        throw ProfileValueError("bonds has an element that is not an object")
      }
      return try BondRecord(json: fields)
    }
  }
}

/// The keys for Wireshark's toolbar of the nRF Sniffer for Bluetooth LE: `0x` and 32 digits, most significant
/// octet first. The kind of key is selected next to it.
enum WiresharkKeys {
  static func text(of bond: Bond) -> String {
    let kind = bond.strength.isSecureConnections ? "SC LTK" : "Legacy LTK"
    var lines = ["# \(bond.peer.address) (\(bond.peer.typeText))"]
    var keys: [[UInt8]] = []
    for key in [bond.keyAsPeripheral?.key, bond.keyAsCentral?.key] {
      if let key, !keys.contains(key) { keys.append(key) }
    }
    for key in keys { lines += ["# \(kind)", digits(key)] }
    if let key = bond.identityResolvingKey { lines += ["# IRK", digits(key)] }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func digits(_ key: [UInt8]) -> String { "0x\(key.reversed().hexadecimal)" }
}
