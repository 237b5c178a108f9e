import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import Faults

/// A fault as its owner sees it.
public struct FaultState: Hashable, Sendable {
  /// What it is.
  public var fault: Fault
  /// How often its occasion came since it was armed.
  public var seen: Int
  /// How often it happened.
  public var fired: Int
  /// Whether it does not happen any more.
  public var isSpent: Bool
  /// Whether what it is about is not there at the moment.
  public var isMissing: Bool
}

extension HostEngine {
  /// Arms faults, each in the place of one with the same id. `channels` are the PSMs of what channels are opened to, by their ids;
  /// `seed` is for what is likely; `pristine` is the server as it is at the beginning, for an accessory that starts anew.
  public mutating func arm(
    _ faults: [Fault], seed: UInt64 = 0, channels: [String: SPSM] = [:], pristine: GATTServer? = nil, at now: Instant
  ) {
    guard !faults.isEmpty else { return }
    var plan = self.faults ?? FaultPlan(seed: seed, channels: channels)
    if self.faults == nil { for link in links.ids { plan.linkCame(links[link].handle, links[link].details.peer) } }
    plan.learn(channels)
    plan.pristine = plan.pristine ?? pristine
    for fault in faults { plan.arm(fault, in: server.database, at: now) }
    self.faults = plan
  }

  /// Goes on with a server and channels as a host of the same profile had them. To be called before `start`, and before faults are armed.
  package mutating func resume(_ server: GATTServer, channels: [PublishedChannel]) {
    (self.server, publishedChannels) = (server, channels)
  }

  /// Takes back the fault with that id, or all of them; how many that were. What one has begun goes on, but a link of which nothing
  /// was taken is answered again when all are taken back.
  @discardableResult
  public mutating func disarm(_ id: String? = nil) -> Int {
    faults?.disarm(id, in: server.database) ?? 0
  }

  /// The faults that are armed, in the order in which they were.
  public var faultStates: [FaultState] {
    faults?.entries.map {
      FaultState(
        fault: $0.fault, seen: $0.seen, fired: $0.fired, isSpent: $0.isSpent,
        isMissing: $0.watch.isMissing || ($0.condition?.isMissing ?? false))
    } ?? []
  }
}
