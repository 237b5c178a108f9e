import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import PeripheralHost
import VirtualRadio

// Comparisons of a host's view of its controller with the controller's actual state. The two agree when nothing is in progress.

extension RadioSimulation {
  /// Returns descriptions of the differences between an accessory's host and its controller; empty if they agree.
  package func disagreements<Application>(of accessory: SimulatedAccessory<Application>) -> [String] {
    guard let snapshot = air.snapshot(of: accessory.controller) else { return ["there is no controller"] }
    return snapshot.disagreements(with: [accessory.stack])
  }

  /// Returns descriptions of the differences between a central's host and its controller; empty if they agree.
  package func disagreements(of central: ScriptedCentral) -> [String] {
    guard let snapshot = air.snapshot(of: central.controller) else { return ["there is no controller"] }
    return snapshot.connectionDisagreements(with: [central.stack])
      + differ("scans", host: central.stack.isScanning, controller: snapshot.isScanning)
      + differ("creates a connection", host: central.stack.isConnecting, controller: snapshot.isInitiating)
  }
}

extension ControllerSnapshot {
  /// Returns descriptions of the differences between the controller and the hosts of its accessories.
  package func disagreements<Application>(with hosts: [HostStack<Application>]) -> [String] {
    connectionDisagreements(with: hosts)
      + differ(
        "advertising sets", host: hosts.reduce(0) { $0 + $1.activeSets.count }, controller: enabledSets)
  }

  fileprivate func connectionDisagreements<Role, Application>(with hosts: [HostEngine<Role, Application>]) -> [String] {
    let handles = hosts.flatMap { $0.linkStates.map(\.handle.rawValue) }.sorted()
    let connections = connections + classicConnections
    // Hosts that share a controller use translated handles.
    let links =
      hosts.count == 1
      ? differ("connections", host: handles, controller: connections.map(\.handle.rawValue).sorted())
      : differ("number of connections", host: handles.count, controller: connections.count)
    return links
      + differ(
        "data packets held", host: hosts.reduce(0) { $0 + $1.load.packets },
        controller: connections.reduce(0) { $0 + $1.packetsHeld })
      + differ(
        "encrypted connections",
        host: hosts.reduce(0) { $0 + $1.linkStates.count { $0.security.protection > .none } },
        controller: connections.count(where: \.isEncrypted))
  }
}

private func differ<Value: Equatable>(_ what: String, host: Value, controller: Value) -> [String] {
  host == controller ? [] : ["\(what): host \(host), controller \(controller)"]
}
