import AccessoryProfile
import BLECore
import BLELink
import PeripheralHost
import Simulation
import UnderstudyTesting
import VirtualRadio

/// The accessory uses a private address no longer than the profile says (Core 5.4 Vol 3 Part C 10.7.1, 10.8.3), unless the controller
/// restarts.
struct AddressJudge: Judge {
  /// The maximum delay between the time when a new address is due and its first use.
  private static let tolerance = Duration.seconds(2)
  private let isJudged: Bool
  private var firstSeen: [DeviceAddress: Instant] = [:]

  init(_ plan: SwarmPlan) {
    isJudged = !plan.owner.contains {
      switch $0.act {
      case .line, .restartController, .restore, .reset, .suspend, .arm: true
      default: false
      }
    }
  }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    guard isJudged, stage.accessory.profile.faults.isEmpty else { return }
    let now = stage.simulation.now
    let rotation = stage.accessory.profile.privacy.rotation
    let addresses = stage.simulation.air.advertisingAddresses(of: stage.accessory.simulated.controller)
    for address in addresses where address.isResolvablePrivate {
      let first = firstSeen[address] ?? now
      firstSeen[address] = first
      guard now - first > rotation + Self.tolerance else { continue }
      firstSeen[address] = now
      findings.append(
        Finding(
          "address", "\(address) has been on the air for \(now - first), but addresses change every \(rotation)",
          at: now))
    }
  }
}
