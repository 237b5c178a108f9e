import AccessoryProfile
import BLECore
import BLELink
import BLESMP

/// How bonds are written for other programs, and read from them. All keys of theirs are those of the device whose file it is: an
/// accessory that takes a file in is that device from then on.
package enum BondFormat: String, Sendable, CaseIterable {
  /// Everything, as the store has it.
  case json
  /// The keys as Wireshark's toolbar of the nRF Sniffer for Bluetooth LE takes them; only written.
  case wireshark
  /// Bumble's JSON key store.
  case bumble
  /// The `info` file that BlueZ has of a device.
  case bluez

  /// The names of all, for messages.
  package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }

  /// The format that a text seems to be in.
  package static func guess(_ octets: [UInt8]) -> BondFormat {
    guard case .object(let fields) = try? ProfileValue(json: octets) else { return .bluez }
    return fields["bonds"] != nil || fields["peer"] != nil ? .json : .bumble
  }

  /// The bonds of the device with that address as a text; keys included. BlueZ has a file for each, so there they stand one behind
  /// the other, each under a comment with the peer's address.
  package func text(of bonds: [BondRecord], own: DeviceAddress?) -> String {
    switch self {
    case .json: ProfileValue.object(["bonds": .array(bonds.map { .object($0.json) })]).indentedJSONText
    case .wireshark: bonds.map { WiresharkKeys.text(of: $0.bond) }.joined(separator: "\n")
    case .bumble: BumbleKeys.json(of: bonds.map(\.bond), own: own).indentedJSONText
    case .bluez: bonds.map { BlueZInfo.text(of: $0) }.joined(separator: "\n")
    }
  }

  /// The bonds of a text; `peer` is whose they are where the format does not say.
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
      // A file of the store, which has two fields of its own and perhaps its check.
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

/// Keys as Wireshark's toolbar of the nRF Sniffer for Bluetooth LE takes them: `0x` and 32 digits, most significant octet first, with
/// the kind of key chosen beside it.
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
