import BLECore
import Capture
import Glibc
import Transport
import Understudy

/// The packets on a line between a host and a controller that passes through this program.
enum TappedCapture {
  /// Opens both ends, and starts to pass octets on.
  static func start(host: ControllerAddress, controller: ControllerAddress) async throws -> LiveCapture {
    let loop = try PollLoop(name: "tap")
    let ends = try LiveCapture.makePipe()
    let writer = TapWriter(writing: ends.writing, loop: loop)
    let tap = ControllerTap(host: host, controller: controller, loop: loop) { event in
      writer.assumeIsolated { $0.take(event) }
    }
    try loop.start()
    let capture = LiveCapture(
      name: "\(host) to \(controller)", descriptor: ends.reading, stop: { Task { await tap.stop() } })
    do { try await tap.start() } catch {
      loop.stop()
      throw error
    }
    return capture
  }
}

/// Writes the packets of a tap to a pipe as a pcapng file, with messages about the line as notes. If the
/// reader is too slow, packets are missing in the file, but the line is never delayed.
private actor TapWriter {
  /// The maximum octets that wait for the reader.
  private static let limit = 16 << 20

  private nonisolated let loop: PollLoop
  private let line: Line
  private var watch: WatchID?
  private var encoder = CaptureEncoder(.pcapng)
  private var buffer = OctetBuffer()
  private var lost = 0
  private var isEnding = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(writing: CInt, loop: PollLoop) {
    self.loop = loop
    line = Line(adopting: writing)
    line.pendingLimit = Self.limit
    encoder.begin(into: &buffer)
  }

  func take(_ event: ControllerTap.Event) {
    switch event {
    case .packet(let direction, let octets, let time): write(.hci(direction), octets, at: time)
    case .waiting(let end, let place): note("waiting for the \(end) at \(place)")
    case .joined: note("host and controller are connected")
    case .parted(let end, let reason): note("the \(end) has closed the line\(reason.map { ": " + $0 } ?? "")")
    case .refused(let end, let error): note("no line to the \(end): \(error)")
    case .skipped(let end, let count): note("\(count) octets of the \(end) belong to no packet; they were passed on")
    case .ended:
      isEnding = true
      if !line.hasPending { end() }
    }
  }

  private func note(_ text: String) { write(.message(.note), Array(text.utf8), at: loop.sinceEpoch()) }

  private func write(_ content: CaptureRecord.Content, _ octets: [UInt8], at time: Duration) {
    guard line.descriptor >= 0 else { return }
    let nanoseconds = time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
    var record = CaptureRecord(content, nanoseconds: nanoseconds, octets: octets)
    record.originalLength = octets.count
    _ = encoder.append(record, into: &buffer)
    switch line.write(buffer) {
    case .sent: break
    case .queued: watchForRoom()
    case .overLimit: lost += 1
    case .closed, .failed: line.close()
    }
    buffer.removeAll()
  }

  private func watchForRoom() {
    guard watch == nil else { return }
    watch = loop.watch(line.descriptor, .writable) { [weak self] _ in self?.assumeIsolated { $0.flush() } }
  }

  private func flush() {
    if case .queued = line.flush() { return }
    unwatch()
    let count = lost
    lost = 0
    if count > 0 { note("\(count) packets were passed on but are missing here, because they were read too slowly") }
    if isEnding, !line.hasPending { end() }
  }

  private func unwatch() {
    if let watch { loop.unwatch(watch) }
    watch = nil
  }

  private func end() {
    unwatch()
    line.close()
    loop.stop()
  }
}
