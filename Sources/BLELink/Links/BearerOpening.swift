import BLECore
import BLEL2CAP

/// How the enhanced bearers that this side wants are being opened, and what becomes of a collision: both sides ask at once, and each
/// refuses the other for want of resources (Core 5.4 Vol 3 Part G 5.4).
struct BearerOpening: Sendable {
  /// The least time that a peripheral waits before it asks again.
  static let retryDelay = Duration.milliseconds(100)
  /// How often it asks again.
  static let retryLimit = 3

  /// Whether nothing has been asked for yet.
  private(set) var isUnused = true
  /// When it asks again.
  private(set) var retryAt: Instant?
  /// The channels whose answers are awaited.
  private var pending: [ChannelID] = []
  /// How many were refused while the peer's own request was.
  private var refused = 0
  private var hasRefusedPeer = false
  private var retries = 0

  /// Channels have been asked for.
  mutating func begin(_ ids: [ChannelID]) {
    isUnused = false
    pending += ids
  }

  mutating func opened(_ id: ChannelID) { conclude(id) }

  mutating func closed(_ id: ChannelID, _ closure: ChannelClosure, retryAt: Instant) {
    guard pending.contains(id) else { return }
    if closure == .refused(.result(.noResources)), hasRefusedPeer, retries < Self.retryLimit {
      refused += 1
      self.retryAt = retryAt
    }
    conclude(id)
  }

  /// The peer's request was refused with that result.
  mutating func refusedPeer(with result: CreditBasedResult) {
    if result == .noResources, !pending.isEmpty { hasRefusedPeer = true }
  }

  private mutating func conclude(_ id: ChannelID) {
    pending.removeAll { $0 == id }
    if pending.isEmpty { hasRefusedPeer = false }
  }

  /// How many are to be asked for again now; nil when nothing is due.
  mutating func takeRetry(at now: Instant) -> Int? {
    guard let retryAt, retryAt <= now else { return nil }
    defer { (refused, self.retryAt) = (0, nil) }
    retries += 1
    return refused
  }
}
