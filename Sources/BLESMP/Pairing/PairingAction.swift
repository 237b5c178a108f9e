import BLECore

/// What a step of a pairing leads to; the Security Manager does it.
enum PairingAction {
  case send(any SMPPacket)
  case ask(PairingQuestion)
  case endQuestion
  case pressed(Keypress)
  case fail(PairingFailed.Reason)
  /// Phase 2 is over: the key encrypts the link.
  case agree(SharedKey)
  /// Phase 3 is over.
  case complete(Bond)
}

/// The key that phase 2 leads to: the Short Term Key, or the Long Term Key of Secure Connections.
struct SharedKey: Sendable {
  /// As both sides computed it, 16 octets.
  var whole: [UInt8]
  /// Shortened to the size agreed on (Core 5.4 Vol 3 Part H 2.3.4).
  var key: [UInt8]

  init(_ whole: [UInt8], size: Int) {
    self.whole = whole
    key = whole.masked(to: size)
  }
}

extension [UInt8] {
  /// The key with all but its `size` least significant octets cleared (2.3.4).
  func masked(to size: Int) -> [UInt8] { prefix(size) + [UInt8](repeating: 0, count: Swift.max(0, count - size)) }
}

/// A passkey, and how users give it (Core 5.4 Vol 3 Part H 2.3.5.3).
enum Passkey {
  static let range: ClosedRange<UInt32> = 0...999_999

  /// The passkey as a key or a random value of 128 bits.
  static func expanded(_ passkey: UInt32) -> [UInt8] { passkey.littleEndianOctets + [UInt8](repeating: 0, count: 12) }

  /// What the one who shows it shows, and it is then asked by; a side that types learns it later.
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

  /// What a typed passkey leads to before the pairing goes on.
  static func typed(_ terms: PairingTerms) -> [PairingAction] {
    terms.hasKeypresses ? terms.policy.typedKeys.map(send) : []
  }

  /// The passkey that is computed with: another one, when that is the fault.
  static func used(_ passkey: UInt32, _ policy: PairingPolicy) -> UInt32 {
    policy.faults.contains(.wrongPasskey) ? (passkey &+ 1) % 1_000_000 : passkey
  }

  private static func send(_ keypress: Keypress) -> PairingAction { .send(PairingKeypressNotification(keypress)) }
}

extension PairingTerms {
  /// What a keypress notification leads to: only a peer that types a passkey sends any.
  func receive(_ keypress: Keypress) -> [PairingAction] {
    switch model {
    case .passkeyEntry(.peer), .passkeyEntry(.both): [.pressed(keypress)]
    default: [.fail(.unspecifiedReason)]
    }
  }
}
