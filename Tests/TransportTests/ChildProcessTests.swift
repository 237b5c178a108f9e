import BLECore
import Glibc
import Testing

@testable import Transport

@Suite("Child processes", .timeLimit(.minutes(20)))
struct ChildProcessTests {
  private static func wait(for descriptor: CInt) throws {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    try #require(poll(&entry, 1, 10_000) == 1, "nothing came in ten seconds")
  }

  /// Returns everything up to the end.
  private static func read(_ line: Line) throws -> String {
    var octets = OctetBuffer()
    while true {
      try wait(for: line.descriptor)
      switch line.read(into: &octets) {
      case .octets, .wouldBlock: continue
      case .closed: return String(decoding: octets.copy(), as: UTF8.self)
      case .failed(let code): throw TransportError.system("cannot read", "", code)
      }
    }
  }

  private static func end(of process: ChildProcess) throws -> ChildEnd {
    try wait(for: process.descriptor)
    return try #require(process.takeEnd())
  }

  @Test func readsWritesAndEnds() throws {
    let process = try ChildProcess(["sh", "-c", "pwd >&2; cat; exit 5"], in: "/usr")
    #expect(process.takeEnd() == nil)
    #expect(process.line.write(Array("hello".utf8).span) == .sent)
    #expect(process.line.shutDownWriting())
    #expect(try Self.read(process.line) == "hello")
    #expect(try Self.read(process.errors) == "/usr\n")
    #expect(try Self.end(of: process) == .exited(5))
    #expect(process.takeEnd() == .exited(5))
  }

  @Test func signalsReachItsWholeGroup() throws {
    let process = try ChildProcess(["sh", "-c", "sleep 60 & echo begun; wait"], in: "/")
    try Self.wait(for: process.line.descriptor)
    process.signal(SIGTERM)
    #expect(try Self.end(of: process) == .killed(Int(SIGTERM)))
    // Its child also had the other end.
    #expect(try Self.read(process.line) == "begun\n")
  }

  @Test func whoHasNotEndedIsKilledWhenItIsLetGo() throws {
    var process: ChildProcess? = try ChildProcess(["sh", "-c", "trap '' TERM; sleep 60"], in: "/")
    let number = try #require(process).process
    process = nil
    #expect(kill(number, 0) == -1)
  }

  /// The process that started it must end the processes that it leaves behind.
  @Test func whatItLeavesBehindEndsWithIt() throws {
    let script = "(trap '' TERM HUP; echo begun; exec sleep 60) & read line; exit 3"
    let process = try ChildProcess(["sh", "-c", script], in: "/")
    try Self.wait(for: process.line.descriptor)
    #expect(process.line.write(Array("end\n".utf8).span) == .sent)
    #expect(try Self.end(of: process) == .exited(3))
    // A remaining child would keep the other end open.
    #expect(try Self.read(process.line) == "begun\n")
  }

  @Test(arguments: [(["/nowhere/program"], "/", ENOENT), (["sh"], "/nowhere", ENOENT), (["/usr"], "/", EACCES)])
  func cannotBeRun(_ command: [String], _ folder: String, _ code: CInt) {
    let error = #expect(throws: TransportError.self) { _ = try ChildProcess(command, in: folder) }
    #expect(error?.code == code)
    #expect(error.map { "\($0)" }?.hasPrefix("cannot run the program \(command[0]): ") == true)
  }
}
