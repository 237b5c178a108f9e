import BLECore
import Capture
import Simulation
import Understudy
import VirtualRadio

/// Writes all packets on the air of a case to a pcapng file. Virtual time has no date, so the packets' times begin in 2026.
final class CaseCapture {
  private let writer: PcapNGWriter
  private let simulation: RadioSimulation
  private static let wallClock: Int64 = 1_767_225_600_000_000_000

  init(creating path: String, of simulation: RadioSimulation) throws {
    let writer = try PcapNGWriter(creating: path)
    let air = writer.addInterface(name: "air", kind: .air)
    (self.writer, self.simulation) = (writer, simulation)
    simulation.air.observer = { packet in
      writer.record(CapturedAirPacket(packet, wallClock: Self.wallClock), on: air, at: packet.start)
    }
  }

  func close() {
    simulation.air.observer = nil
    writer.close()
  }
}
