import BLECore
import BLESMP

/// The keywords for pairing in profiles, events and the control API.
package enum PairingWords {
  /// The IO capabilities of a device (Core 5.4 Vol 3 Part H 2.3.2); nil for a device that does not pair.
  package static let capabilities: [(word: String, capability: IOCapability?)] = [
    ("none", nil), ("just-works", .noInputNoOutput), ("display", .displayOnly), ("compare", .displayYesNo),
    ("keyboard", .keyboardOnly), ("keyboard-display", .keyboardDisplay),
  ]

  static let keys: [(word: String, kind: KeyKinds)] = [
    ("encryption", .encryption), ("identity", .identity), ("signing", .signing), ("link", .link),
  ]

  /// The packets that a peripheral sends during pairing (Core 5.4 Vol 3 Part H 3.3).
  static let packets: [(word: String, code: SMPCode)] = [
    ("security-request", 0x0B), ("pairing-response", 0x02), ("pairing-public-key", 0x0C), ("pairing-confirm", 0x03),
    ("pairing-random", 0x04), ("pairing-dhkey-check", 0x0D), ("pairing-keypress-notification", 0x0E),
    ("encryption-information", 0x06), ("central-identification", 0x07), ("identity-information", 0x08),
    ("identity-address-information", 0x09), ("signing-information", 0x0A),
  ].map { ($0.0, SMPCode(rawValue: $0.1)) }

  /// The reasons of Pairing Failed (Core 5.4 Vol 3 Part H 3.5.5).
  static let reasons: [(word: String, reason: PairingFailed.Reason)] = [
    "passkey-entry-failed", "oob-not-available", "authentication-requirements", "confirm-value-failed",
    "pairing-not-supported", "encryption-key-size", "command-not-supported", "unspecified-reason", "repeated-attempts",
    "invalid-parameters", "dhkey-check-failed", "numeric-comparison-failed", "br-edr-pairing-in-progress",
    "ct-key-derivation-not-allowed", "key-rejected", "busy",
  ].enumerated().map { ($1, PairingFailed.Reason(rawValue: UInt8(truncatingIfNeeded: $0 + 1))) }

  /// The notification types for a passkey entry (Core 5.4 Vol 3 Part H 3.5.8).
  static let keypresses: [(word: String, key: Keypress)] = [
    ("started", .entryStarted), ("entered", .digitEntered), ("erased", .digitErased), ("cleared", .cleared),
    ("completed", .entryCompleted),
  ]

  /// Returns the keyword for a keypress, or its number, as in `0x05`, if it has none.
  package static func word(for key: Keypress) -> String {
    keypresses.first { $0.key == key }?.word ?? "0x\([key.rawValue].hexadecimal)"
  }

  /// Returns the keypress for a keyword; nil for other words.
  package static func keypress(_ word: String) -> Keypress? { keypresses.first { $0.word == word }?.key }

  /// The keywords for keypresses.
  package static var keypressWords: [String] { keypresses.map(\.word) }

  /// The faults that are not related to a packet.
  static let plainFaults = ["wrong-passkey", "wrong-key", "only-just-works"]

  /// The faults of a packet, apart from failing.
  static let misdeeds = ["fall-silent", "corrupt"]

  /// Returns the keyword for the reason of a Pairing Failed, such as `confirm-value-failed`, or its number, as in `0x99`, if it has none.
  package static func word(for reason: PairingFailed.Reason) -> String {
    reasons.first { $0.reason == reason }?.word ?? "0x\([reason.rawValue].hexadecimal)"
  }

  /// Returns six digits, as displayed to the user (Core 5.4 Vol 3 Part H 2.3.5.3).
  package static func digits(_ number: UInt32) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, 6 - text.count)) + text
  }
}

extension SecureConnectionsSupport {
  /// The keywords in profiles.
  static let words = ["none", "offered", "only"]
}
