import BLECore
import BLEHCI
import Glibc

/// Writes a btsnoop file while packets pass.
///
/// It is given the octets of each direction as they come, cut into runs in any way, and finds the packets itself. Records
/// are collected and written together: once there are enough of them, or when the first has waited for a moment, for
/// which the caller's loop calls `reach` at `nextDeadline`. So a capture costs no system call for each packet, and yet
/// little is missing from the file if the program is killed.
///
/// A file that cannot be written never stops the accessory: capturing ends, the file keeps its whole records, and
/// `takeFailure` tells why, once.
///
/// The path may be that of a FIFO that another program reads. If that one is slow, packets are dropped and counted.
/// A program that writes to a FIFO must ignore SIGPIPE.
public final class BTSnoopWriter {
  /// When records are written to the file.
  public struct FlushPolicy: Hashable, Sendable {
    /// As soon as that many octets wait.
    public var octets: Int
    /// As soon as the first record has waited that long.
    public var delay: Duration
    /// Records that would make more octets wait than this are dropped; it can happen only with a slow FIFO.
    public var limit: Int

    /// A policy; by default, 64 KiB, 200 ms and 4 MiB.
    public init(octets: Int = 65_536, delay: Duration = .milliseconds(200), limit: Int = 4_194_304) {
      self.octets = octets
      self.delay = delay
      self.limit = limit
    }
  }

  /// The file.
  public let path: String
  /// When to call `reach`, if anything waits.
  public private(set) var nextDeadline: Instant?
  /// How many packets were dropped so far.
  public var droppedPackets: UInt32 { encoder.droppedPackets }

  private let policy: FlushPolicy
  private var descriptor: CInt
  private var encoder = BTSnoopEncoder()
  private var waiting = OctetBuffer(minimumCapacity: 65_536)
  /// How many octets of `waiting` are in the file already.
  private var written = 0
  private var sent = H4Deframer(side: .controller)
  private var received = H4Deframer(side: .host)
  private var failure: CaptureFailure?

  /// Creates the file, readable by its owner alone, or empties the one that is there.
  public init(creating path: String, policy: FlushPolicy = FlushPolicy()) throws(CaptureFailure) {
    self.path = path
    self.policy = policy
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw CaptureFailure(path: path, code: errno) }
    encoder.beginFile(into: &waiting)
    flush()
    if let failure { throw failure }
  }

  deinit { close() }

  /// Takes in octets that went that way; whole packets among them become records.
  ///
  /// - Parameters:
  ///   - now: The loop's clock.
  ///   - microseconds: The wall clock, in microseconds since 1970-01-01 00:00 UTC.
  public func record(
    _ direction: CapturedPacket.Direction, _ octets: Span<UInt8>, at now: Instant, microseconds: Int64
  ) {
    guard descriptor >= 0 else { return }
    switch direction {
    case .hostToController: sent.push(octets) { append(direction, $0, $1, microseconds) }
    case .controllerToHost: received.push(octets) { append(direction, $0, $1, microseconds) }
    }
    guard !waiting.isEmpty else { return }
    if waiting.count >= policy.octets {
      flush()
      nextDeadline = waiting.isEmpty ? nil : now + policy.delay
    } else if nextDeadline == nil {
      nextDeadline = now + policy.delay
    }
  }

  /// Writes what has waited long enough.
  public func reach(_ now: Instant) {
    guard let deadline = nextDeadline, deadline <= now else { return }
    flush()
    nextDeadline = waiting.isEmpty ? nil : now + policy.delay
  }

  /// Why capturing ended, the first time it is asked after that.
  public func takeFailure() -> CaptureFailure? {
    defer { failure = nil }
    return failure
  }

  /// Writes everything that waits, and ends.
  public func close() {
    guard descriptor >= 0 else { return }
    flush()
    end()
  }

  private func append(
    _ direction: CapturedPacket.Direction, _ type: H4PacketType, _ packet: Span<UInt8>, _ microseconds: Int64
  ) {
    guard waiting.count + packet.count <= policy.limit else {
      encoder.droppedPackets &+= 1
      return
    }
    encoder.record(direction, type, packet, microseconds: microseconds, into: &waiting)
  }

  /// Writes as much of what waits as the file takes.
  private func flush() {
    while written < waiting.count {
      let count = waiting.withSpan { octets in
        octets.extracting(written..<octets.count).withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      }
      if count > 0 {
        written += count
      } else if count < 0 && errno == EAGAIN {
        // A FIFO whose reader is slow: what it has not taken stays, from the beginning of a record on.
        let whole = wholeRecords(in: written)
        waiting.removeFirst(whole)
        written -= whole
        return
      } else if count == 0 || errno != EINTR {
        fail(count == 0 ? EIO : errno)
        return
      }
    }
    waiting.removeAll()
    written = 0
  }

  private func fail(_ code: CInt) {
    failure = CaptureFailure(path: path, code: code)
    let partial = written - wholeRecords(in: written)
    let end = lseek(descriptor, 0, SEEK_CUR)
    if partial > 0 && end >= partial { _ = ftruncate(descriptor, end - partial) }
    self.end()
  }

  /// How many of the first `count` octets that wait make up whole records. The first always begins with a record.
  private func wholeRecords(in count: Int) -> Int {
    var end = 0
    while end + BTSnoopFormat.recordHeadLength <= count {
      let length = (4..<8).reduce(0) { $0 << 8 | Int(waiting[end + $1]) }
      let next = end + BTSnoopFormat.recordHeadLength + length
      guard next <= count else { break }
      end = next
    }
    return end
  }

  private func end() {
    Glibc.close(descriptor)
    descriptor = -1
    nextDeadline = nil
    waiting.removeAll()
    written = 0
  }
}
