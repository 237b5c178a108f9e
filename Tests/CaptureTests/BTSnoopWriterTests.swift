import BLECore
import Capture
import Glibc
import Testing

/// A temporary directory for each test, removed at its end.
final class ScratchDirectory {
  let path: String

  init() throws {
    var template = Array("/tmp/capture-tests-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    path = template.withUnsafeBufferPointer { characters in
      characters.baseAddress.map { String(cString: $0) } ?? ""
    }
  }

  deinit {
    for name in ["file", "fifo"] { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// Returns the octets of the file at that path.
  static func contents(of path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    return drain(descriptor)
  }

  /// Returns everything that can be read without waiting.
  static func drain(_ descriptor: CInt) -> [UInt8] {
    var all: [UInt8] = []
    var room = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &room, room.count)
      guard count > 0 else { return all }
      all += room[..<count]
    }
  }
}

@Suite struct BTSnoopWriterTests {
  private let directory: ScratchDirectory
  private var path: String { "\(directory.path)/file" }
  private let reset = BTSnoopFormatTests.reset
  private let answer = BTSnoopFormatTests.resetComplete

  init() throws { directory = try ScratchDirectory() }

  private func packets(in octets: [UInt8]) throws -> [CapturedPacket] {
    let (records, fault) = try BTSnoopFormatTests.read(octets)
    #expect(fault == nil)
    return records.map(\.packet)
  }

  private func packets() throws -> [CapturedPacket] { try packets(in: try ScratchDirectory.contents(of: path)) }

  @Test("Only the owner can access a new file, and it has its header at once")
  func creates() throws {
    let writer = try BTSnoopWriter(creating: path)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
    #expect(try ScratchDirectory.contents(of: path) == BTSnoopFormatTests.header)
    #expect(writer.nextDeadline == nil)
  }

  @Test("An existing file is truncated")
  func empties() throws {
    let first = try BTSnoopWriter(creating: path)
    first.record(.hostToController, reset.span, at: .zero, microseconds: 1)
    first.close()
    #expect(try packets().count == 1)
    _ = try BTSnoopWriter(creating: path)
    #expect(try packets().isEmpty)
  }

  @Test("A path that cannot be written is reported with the reason")
  func refuses() throws {
    let place = "\(directory.path)/none/file"
    let failure = try #require(throws: CaptureFailure.self) { try BTSnoopWriter(creating: place) }
    #expect(failure.code == ENOENT)
    #expect(failure.description == "cannot write the capture file \(place): No such file or directory")
  }

  @Test("Packets are found in both directions, however their octets are split", arguments: 1...7)
  func streams(run: Int) throws {
    let writer = try BTSnoopWriter(creating: path)
    let sent = reset + reset + [0x02, 0x40, 0x00, 0x03, 0x00, 7, 8, 9]
    let received = answer + [0x02, 0x40, 0x20, 0x01, 0x00, 5] + answer
    for start in stride(from: 0, to: max(sent.count, received.count), by: run) {
      let time = Int64(start)
      for (direction, octets) in [(CapturedPacket.Direction.hostToController, sent), (.controllerToHost, received)]
      where start < octets.count {
        let part = Array(octets[start..<min(octets.count, start + run)])
        writer.record(direction, part.span, at: .zero, microseconds: time)
      }
    }
    writer.close()
    let found = try packets()
    #expect(found.filter { $0.direction == .hostToController }.flatMap(\.octets) == sent)
    #expect(found.filter { $0.direction == .controllerToHost }.flatMap(\.octets) == received)
    #expect(found.count == 6)
    #expect(found.map(\.microseconds) == found.map(\.microseconds).sorted())
  }

  @Test("Records are written once the first has waited for the delay, and not before")
  func delay() throws {
    let writer = try BTSnoopWriter(creating: path)
    let start = Instant(nanoseconds: 1_000_000)
    writer.record(.hostToController, reset.span, at: start, microseconds: 1)
    #expect(writer.nextDeadline == start + .milliseconds(200))
    writer.record(.controllerToHost, answer.span, at: start + .milliseconds(50), microseconds: 2)
    #expect(writer.nextDeadline == start + .milliseconds(200))
    writer.advance(to: start + .milliseconds(199))
    #expect(try packets().isEmpty)
    writer.advance(to: start + .milliseconds(200))
    #expect(try packets().map(\.octets) == [reset, answer])
    #expect(writer.nextDeadline == nil)
  }

