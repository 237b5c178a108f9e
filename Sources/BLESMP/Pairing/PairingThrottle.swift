import BLECore

/// The time that each peer must wait before it may pair again (Core 5.4 Vol 3 Part H 2.3.6). After some consecutive failures the wait
/// doubles with each, up to a limit. The owner sets `SecurityManager.blockedUntil`.
///
/// A fixed passkey is one secret for all peers. Each attempt reveals at least one bit of it (2.3.5.6.3), and an attacker has as many
/// addresses as it likes. So all peers that try a fixed passkey share one wait, and every attempt counts unless it succeeds: an attacker
/// has learned the bit before it ends the link.
package struct PairingThrottle: Hashable, Sendable {
  /// The number of failed attempts without a wait, because a user may mistype.
  package var tolerated: Int
  /// The first wait, and the longest.
  package var firstWait: Duration
  package var longestWait: Duration

  /// The attempts by peer; nil for all attempts on the fixed passkey.
  private var attempts: [TypedAddress?: Attempts] = [:]
  /// The peers that are trying the fixed passkey now.
  private var guessing: Set<TypedAddress> = []
  /// The maximum number of stored peers, because an attacker has as many addresses as it likes.
  private static let capacity = 256

  private struct Attempts: Hashable {
    var failures: Int
    var blockedUntil: Instant
    var forgottenAt: Instant
  }

  /// Creates a throttle without any attempts.
  package init(
    tolerated: Int = 2, firstWait: Duration = .seconds(1), longestWait: Duration = .seconds(120)
  ) {
    self.tolerated = max(0, tolerated)
    self.firstWait = firstWait
    self.longestWait = longestWait
  }

  /// Processes an event of a peer's Security Manager. Only events that end an authentication count. `hasFixedPasskey` tells whether this
  /// side's passkey is the same in each pairing.
  package mutating func note(
    _ event: SecurityEvent, of peer: TypedAddress, hasFixedPasskey: Bool = false, at now: Instant
  ) {
    switch event {
    case .pairing(.passkeyEntry, _) where hasFixedPasskey: guessing.insert(peer)
    case .paired: attempts[guessing.remove(peer) == nil ? peer : nil] = nil
    case .failed, .cut, .timedOut:
      let isGuess = guessing.remove(peer) != nil
      if isGuess || event.isFailedAuthentication { fail(isGuess ? nil : peer, at: now) }
    default: break
    }
  }

  /// Returns the end of a peer's wait; nil if it need not wait.
  package func blockedUntil(_ peer: TypedAddress, hasFixedPasskey: Bool = false, at now: Instant) -> Instant? {
    let ends = [attempts[peer], hasFixedPasskey ? attempts[nil] : nil].compactMap { $0?.blockedUntil }
    return ends.max().flatMap { $0 > now ? $0 : nil }
  }

  private mutating func fail(_ peer: TypedAddress?, at now: Instant) {
    attempts = attempts.filter { $0.value.forgottenAt > now }
    if attempts.count >= Self.capacity, attempts[peer] == nil,
      let oldest = attempts.filter({ $0.key != nil }).min(by: { $0.value.forgottenAt < $1.value.forgottenAt })
    {
      attempts[oldest.key] = nil
    }
    let failures = (attempts[peer]?.failures ?? 0) + 1
    let wait = wait(after: failures)
    // After twice that wait the peer starts over.
    attempts[peer] = Attempts(
      failures: failures, blockedUntil: now + wait, forgottenAt: now + wait + longestWait)
  }

  private func wait(after failures: Int) -> Duration {
    guard failures > tolerated else { return .zero }
    var wait = firstWait
    for _ in 1..<max(1, min(failures - tolerated, 64)) where wait < longestWait { wait += wait }
    return min(wait, longestWait)
  }
}

extension SecurityEvent {
  /// Whether it may be a failed attempt to guess a passkey or a key.
  fileprivate var isFailedAuthentication: Bool {
    guard case .failed(let reason, _) = self else { return false }
    switch reason {
    case .passkeyEntryFailed, .confirmValueFailed, .dhKeyCheckFailed, .numericComparisonFailed: return true
    default: return false
    }
  }
}
