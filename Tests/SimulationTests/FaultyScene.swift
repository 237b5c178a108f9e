import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

/// A lamp behind a line that can be garbled, and a phone.
final class FaultyScene {
  let simulation: RadioSimulation
  let lamp: SimulatedAccessory<CountingApplication>
  let line: FaultyLine
  let phone: ScriptedCentral
  private(set) var value: [UInt8] = []
  private(set) var link: ConnectionHandle?

  init(
    _ controller: ControllerConfiguration, kind: AdvertisingSetDefinition.Kind, seed: UInt64,
    carrier: TerminalCarrier? = nil
  ) throws {
    let simulation = RadioSimulation(seed: seed)
    self.simulation = simulation
    lamp = try simulation.addAccessory(
      Lamp.configuration(kind: kind), application: CountingApplication(), on: controller)
    lamp.stack.resetAttempts = .max
    lamp.stack.watchInterval = .seconds(1)
    line = FaultyLine(lamp, seed: seed) { [unowned simulation] in simulation.now }
    line.carrier = carrier
    simulation.interpose(line, before: lamp)
    phone = try simulation.addCentral()
    try lamp.start()
    try phone.start()
    phone.limit = .seconds(2)
  }

  private var text: UInt16 { lamp.stack.server.database[Lamp.text].value }

  /// The host's reports of faults of its line, its controller or its centrals.
  var reports: [ProtocolFault] {
    lamp.events.compactMap { if case .fault(let fault) = $0 { fault } else { nil } }
  }

  /// Longer than the host needs to detect anything detectable: the watch interval, and the time for an answer.
  static let noticeTime = Duration.seconds(4)

  /// Performs an action of a phone, which may fail.
  func act(_ kind: UInt64) {
    switch kind {
    case 0: try? hangUp()
    case 1: try? meet()
    default: if let link { _ = try? phone.read(text, on: link) }
    }
  }

  private func meet() throws {
    guard link == nil else { return }
    link = try phone.connect(to: Lamp.address, parameters: LinkParameters(timeout: .milliseconds(500)))
  }

  private func hangUp() throws {
    defer { link = nil }
    if let link, phone.links.contains(link) { try phone.disconnect(link) }
  }

  /// Tries until the phone reads the value written last; returns the time, or nil if it exceeds the limit.
  func recover(limit: Duration) -> Duration? {
    let start = simulation.now
    while simulation.now - start < limit {
      if let link, !phone.links.contains(link) { self.link = nil }
      do {
        try meet()
        guard let link else { continue }
        let read = try phone.read(text, on: link)
        guard read == value else {
          Issue.record("read \(read), not \(value)")
          return nil
        }
        return simulation.now - start
      } catch {
        try? hangUp()
        // Phones also wait a little.
        simulation.run(for: .milliseconds(100))
      }
    }
    return nil
  }

  /// Writes a new value over a line without faults.
  func write(_ octets: [UInt8]) throws {
    guard let link else { return }
    try phone.write(octets, to: text, on: link)
    value = octets
  }

  func forget() {
    lamp.events = []
    phone.events = []
  }

  /// Whether the host has given up its controller.
  var hasFailed: Bool { lamp.events.contains { if case .controllerFailed = $0 { true } else { false } } }
}