  @Test("Records are written once there are many octets")
  func amount() throws {
    let writer = try BTSnoopWriter(creating: path, policy: .init(octets: 60))
    for time: Int64 in 1...2 { writer.record(.hostToController, reset.span, at: .zero, microseconds: time) }
    #expect(try packets().isEmpty)
    writer.record(.hostToController, reset.span, at: .zero, microseconds: 3)
    #expect(try packets().map(\.microseconds) == [1, 2, 3])
    #expect(writer.nextDeadline == nil)
  }

  @Test("Octets of incomplete packets set no deadline")
  func noPacket() throws {
    let writer = try BTSnoopWriter(creating: path)
    writer.record(.hostToController, Array(reset[..<3]).span, at: .zero, microseconds: 1)
    #expect(writer.nextDeadline == nil)
  }

  @Test("The end writes waiting records, and nothing comes after it")
  func ends() throws {
    do {
      let writer = try BTSnoopWriter(creating: path)
      writer.record(.hostToController, reset.span, at: .zero, microseconds: 1)
    }
    #expect(try packets().count == 1)
    let writer = try BTSnoopWriter(creating: path)
    writer.close()
    writer.record(.hostToController, reset.span, at: .zero, microseconds: 1)
    writer.close()
    #expect(try packets().isEmpty)
    #expect(writer.takeFailure() == nil)
  }

  @Test("A file with no room for the header is refused")
  func full() throws {
    let failure = try #require(throws: CaptureFailure.self) { try BTSnoopWriter(creating: "/dev/full") }
    #expect(failure.code == ENOSPC)
    #expect(failure.reason == "No space left on device")
  }

  /// In a separate process, because the limit on the size of files applies to the whole process.
  @Test("A full file ends the capture with whole records, and reports it once")
  func limited() async {
    await #expect(processExitsWith: .success) {
      let directory = try ScratchDirectory()
      let path = "\(directory.path)/file"
      // The header, two records of 28 octets, and a half.
      var limit = rlimit(rlim_cur: 16 + 2 * 28 + 14, rlim_max: 1 << 20)
      signal(SIGXFSZ, SIG_IGN)
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
      let writer = try BTSnoopWriter(creating: path)
      let reset = BTSnoopFormatTests.reset
      for time: Int64 in 1...4 { writer.record(.hostToController, reset.span, at: .zero, microseconds: time) }
      let deadline = try #require(writer.nextDeadline)
      writer.advance(to: deadline)
      #expect(writer.takeFailure() == CaptureFailure(path: path, code: EFBIG))
      #expect(writer.takeFailure() == nil)
      #expect(writer.nextDeadline == nil)
      writer.record(.hostToController, reset.span, at: deadline, microseconds: 5)
      writer.close()
      #expect(writer.takeFailure() == nil)
      let (records, fault) = try BTSnoopFormatTests.read(try ScratchDirectory.contents(of: path))
      #expect(records.map(\.packet.microseconds) == [1, 2])
      #expect(fault == nil)
    }
  }

  @Test("A slow reader of a FIFO loses whole packets, which are counted, and gets all others")
  func slowReader() throws {
    let fifo = "\(directory.path)/fifo"
    try #require(mkfifo(fifo, 0o600) == 0)
    let reader = open(fifo, O_RDONLY | O_NONBLOCK)
    try #require(reader >= 0)
    defer { close(reader) }
    let writer = try BTSnoopWriter(creating: fifo, policy: .init(octets: 1000, limit: 8000))
    let packet: [UInt8] = [0x02, 0x40, 0x00, 0xFB, 0x00] + [UInt8](repeating: 7, count: 251)
    for time: Int64 in 0..<500 { writer.record(.hostToController, packet.span, at: .zero, microseconds: time) }
    let lost = Int(writer.droppedPackets)
    #expect(lost > 0)
    #expect(writer.takeFailure() == nil)
    var octets = ScratchDirectory.drain(reader)
    let deadline = try #require(writer.nextDeadline)
    writer.advance(to: deadline)
    octets += ScratchDirectory.drain(reader)
    writer.record(.hostToController, reset.span, at: deadline, microseconds: 500)
    writer.close()
    octets += ScratchDirectory.drain(reader)
    let (records, fault) = try BTSnoopFormatTests.read(octets)
    #expect(fault == nil)
    #expect(records.count == 501 - lost)
    #expect(records.map(\.packet.microseconds) == records.map(\.packet.microseconds).sorted())
    #expect(records.last?.packet.octets == reset)
    #expect(records.last.map { Int($0.droppedPackets) } == lost)
  }
}
