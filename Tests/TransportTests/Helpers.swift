import BLECore
import Glibc
import Synchronization
import Testing
import Transport

/// A pair of connected sockets, as lines.
func linePair() throws -> (Line, Line) {
  let (one, other) = try socketPair()
  return (Line(adopting: one), Line(adopting: other))
}

/// A pair of connected sockets.
func socketPair() throws -> (CInt, CInt) {
  var descriptors: [CInt] = [-1, -1]
  try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &descriptors) == 0)
  return (descriptors[0], descriptors[1])
}

/// Waits until a line is readable, and reads it; fails the test if that takes ten seconds.
func readWaiting(_ line: Line, into buffer: inout OctetBuffer) throws -> ReadOutcome {
  while true {
    let outcome = line.read(into: &buffer)
    guard outcome == .wouldBlock else { return outcome }
    try wait(for: .readable, on: line.descriptor)
  }
}

/// Reads until `count` octets have arrived, or the line reports something else.
func read(_ count: Int, from line: Line) throws -> [UInt8] {
  var buffer = OctetBuffer()
  while buffer.count < count {
    guard case .octets = try readWaiting(line, into: &buffer) else { break }
  }
  return buffer.copy()
}

/// Waits until poll(2) reports one of `events`.
func wait(for events: PollEvents, on descriptor: CInt) throws {
  var entry = pollfd(fd: descriptor, events: events.rawValue, revents: 0)
  try #require(poll(&entry, 1, 10_000) == 1, "nothing came in ten seconds")
}

/// Returns a path in the directory for temporary files that no other test uses.
func temporaryPath(_ name: String) -> String { "/tmp/understudy-\(getpid())-\(name)" }

/// A store for values from handlers on a loop.
final class Notes<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])

  func add(_ value: Value) { values.withLock { $0.append(value) } }

  var all: [Value] { values.withLock { $0 } }
}

/// Creates an empty file in that directory. Tests of files that must not be removed use only their own files: they may run as
/// root, where a failure would remove the target.
func temporaryFile(_ name: String) throws -> String {
  let path = temporaryPath(name)
  let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
  try #require(descriptor >= 0)
  close(descriptor)
  return path
}

/// An actor on a loop, for tests that need one.
actor Resident {
  private let loop: PollLoop
  private(set) var count = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(loop: PollLoop) { self.loop = loop }

  func increment() { count += 1 }

  func isOnLoop() -> Bool { loop.isCurrent }

  func incrementAndYield(times: Int) async {
    for _ in 0..<times {
      increment()
      await Task.yield()
    }
  }
}

/// Runs `body` with a loop on its own thread, and ends the loop.
func withLoop<Result: Sendable>(
  _ name: String = "test", _ body: (PollLoop) async throws -> Result
) async throws -> Result {
  let loop = try PollLoop(name: name)
  try loop.start()
  defer { loop.stopAndWait() }
  return try await body(loop)
}
