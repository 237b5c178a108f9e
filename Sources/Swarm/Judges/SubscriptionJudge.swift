import BLECore
import BLEGATT
import BLEHCI
import BLELink
import Simulation
import UnderstudyTesting

/// A subscription is as its client last wrote it: on this link, or on earlier links once the link is encrypted with the
/// bond's key (Core 5.4 Vol 3 Part G 3.3.3.3). The late end of an earlier link changes nothing.
struct SubscriptionJudge: Judge {
  /// The subscriptions that a central has written.
  fileprivate struct Known {
    /// The values that it has written on the current link, by handle.
    var here: [UInt16: [UInt8]] = [:]
    /// The values that it has written on earlier encrypted links, by handle.
    var kept: [UInt16: [UInt8]] = [:]
    var isEncrypted = false
    /// Whether the accessory has restored the subscriptions of earlier links on the current link.
    var isRestored = false
    var isPairing = false
    /// Whether the current link has been used for a pairing.
    var hasPaired = false
    /// Whether `here` contains everything that was written on the current link.
    var isHereCertain = true
    /// Whether `kept` is certain.
    var isCertain = true
    /// When the handles may have changed. Earlier requests may have reached other attributes.
    var changed: Instant?
  }

  let isFaulty: Bool
  private var known: [String: Known] = [:]

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    guard !isFaulty else { return }
    // The rule does not apply across changes of bonds, services or the process.
    for event in events {
      switch event {
      case .bondRemoved: for name in known.keys { known[name]?.forgetBond() }
      case .databaseChanged, .controllerReady:
        for name in known.keys { known[name]?.forget(at: stage.simulation.now) }
      default: break
      }
    }
    let configurations = Set(
      stage.accessory.simulated.stack.server.database.attributes.filter {
        if case .clientConfiguration = $0.role { true } else { false }
      }.map(\.handle))
    for central in stage.centrals where central.kind != .liar && !central.hasSentByHand {
      // Its subscriptions are also written over BR/EDR.
      if central.publicAddress != nil { continue }
      var state = known[central.name] ?? Known()
      for event in central.fresh { state.take(event, isBonded: !central.host.stack.bonds.isEmpty) }
      for case .write(let handle, _) in central.unanswered where configurations.contains(handle) {
        state.isCertain = false
      }
      for answer in central.answered {
        if let changed = state.changed, answer.since < changed { continue }
        switch (answer.operation, answer.result) {
        case (.write(let handle, let value), _) where configurations.contains(handle): state.here[handle] = value
        case (.read(let handle), .value(let value)) where configurations.contains(handle):
          guard let expected = state.expected(of: handle), expected != value else { continue }
          findings.append(
            Finding(
              "subscription",
              "\(central.name) has written \(expected.hexadecimal) to \(handle), but reads \(value.hexadecimal)",
              at: stage.simulation.now))
        default: break
        }
      }
      known[central.name] = state
    }
  }
}

extension SubscriptionJudge.Known {
  /// Forgets the values that were written on earlier links.
  fileprivate mutating func forgetBond() { (kept, isCertain) = ([:], false) }

  /// Forgets all written values, but not that the link is encrypted.
  fileprivate mutating func forget(at now: Instant) {
    (here, kept, isHereCertain, isCertain, changed) = ([:], [:], false, false, now)
  }

  fileprivate mutating func take(_ event: HostEvent, isBonded: Bool) {
    switch event {
    // A central that comes back without disconnecting has not seen the end of its previous link.
    case .connected, .disconnected:
      // Only a link that is encrypted with the bond's key keeps the values after its end.
      if isEncrypted, isBonded {
        kept.merge(here) { $1 }
        isCertain = isCertain && isHereCertain
      }
      (here, isHereCertain, isEncrypted, isRestored, isPairing) = ([:], true, false, false, false)
      hasPaired = false
    case .security(_, .securityChanged(let security)):
      isEncrypted = security.protection > .none && security.isBonded
      if isEncrypted, !isPairing { isRestored = true }
      // The central has forgotten the bond whose key is in use; the accessory has not.
      if security.protection > .none, !security.isBonded, !hasPaired { isHereCertain = false }
    case .security(_, .pairing): (isPairing, hasPaired) = (true, true)
    case .security(_, .failed), .security(_, .timedOut), .security(_, .cut): isPairing = false
    // A new bond begins with the subscriptions of the link, which may come from an earlier bond.
    case .security(_, .paired):
      if isRestored {
        here.merge(kept) { written, _ in written }
        isHereCertain = isHereCertain && isCertain
      }
      (kept, isCertain, isPairing) = ([:], true, false)
    default: break
    }
  }

  /// Returns the value that a read must return; nil if it is uncertain.
  fileprivate func expected(of handle: UInt16) -> [UInt8]? {
    if let value = here[handle] { return value }
    guard isHereCertain else { return nil }
    guard isEncrypted else { return [0, 0] }
    return isCertain ? kept[handle] ?? [0, 0] : nil
  }
}
