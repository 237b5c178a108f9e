import BLECore
import BLEL2CAP

/// The progress of opening enhanced bearers from this side. It handles collisions: both sides request at once, and each refuses the other for
/// lack of resources (Core 5.4 Vol 3 Part G 5.4).
struct BearerOpening: Sendable {
  /// The minimum time before a peripheral retries.
  static let retryDelay = Duration.milliseconds(100)
  /// The maximum number of retries.
  static let retryLimit = 3

  /// Whether nothing has been requested yet.
  private(set) var isUnused = true
  /// When to retry.
  private(set) var retryAt: Instant?
  /// The channels that are not answered yet.
  private var pending: [ChannelID] = []
  /// The number of channels refused in a collision.
  private var refused = 0
  private var hasRefusedPeer = false
  private var retries = 0

  /// Notes that channels have been requested.
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

  /// Notes that the peer's request was refused with that result.
  mutating func refusedPeer(with result: CreditBasedResult) {
    if result == .noResources, !pending.isEmpty { hasRefusedPeer = true }
  }

  private mutating func conclude(_ id: ChannelID) {
    pending.removeAll { $0 == id }
    if pending.isEmpty { hasRefusedPeer = false }
  }

  /// Returns how many channels to request again now; nil if no retry is due.
  mutating func takeRetry(at now: Instant) -> Int? {
    guard let retryAt, retryAt <= now else { return nil }
    defer { (refused, self.retryAt) = (0, nil) }
    retries += 1
    return refused
  }
}
