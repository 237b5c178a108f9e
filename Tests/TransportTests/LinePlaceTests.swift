import BLECore
import Glibc
import Testing

@testable import Transport

@Suite("Places of lines")
struct LinePlaceTests {
  @Test("Places are written as in profiles")
  func descriptions() {
    #expect("\(LinePlace.file(path: "/a"))" == "file:/a")
    #expect("\(LinePlace.tcp(host: "localhost", port: 7))" == "tcp:localhost:7")
    #expect("\(LinePlace.unix(path: "/a"))" == "unix:/a")
  }

  /// Opens a place and returns the result of `use` with the line, on a loop.
  private func open<Value: Sendable>(
    _ place: LinePlace, _ use: @escaping @Sendable (Line) -> Value
  ) async throws -> Result<Value, TransportError> {
    let loop = try PollLoop(name: "test")
    try loop.start()
    defer { loop.stopAndWait() }
    return await withCheckedContinuation { continuation in
      loop.open(place) { outcome in
        #expect(loop.isCurrent)
        continuation.resume(returning: outcome.map(use))
      }
    }
  }

  @Test("A line is opened elsewhere, and used on the loop")
  func opensElsewhere() async throws {
    let listener = try ListeningSocket.tcp()
    let place = LinePlace.tcp(host: "127.0.0.1", port: listener.port)
    #expect(try await open(place) { $0.write([1].span) }.get() == .sent)
    // A file is readable, and not a socket.
    let count = try await open(.file(path: "/proc/self/stat")) { file in
      var buffer = OctetBuffer()
      #expect(!file.shutDownWriting())
      _ = file.read(into: &buffer)
      return buffer.count
    }.get()
    #expect(count > 0)
  }

  @Test(
    "A missing place is an error with the reason",
    arguments: [
      (LinePlace.file(path: "/nowhere/file"), ENOENT), (.file(path: "/"), EISDIR), (.unix(path: "/nowhere"), ENOENT),
      (.tcp(host: "127.0.0.1", port: 1), ECONNREFUSED),
    ])
  func failures(place: LinePlace, code: CInt) async throws {
    guard case .failure(let error) = try await open(place, { _ in }) else {
      Issue.record("a line was opened")
      return
    }
    #expect(error.code == code && !error.why.isEmpty)
  }

  @Test("After the end of writing, the other side can still send")
  func shutsDown() throws {
    let path = "/tmp/understudy-shutdown-\(getpid())"
    let listener = try ListeningSocket.unix(path: path)
    let line = try Line.connectUnix(path: path)
    let other = try #require(try listener.accept())
    _ = line.write([1].span)
    #expect(line.shutDownWriting())
    var buffer = OctetBuffer()
    #expect(other.read(into: &buffer) == .octets(1))
    #expect(other.read(into: &buffer) == .closed)
    #expect(other.write([2].span) == .sent)
    #expect(line.read(into: &buffer) == .octets(1))
  }

  @Test("A terminal knows how much its program has not read")
  func unread() throws {
    let terminal = try PseudoTerminal.open(hangsUp: true)
    let program = Glibc.open(terminal.devicePath, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(program >= 0)
    defer { close(program) }
    #expect(terminal.unreadCount == 0)
    #expect(terminal.line.write([1, 2, 3].span) == .sent)
    // The kernel transfers octets asynchronously.
    var entry = pollfd(fd: program, events: Int16(POLLIN), revents: 0)
    try #require(poll(&entry, 1, 5000) == 1)
    #expect(terminal.unreadCount == 3)
    var octets: [UInt8] = [0, 0, 0]
    #expect(Glibc.read(program, &octets, 3) == 3)
    #expect(terminal.unreadCount == 0)
  }
}
