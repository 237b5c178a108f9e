import BLECore
import BLESMP

/// The words that profiles, events and the control API have for what pairing is made of.
package enum PairingWords {
  /// What a device can show and be told (Core 5.4 Vol 3 Part H 2.3.2); nil for one that does not pair.
  static let capabilities: [(word: String, capability: IOCapability?)] = [
    ("none", nil), ("just-works", .noInputNoOutput), ("display", .displayOnly), ("compare", .displayYesNo),
    ("keyboard", .keyboardOnly), ("keyboard-display", .keyboardDisplay),
  ]

  static let keys: [(word: String, kind: KeyKinds)] = [
    ("encryption", .encryption), ("identity", .identity), ("signing", .signing), ("link", .link),
  ]

  /// Core 5.4 Vol 3 Part H 3.3, those that a peripheral sends while it pairs.
  static let packets: [(word: String, code: SMPCode)] = [
    ("security-request", 0x0B), ("pairing-response", 0x02), ("pairing-public-key", 0x0C), ("pairing-confirm", 0x03),
    ("pairing-random", 0x04), ("pairing-dhkey-check", 0x0D), ("pairing-keypress-notification", 0x0E),
    ("encryption-information", 0x06), ("central-identification", 0x07), ("identity-information", 0x08),
    ("identity-address-information", 0x09), ("signing-information", 0x0A),
  ].map { ($0.0, SMPCode(rawValue: $0.1)) }

  /// Core 5.4 Vol 3 Part H 3.5.5
  static let reasons: [(word: String, reason: PairingFailed.Reason)] = [
    "passkey-entry-failed", "oob-not-available", "authentication-requirements", "confirm-value-failed",
    "pairing-not-supported", "encryption-key-size", "command-not-supported", "unspecified-reason", "repeated-attempts",
    "invalid-parameters", "dhkey-check-failed", "numeric-comparison-failed", "br-edr-pairing-in-progress",
    "ct-key-derivation-not-allowed", "key-rejected", "busy",
  ].enumerated().map { ($1, PairingFailed.Reason(rawValue: UInt8(truncatingIfNeeded: $0 + 1))) }

  /// What the user who types a passkey does (Core 5.4 Vol 3 Part H 3.5.8).
  static let keypresses: [(word: String, key: Keypress)] = [
    ("started", .entryStarted), ("entered", .digitEntered), ("erased", .digitErased), ("cleared", .cleared),
    ("completed", .entryCompleted),
  ]

  /// The word for a key; its number as `0x05` when it has none.
  package static func word(for key: Keypress) -> String {
    keypresses.first { $0.key == key }?.word ?? "0x\([key.rawValue].hexadecimal)"
  }

  /// The key that a word means; nil for none.
  package static func keypress(_ word: String) -> Keypress? { keypresses.first { $0.word == word }?.key }

  /// The words for keys.
  package static var keypressWords: [String] { keypresses.map(\.word) }

  /// Faults that need no packet.
  static let plainFaults = ["wrong-passkey", "wrong-key", "only-just-works"]

  /// What can be done wrong with a packet, beside failing.
  static let misdeeds = ["fall-silent", "corrupt"]

  /// The reason of a Pairing Failed, such as `confirm-value-failed`; its number as `0x99` when it has no name.
  package static func word(for reason: PairingFailed.Reason) -> String {
    reasons.first { $0.reason == reason }?.word ?? "0x\([reason.rawValue].hexadecimal)"
  }

  /// Six digits, as a display shows them (Core 5.4 Vol 3 Part H 2.3.5.3).
  package static func digits(_ number: UInt32) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, 6 - text.count)) + text
  }
}

extension SecureConnectionsSupport {
  /// As profiles say it.
  static let words = ["none", "offered", "only"]
}
