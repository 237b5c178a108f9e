import AccessoryProfile
import BLECore
import BLEGATT
import BLEGAP
import BLEHCI
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import UnderstudyTesting
import VirtualRadio

/// After faults have ended and the air has been good for 60 s, the accessory can be found, connected to,
/// discovered and read as before, and its host and controller agree.
struct LifeJudge: Judge {
  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    for case .controllerFailed(let failure) in events {
      findings.append(Finding("life", "the controller failed: \(failure)", at: stage.simulation.now))
    }
  }

  mutating func close(_ stage: SwarmStage, findings: inout [Finding]) {
    let host = stage.accessory.simulated
    if !host.stack.linkStates.isEmpty {
      findings.append(
        Finding("life", "a link still exists 60 s after every central has left", at: stage.simulation.now))
    }
    // The state that a host assumes differs from that of a shared controller.
    let differences = stage.companion == nil ? settle(stage) : []
    if !differences.isEmpty { findings.append(Finding("life", "host and controller differ: \(differences)")) }
    if let companion = stage.companion {
      let address = companion.simulated.stack.address
      do { try visit(stage) { $0.address == address } } catch {
        findings.append(
          Finding(
            "life", "a new central cannot use the accessory that shares the controller: \(error)",
            at: stage.simulation.now))
      }
    }
    guard stage.accessory.profile.isAlwaysFound(by: stage.firstSets) else { return }
    // The address may change during the first attempt. The next attempts come at other times of the rotation.
    for pause in [3700, 2300] {
      if (try? visit(stage, stage.isFromAccessory)) != nil { return }
      stage.simulation.run(for: .milliseconds(pause))
    }
    do { try visit(stage, stage.isFromAccessory) } catch {
      findings.append(Finding("life", "a new central cannot use the accessory: \(error)", at: stage.simulation.now))
    }
  }

  /// Waits until host and controller agree, at most 20 s. Returns their differences.
  private func settle(_ stage: SwarmStage) -> [String] {
    let host = stage.accessory.simulated
    stage.simulation.run(until: { stage.simulation.disagreements(of: host).isEmpty }, limit: .seconds(20))
    return stage.simulation.disagreements(of: host)
  }

  private func visit(_ stage: SwarmStage, _ isWanted: (Advertisement) -> Bool) throws {
    var configuration = CentralConfiguration()
    configuration.randomAddress = CentralDriver.address(of: 99 + stage.simulation.arrivals)
    let visitor = try stage.simulation.addCentral(configuration)
    try visitor.start()
    let heard = try visitor.hear(ScanRequest(phys: [.le1M, .leCoded])) {
      $0.isConnectable && isWanted($0)
    }
    let link = try visitor.connect(
      ConnectionRequest(
        to: heard.address, type: heard.addressType.deviceType == .random ? .random : .publicDevice,
        phys: heard.primaryPHY == .leCoded ? .leCoded : .le1M))
    // At an interval of 4 s, which a profile may request, discovery takes minutes.
    visitor.limit = .seconds(600)
    let database = try visitor.discover(on: link)
    guard database.characteristics.contains(where: { $0.uuid == BluetoothUUID(0x2A00 as UInt16) }) else {
      throw SimulationFailure.refused("it has no device name")
    }
  }
}

extension Profile {
  /// Returns whether an unknown central can connect at any time: a set that accepts every central is always on the
  /// air, and no rule stops it or ends links. `sets` are the sets that the controller has room for.
  fileprivate func isAlwaysFound(by sets: [String]) -> Bool {
    let isOffered = advertising.contains {
      sets.contains($0.id) && $0.isConnectable && $0.startsAutomatically && $0.target == nil
        && $0.connectsTo == .everybody
        && $0.schedule.last?.duration == nil && $0.maximumEvents == nil
    }
    // The accessory disconnects an unknown central that connects to a set for bonded centrals.
    let isSelective = advertising.contains {
      sets.contains($0.id) && $0.isConnectable && $0.connectsTo != .everybody
    }
    return isOffered && !isSelective && !endsLinks && !sleep.startsAsleep && sleep.delay == nil
  }

  /// Whether a rule takes the accessory off the air or ends links.
  var endsLinks: Bool {
    rules.contains { rule in
      rule.effects.contains { effect in
        switch effect {
        case .device(.advertise), .device(.disconnect), .device(.restart), .sleep: true
        default: false
        }
      }
    }
  }
}
