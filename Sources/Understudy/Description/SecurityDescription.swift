import AccessoryProfile
import BLESMP

extension SecurityDefinition {
  /// The pairing settings for a person; empty if the accessory does not pair.
  var describedLines: [String] {
    guard pairing.isPairable, case .object(let fields) = json, case .string(let way) = fields["pairing"] else {
      return []
    }
    let generation =
      switch pairing.secureConnections {
      case .none: "legacy pairing only"
      case .offered: "LE Secure Connections or legacy pairing"
      case .only: "LE Secure Connections only"
      }
    var lines = [
      "", "Security",
      "  pairs by \(way), \(generation), "
        + "\(pairing.bonds ? "and stores the keys" : "without storing the keys")",
      "  "
        + "\(pairing.requiresAuthentication ? "requires" : pairing.prefersAuthentication ? "requests" : "does not request") "
        + "protection against a man in the middle; keys of \(pairing.keySizes.lowerBound) to "
        + "\(pairing.keySizes.upperBound) octets",
    ]
    if requests != .never { lines.append("  sends a Security Request: \(requests.rawValue)") }
    if let passkey = pairing.fixedPasskey { lines.append("  passkey \(PairingWords.digits(passkey))") }
    if case .array(let faults) = fields["faults"] {
      lines.append("  pairing faults: \(faults.map(\.profileText).joined(separator: "; "))")
    }
    return lines
  }
}
