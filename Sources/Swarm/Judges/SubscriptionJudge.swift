import BLECore
import BLEGATT
import BLEHCI
import BLELink
import Simulation
import UnderstudyTesting

/// The configuration of a characteristic is what this client wrote last: on this link, or, once the link is encrypted with the bond's
/// key, on links before (Core 5.4 Vol 3 Part G 3.3.3.3). A link that ends late takes nothing back.
struct SubscriptionJudge: Judge {
  /// What a central has written, by its name and the handle.
  fileprivate struct Known {
    /// On the present link.
    var here: [UInt16: [UInt8]] = [:]
    /// On encrypted links before.
    var kept: [UInt16: [UInt8]] = [:]
    var isEncrypted = false
    /// Whether what was kept before is known.
    var isCertain = true
  }

  let isFaulty: Bool
  private var known: [String: Known] = [:]

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    guard !isFaulty else { return }
    // What the owner or a lost packet does to bonds, services or the process is another story.
    let isUpset = events.contains {
      switch $0 {
      case .bondRemoved, .databaseChanged, .controllerReady: true
      default: false
      }
    }
    if isUpset { for name in known.keys { known[name] = Known(isCertain: false) } }
    let configurations = Set(
      stage.accessory.simulated.stack.server.database.attributes.filter {
        if case .clientConfiguration = $0.role { true } else { false }
      }.map(\.handle))
    for central in stage.centrals where central.kind != .liar && !central.hasSentByHand {
      var state = known[central.name] ?? Known()
      for event in central.fresh { state.take(event, isBonded: !central.host.stack.bonds.isEmpty) }
      for answer in central.answered {
        switch (answer.operation, answer.result) {
        case (.write(let handle, let value), _) where configurations.contains(handle): state.here[handle] = value
        case (.read(let handle), .value(let value)) where configurations.contains(handle):
          guard let expected = state.expected(of: handle), expected != value else { continue }
          findings.append(
            Finding(
              "subscription",
              "\(central.name) has written \(expected.hexadecimal) to \(handle) and reads \(value.hexadecimal)",
              at: stage.simulation.now))
        default: break
        }
      }
      known[central.name] = state
    }
  }
}

extension SubscriptionJudge.Known {
  fileprivate mutating func take(_ event: HostEvent, isBonded: Bool) {
    switch event {
    // Who comes back without having said goodbye has not seen the end of the link before.
    case .connected, .disconnected:
      // What is written on a link that is not encrypted with a bond's key goes with the link.
      if isEncrypted, isBonded { kept.merge(here) { $1 } }
      (here, isEncrypted) = ([:], false)
    case .security(_, .securityChanged(let security)): isEncrypted = security.protection > .none && security.isBonded
    // A new bond begins with what is on the link.
    case .security(_, .paired): (kept, isCertain) = ([:], true)
    default: break
    }
  }

  /// What is to be read; nil where that is not known.
  fileprivate func expected(of handle: UInt16) -> [UInt8]? {
    if let value = here[handle] { return value }
    guard isEncrypted else { return [0, 0] }
    return isCertain ? kept[handle] ?? [0, 0] : nil
  }
}
