import BLECore

/// An action that results from a pairing step. The Security Manager performs it.
enum PairingAction {
  case send(any SMPPacket)
  case ask(PairingQuestion)
  case endQuestion
  case pressed(Keypress)
  case fail(PairingFailed.Reason)
  /// Phase 2 is complete: the key encrypts the link.
  case agree(SharedKey)
  /// Phase 3 is complete.
  case complete(Bond)
}

/// The key from phase 2: the Short Term Key, or the Long Term Key of Secure Connections.
struct SharedKey: Sendable {
  /// The key as both sides computed it, 16 octets.
  var whole: [UInt8]
  /// The key shortened to the agreed size (Core 5.4 Vol 3 Part H 2.3.4).
  var key: [UInt8]

  init(_ whole: [UInt8], size: Int) {
    self.whole = whole
    key = whole.masked(to: size)
  }
}

extension [UInt8] {
  /// Returns the key with all but its `size` least significant octets cleared (2.3.4).
  func masked(to size: Int) -> [UInt8] { prefix(size) + [UInt8](repeating: 0, count: Swift.max(0, count - size)) }
}

/// A passkey and its entry (Core 5.4 Vol 3 Part H 2.3.5.3).
enum Passkey {
  static let range: ClosedRange<UInt32> = 0...999_999

  /// Returns the passkey as a key or random value of 128 bits.
  static func expanded(_ passkey: UInt32) -> [UInt8] { passkey.littleEndianOctets + [UInt8](repeating: 0, count: 12) }

  /// Starts the entry: creates and displays the passkey, or asks for it. A side that types learns it later.
  static func begin(
    _ model: AssociationModel, _ terms: PairingTerms, random: inout some RandomNumberGenerator
  ) -> (passkey: UInt32?, actions: [PairingAction]) {
    guard case .passkeyEntry(let typist) = model else { return (nil, []) }
    guard typist == .peer else {
      return (nil, [.ask(.passkey)] + (terms.hasKeypresses ? [send(.entryStarted)] : []))
    }
    let passkey = terms.policy.fixedPasskey.map { $0 % 1_000_000 } ?? UInt32.random(in: range, using: &random)
    return (used(passkey, terms.policy), [.ask(.display(passkey))])
  }

  /// Returns the actions after a passkey was typed, before the pairing continues.
  static func typed(_ terms: PairingTerms) -> [PairingAction] {
    terms.hasKeypresses ? terms.policy.typedKeys.map(send) : []
  }

  /// Returns the passkey for the computation: a wrong one if that fault is set.
  static func used(_ passkey: UInt32, _ policy: PairingPolicy) -> UInt32 {
    policy.faults.contains(.wrongPasskey) ? (passkey &+ 1) % 1_000_000 : passkey
  }

  private static func send(_ keypress: Keypress) -> PairingAction { .send(PairingKeypressNotification(keypress)) }
}

extension PairingTerms {
  /// Returns the actions after a keypress notification. Only a peer that types a passkey sends them.
  func receive(_ keypress: Keypress) -> [PairingAction] {
    switch model {
    case .passkeyEntry(.peer), .passkeyEntry(.both): [.pressed(keypress)]
    default: [.fail(.unspecifiedReason)]
    }
  }
}
