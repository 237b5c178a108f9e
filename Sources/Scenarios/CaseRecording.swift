import BLECore
import BLEHCI
import Capture
import Simulation
import Understudy
import UnderstudyTesting
import VirtualRadio

/// Gives all packets of a simulation to a closure: those on the air, and those between each host and its controller. Virtual time has no date,
/// so the packets' times begin in 2026.
final class CaseRecording {
  private let simulation: RadioSimulation
  private let epoch = TestAccessory.clock.nanosecondsAtZero
  /// The deframers of each controller: one for packets to it, and one for packets from it.
  private var deframers: [ControllerID: [H4Deframer]] = [:]
  private let report: (CaptureRecord) -> Void

  init(of simulation: RadioSimulation, _ report: @escaping (CaptureRecord) -> Void) {
    (self.simulation, self.report) = (simulation, report)
    let previous = simulation.air.observer
    simulation.air.observer = { [epoch] packet in
      previous?(packet)
      report(CaptureRecord(CapturedAirPacket(packet, wallClock: epoch)))
    }
    simulation.tap = { [weak self] controller, octets, isSent, now in
      self?.take(octets, isSent: isSent, of: controller, at: now)
    }
  }

  /// Returns the source of the packets between a host and its controller. Packets on the air have the source 0.
  static func source(of controller: ControllerID) -> UInt32 { UInt32(truncatingIfNeeded: controller.rawValue) &+ 1 }

  /// Ends the recording.
  func end() { (simulation.tap, simulation.air.observer) = (nil, nil) }

  private func take(_ octets: Span<UInt8>, isSent: Bool, of controller: ControllerID, at now: Instant) {
    let (time, source) = (epoch &+ now.nanoseconds, Self.source(of: controller))
    let direction: CapturedPacket.Direction = isSent ? .hostToController : .controllerToHost
    var pair = deframers[controller] ?? [H4Deframer(side: .controller), H4Deframer(side: .host)]
    pair[isSent ? 0 : 1].push(octets) { type, packet in
      let octets = [type.rawValue] + packet.withUnsafeBufferPointer { Array($0) }
      report(CaptureRecord(.hci(direction), nanoseconds: time, source: source, octets: octets))
    }
    deframers[controller] = pair
  }
}
