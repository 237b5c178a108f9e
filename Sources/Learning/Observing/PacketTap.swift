import BLECore
import BLEHCI
import Capture

/// Turns the octets between a host and its controller into records of a capture.
package struct PacketTap {
  private var deframers: [H4Deframer] = [H4Deframer(side: .controller), H4Deframer(side: .host)]
  /// The wall clock at the host's time zero, in nanoseconds since 1970-01-01 00:00 UTC.
  private let epoch: Int64

  /// Creates a tap. `epoch` is the wall clock at the host's time zero, in nanoseconds since 1970-01-01 00:00 UTC.
  package init(epoch: Int64) { self.epoch = epoch }

  /// Calls `report` for each packet that the octets complete.
  package mutating func take(
    _ octets: Span<UInt8>, isSent: Bool, at now: Instant, report: (CaptureRecord) -> Void
  ) {
    let time = epoch &+ now.nanoseconds
    let direction: CapturedPacket.Direction = isSent ? .hostToController : .controllerToHost
    deframers[isSent ? 0 : 1].push(octets) { type, packet in
      let octets = [type.rawValue] + packet.withUnsafeBufferPointer { Array($0) }
      report(CaptureRecord(.hci(direction), nanoseconds: time, octets: octets))
    }
  }
}
