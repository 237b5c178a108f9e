import BLESMP

/// A search, which can be done in steps, for the Temporary Key of a legacy pairing on the air. The key is 0 (Just Works) or a passkey of
/// six digits, and is checked against the confirm values (Core 5.4 Vol 3 Part H 2.3.5.5). With out-of-band data it is neither.
struct PasskeySearch: Sendable {
  private let pairing: LegacyPairings.Pairing
  private var tried: UInt32
  /// Whether the key has been found, or no passkey matches.
  private(set) var hasEnded = false

  /// The number of passkeys.
  private static let passkeys: UInt32 = 1_000_000

  /// Creates a search for the key of a pairing whose other values are all known, from a passkey on.
  init(_ pairing: LegacyPairings.Pairing, from passkey: UInt32 = 0) {
    self.pairing = pairing
    tried = passkey
  }

  /// The progress from 0 to 1.
  var progress: Double { Double(tried) / Double(Self.passkeys) }

  /// Tries at most this many more passkeys. Returns the Short Term Key, most significant octet first, if one matches.
  mutating func search(_ count: Int) -> [UInt8]? {
    let end = UInt32(min(Int(Self.passkeys), Int(tried) + min(count, Int(Self.passkeys))))
    while tried < end, !hasEnded {
      let key = (0..<4).map { UInt8(truncatingIfNeeded: tried >> (8 * $0)) } + [UInt8](repeating: 0, count: 12)
      tried += 1
      let confirm = SecurityToolbox.c1(
        key: key, random: pairing.randoms[0], request: pairing.request, response: pairing.response,
        initiator: pairing.initiator, responder: pairing.responder)
      if confirm == pairing.confirms[0] {
        hasEnded = true
        return shortTermKey(key)
      }
    }
    hasEnded = hasEnded || tried == Self.passkeys
    return nil
  }

  private func shortTermKey(_ temporaryKey: [UInt8]) -> [UInt8] {
    let key = SecurityToolbox.s1(key: temporaryKey, r1: pairing.randoms[1], r2: pairing.randoms[0])
    let size = Int(min(pairing.request[4], pairing.response[4]))
    return (key.prefix(size) + [UInt8](repeating: 0, count: max(0, 16 - size))).reversed()
  }
}
