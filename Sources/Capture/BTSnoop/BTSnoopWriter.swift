import BLECore
import BLEHCI

/// Writes a btsnoop file while packets pass.
///
/// It is given the octets of each direction as they come, cut into runs in any way, and finds the packets itself. Records
/// are collected and written together: once there are enough of them, or when the first has waited for a moment, for
/// which the caller's loop calls `advance` at `nextDeadline`. So a capture costs no system call for each packet, and yet
/// little is missing from the file if the program is killed.
///
/// A file that cannot be written never stops the accessory: capturing ends, the file keeps its whole records, and
/// `takeFailure` tells why, once.
///
/// The path may be that of a FIFO that another program reads. If that one is slow, packets are dropped and counted.
/// A program that writes to a FIFO must ignore SIGPIPE.
package final class BTSnoopWriter {
  /// The file.
  package var path: String { file.path }
  /// When to call `advance`, if anything waits.
  package var nextDeadline: Instant? { file.nextDeadline }
  /// How many packets were dropped so far.
  package var droppedPackets: UInt32 { encoder.droppedPackets }

  /// Whether packets that belong to advertising alone are kept.
  package var includesAdvertising = true

  private let file: CaptureFile
  private var encoder = BTSnoopEncoder()
  private var sent = H4Deframer(side: .controller)
  private var received = H4Deframer(side: .host)

  /// Creates the file, readable by its owner alone, or empties the one that is there.
  package init(creating path: String, policy: FlushPolicy = FlushPolicy()) throws(CaptureFailure) {
    var beginning = OctetBuffer()
    encoder.beginFile(into: &beginning)
    file = try CaptureFile(
      creating: path, policy: policy, beginning: beginning, headLength: BTSnoopFormat.recordHeadLength
    ) { octets, offset in
      BTSnoopFormat.recordHeadLength + (4..<8).reduce(0) { $0 << 8 | Int(octets[offset + $1]) }
    }
  }

  /// Takes in octets that went that way; whole packets among them become records.
  ///
  /// - Parameters:
  ///   - now: The loop's clock.
  ///   - microseconds: The wall clock, in microseconds since 1970-01-01 00:00 UTC.
  package func record(
    _ direction: CapturedPacket.Direction, _ octets: Span<UInt8>, at now: Instant, microseconds: Int64
  ) {
    guard file.isOpen else { return }
    switch direction {
    case .hostToController: sent.push(octets) { append(direction, $0, $1, microseconds) }
    case .controllerToHost: received.push(octets) { append(direction, $0, $1, microseconds) }
    }
    file.writeOrSchedule(at: now)
  }

  /// Writes what has waited long enough.
  package func advance(to now: Instant) { file.advance(to: now) }

  /// Why capturing ended, the first time it is asked after that.
  package func takeFailure() -> CaptureFailure? { file.takeFailure() }

  /// Writes everything that waits, and ends.
  package func close() { file.close() }

  private func append(
    _ direction: CapturedPacket.Direction, _ type: H4PacketType, _ packet: Span<UInt8>, _ microseconds: Int64
  ) {
    guard includesAdvertising || !Advertising.isReport(type, packet) else { return }
    guard file.hasRoom(for: packet.count) else {
      encoder.droppedPackets &+= 1
      return
    }
    file.append { encoder.record(direction, type, packet, microseconds: microseconds, into: &$0) }
  }
}
