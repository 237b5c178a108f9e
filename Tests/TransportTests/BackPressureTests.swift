import BLECore
import Testing
import Transport

@Suite("Terminals that are not read")
struct BackPressureTests {
  @Test("Octets wait in the line, and none is lost, duplicated or out of place", arguments: [true, false])
  func patience(_ isSerialWriting: Bool) throws {
    let terminal = try PseudoTerminal.open()
    let serial = try Line.openSerial(SerialSettings(path: terminal.devicePath))
    let (writer, reader) = isSerialWriting ? (serial, terminal.line) : (terminal.line, serial)
    var random = SplitMix64(seed: isSerialWriting ? 1 : 2)
    let sent = (0..<900_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    var position = 0
    var queued = 0
    var received = OctetBuffer()
    func write() {
      let end = min(position + 1 + Int(random.upTo(2000)), sent.count)
      switch writer.write(sent[position..<end].span) {
      case .sent: #expect(!writer.hasPending)
      case .queued(let count):
        queued += 1
        #expect(count == writer.pendingCount && writer.interest.contains(.writable))
      case let outcome: Issue.record("\(outcome)")
      }
      position = end
    }
    // Nothing is read for a long time.
    while position < 600_000 { write() }
    #expect(queued > 0 && writer.pendingCount > 400_000)
    // Octets are read now and then, while more are written.
    while received.count < sent.count {
      if position < sent.count { write() }
      _ = try readWaiting(reader, into: &received)
      #expect(writer.flush() != .closed)
    }
    #expect(received.copy() == sent)
    #expect(!writer.hasPending && writer.interest == .readable)
  }

  @Test("A loop with such a line continues, and sends the rest once it is read")
  func loop() async throws {
    try await withLoop { loop in
      let writing = BackPressedWriter(on: loop)
      let octets = [UInt8](repeating: 0x5A, count: 300_000)
      let path = try await writing.begin(octets)
      let resident = Resident(loop: loop)
      for _ in 0..<10 { await resident.increment() }
      #expect(await resident.count == 10)
      #expect(await writing.pendingCount > 0)
      let reader = try Line.openSerial(SerialSettings(path: path))
      // Octets from before the opening are dropped, as with every serial port; the rest is not.
      var received = OctetBuffer()
      while await writing.pendingCount > 0 { _ = try readWaiting(reader, into: &received) }
      #expect(received.count > 100_000)
      await writing.end()
    }
  }
}

/// Writes to a terminal from a loop.
private actor BackPressedWriter {
  private let loop: PollLoop
  private var terminal: PseudoTerminal?
  private var watch: WatchID?

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(on loop: PollLoop) { self.loop = loop }

  var pendingCount: Int { terminal?.line.pendingCount ?? 0 }

  /// Writes octets that are not read; returns the path of the other side.
  func begin(_ octets: [UInt8]) throws -> String {
    let terminal = try PseudoTerminal.open()
    self.terminal = terminal
    watch = loop.watch(terminal.line.descriptor, .readable) { [weak self] _ in self?.assumeIsolated { $0.ready() } }
    _ = terminal.line.write(octets.span)
    ready()
    return terminal.devicePath
  }

  private func ready() {
    guard let line = terminal?.line, let watch else { return }
    _ = line.flush()
    loop.setInterest(watch, line.interest)
  }

  func end() {
    if let watch { loop.unwatch(watch) }
    watch = nil
    terminal?.line.close()
    terminal = nil
  }
}
