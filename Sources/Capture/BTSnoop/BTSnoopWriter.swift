import BLECore
import BLEHCI

/// Writes a btsnoop file while packets pass.
///
/// It gets the octets of each direction as they arrive, in runs of any length, and finds the packets itself. Records are collected and
/// written together when there are enough of them, or when the first has waited for a short time. For that, the caller's loop calls
/// `advance` at `nextDeadline`. So packets do not each cost a system call, and yet little is missing from the file if the program is
/// killed.
///
/// A file that cannot be written never stops the accessory: capturing ends, the file keeps its whole records, and `takeFailure` returns the
/// reason once.
///
/// The path may be that of a FIFO that another program reads. If that program is slow, packets are dropped and counted. A program that
/// writes to a FIFO must ignore SIGPIPE.
package final class BTSnoopWriter {
  /// The path of the file.
  package var path: String { file.path }
  /// When to call `advance`, if records wait.
  package var nextDeadline: Instant? { file.nextDeadline }
  /// The number of packets dropped so far.
  package var droppedPackets: UInt32 { encoder.droppedPackets }

  /// Whether packets that concern only advertising are included.
  package var includesAdvertising = true

  private let file: CaptureFile
  private var encoder = BTSnoopEncoder()
  private var sent = H4Deframer(side: .controller)
  private var received = H4Deframer(side: .host)

  /// Creates the file, readable only by its owner, or clears an existing one.
  package init(creating path: String, policy: FlushPolicy = FlushPolicy()) throws(CaptureFailure) {
    var beginning = OctetBuffer()
    encoder.beginFile(into: &beginning)
    file = try CaptureFile(
      creating: path, policy: policy, beginning: beginning, headLength: BTSnoopFormat.recordHeadLength
    ) { octets, offset in
      BTSnoopFormat.recordHeadLength + (4..<8).reduce(0) { $0 << 8 | Int(octets[offset + $1]) }
    }
  }

  /// Processes octets sent in this direction. Each complete packet becomes a record.
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

  /// Writes records that have waited long enough.
  package func advance(to now: Instant) { file.advance(to: now) }

  /// Returns the reason why capturing ended, once.
  package func takeFailure() -> CaptureFailure? { file.takeFailure() }

  /// Writes all waiting records and closes the file.
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
