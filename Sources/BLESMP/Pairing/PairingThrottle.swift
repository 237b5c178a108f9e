import BLECore

/// How long each peer has to wait before it may pair again (Core 5.4 Vol 3 Part H 2.3.6): after some failed attempts in a row
/// the wait doubles with each, up to a bound. Whoever holds it sets `SecurityManager.blockedUntil`.
package struct PairingThrottle: Hashable, Sendable {
  /// Failed attempts without a wait: a user may mistype.
  package var tolerated: Int
  /// The first wait, and the longest.
  package var firstWait: Duration
  package var longestWait: Duration

  private var attempts: [PeerIdentity: Attempts] = [:]
  /// Peers that are remembered at most; an attacker has as many addresses as it likes.
  private static let capacity = 256

  private struct Attempts: Hashable {
    var failures: Int
    var blockedUntil: Instant
    var forgottenAt: Instant
  }

  /// A throttle that remembers nobody.
  package init(
    tolerated: Int = 2, firstWait: Duration = .seconds(1), longestWait: Duration = .seconds(120)
  ) {
    self.tolerated = max(0, tolerated)
    self.firstWait = firstWait
    self.longestWait = longestWait
  }

  /// Takes an event of a peer's Security Manager; of all of them those count that end an authentication.
  package mutating func note(_ event: SecurityEvent, of peer: PeerIdentity, at now: Instant) {
    switch event {
    case .paired: attempts[peer] = nil
    case .failed(let reason, _) where reason.isFailedAuthentication: fail(peer, at: now)
    default: break
    }
  }

  /// The end of the wait of a peer; nil when it need not wait.
  package func blockedUntil(_ peer: PeerIdentity, at now: Instant) -> Instant? {
    attempts[peer].map(\.blockedUntil).flatMap { $0 > now ? $0 : nil }
  }

  private mutating func fail(_ peer: PeerIdentity, at now: Instant) {
    attempts = attempts.filter { $0.value.forgottenAt > now }
    if attempts.count >= Self.capacity, attempts[peer] == nil,
      let oldest = attempts.min(by: { $0.value.forgottenAt < $1.value.forgottenAt })
    {
      attempts[oldest.key] = nil
    }
    let failures = (attempts[peer]?.failures ?? 0) + 1
    let wait = wait(after: failures)
    // Somebody who has waited that long twice over may begin anew.
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

extension PairingFailed.Reason {
  /// Whether somebody may have tried a passkey or a key.
  fileprivate var isFailedAuthentication: Bool {
    switch self {
    case .passkeyEntryFailed, .confirmValueFailed, .dhKeyCheckFailed, .numericComparisonFailed: true
    default: false
    }
  }
}
