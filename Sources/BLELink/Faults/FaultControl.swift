import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import Faults

/// The state of an armed fault.
public struct FaultState: Hashable, Sendable {
  /// The fault.
  public var fault: Fault
  /// The number of occasions since it was armed.
  public var seen: Int
  /// The number of times it has fired.
  public var fired: Int
  /// Whether it cannot fire again.
  public var isSpent: Bool
  /// Whether what it refers to does not exist at the moment.
  public var isMissing: Bool
}

extension HostEngine {
  /// Arms faults, each replacing one with the same id. `channels` maps channel ids to PSMs; `seed` is for probabilities; `pristine` is
  /// the server's initial state, to which a reboot returns.
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

  /// Continues with the server and channels of an earlier host of the same profile. Call it before `start` and before arming faults.
  package mutating func resume(_ server: GATTServer, channels: [PublishedChannel]) {
    (self.server, publishedChannels) = (server, channels)
  }

  /// Disarms the fault with that id, or all; returns how many. Deferred tasks are still executed. Disarming all faults also ends the muting of
  /// links.
  @discardableResult
  public mutating func disarm(_ id: String? = nil) -> Int {
    faults?.disarm(id, in: server.database) ?? 0
  }

  /// The armed faults, in the order of arming.
  public var faultStates: [FaultState] {
    faults?.entries.map {
      FaultState(
        fault: $0.fault, seen: $0.seen, fired: $0.fired, isSpent: $0.isSpent,
        isMissing: $0.watch.isMissing || ($0.condition?.isMissing ?? false))
    } ?? []
  }
}
