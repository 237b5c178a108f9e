import AccessoryProfile
import BLECore
import Glibc
import Testing
import Transport
import Understudy

@Suite("Bridges", .timeLimit(.minutes(20)))
struct BridgeTests {
  /// The scene of a test: an accessory on the air that publishes one channel, and a central that is connected to it.
  private struct Scene {
    let accessory: Accessory
    let events: AsyncStream<AccessoryEvent>
    let central: LineCentral

    /// Opens a channel; `local` distinguishes several channels.
    func open(local: UInt16 = 0x50, credits: UInt16 = .max) throws -> CentralChannel {
      try CentralChannel(central, psm: 0x80, local: local, credits: credits)
    }

    /// Returns the target of the next channel's line.
    func place() async throws -> String {
      guard case .string(let place) = try await events.named("channel-bridged").json["place"] else { return "" }
      return place
    }
  }

  private func withScene(_ handler: String, _ body: (Scene) async throws -> Void) async throws {
    try await withLoop { loop in
      let profile = try Profile.load(
        text: """
          understudy: 1
          name: Bridge
          l2cap: [ { id: bridge, psm: 0x80, mtu: 200, mps: 200, handler: '\(handler)' } ]
          """)
      let accessory = try Accessory(profile, options: AccessoryOptions(), loop: loop)
      let events = await accessory.events()
      try await accessory.start()
      let report = try await events.ready()
      let central = try LineCentral(port: report.ports[0])
      try central.connect(to: report.address)
      try await body(Scene(accessory: accessory, events: events, central: central))
      central.close()
      await accessory.stop()
      #expect(await accessory.end().failure == nil)
    }
  }

  /// The target of a line, in this process.
  private final class Server {
    let path = temporaryPath("bridge-\(UInt32.random(in: 0 ... .max))")
    private let listener: ListeningSocket

    init() throws { listener = try ListeningSocket.unix(path: path) }

    func accept() throws -> Line {
      try wait(for: listener.descriptor)
      return try #require(try listener.accept())
    }
  }

  private static func wait(for descriptor: CInt, _ events: CInt = POLLIN) throws {
    var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    try #require(poll(&entry, 1, 10_000) == 1, "nothing came in ten seconds")
  }

  private static func wait(for line: Line) throws { try wait(for: line.descriptor) }

  /// Reads the given number of octets, or everything up to the end.
  private func read(_ line: Line, upTo count: Int = .max) throws -> [UInt8] {
    var buffer = OctetBuffer()
    while buffer.count < count {
      try Self.wait(for: line)
      switch line.read(into: &buffer) {
      case .octets, .wouldBlock: break
      case .closed: return buffer.copy()
      case .failed(let code): Issue.record("errno \(code)")
      }
    }
    return buffer.copy()
  }

  private static func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) } }

  @Test("A socket gets the central's data, and the central the socket's data, up to the socket's end")
  func socket() async throws {
    let server = try Server()
    try await withScene("unix:\(server.path)") { scene in
      let channel = try scene.open()
      try channel.send([1, 2, 3])
      try channel.send([])
      try channel.send([4])
      let line = try server.accept()
      #expect(try read(line, upTo: 4) == [1, 2, 3, 4])
      #expect(try await scene.place() == "unix:\(server.path)")
      let state = try #require(await scene.accessory.channelReport().elements.first)
      #expect(state["id"] == .string("bridge") && state["bridge"] == .string("unix:\(server.path)"))
      let sent = Self.pattern(1000)
      #expect(line.write(sent.span) == .sent)
      line.close()
      #expect(try channel.receive()?.count == CentralChannel.mtu)
      #expect(try channel.receiveAll() == Array(sent[200...]))
      #expect(try await scene.events.named("channel-closed").json["unsent"] == .int(0))
    }
  }

  @Test("The channel's end closes the socket after all data has been sent")
  func channelEnds() async throws {
    let server = try Server()
    try await withScene("unix:\(server.path)") { scene in
      let channel = try scene.open()
      let sent = Self.pattern(10_000)
      for start in stride(from: 0, to: sent.count, by: 200) { try channel.send(Array(sent[start..<start + 200])) }
      try channel.close()
      let line = try server.accept()
      // Further data from the socket is discarded, and must not affect the data that it has yet to read.
      _ = line.write([9, 9, 9].span)
      #expect(try read(line) == sent)
    }
  }

  @Test("A socket that is not read holds back the central; then everything arrives, in order")
  func slowSocket() async throws {
    let server = try Server()
    try await withScene("unix:\(server.path)") { scene in
      let channel = try scene.open()
      let line = try server.accept()
      // The kernel buffers some data, and then the central uses up its credits.
      var size: CInt = 4096
      setsockopt(line.descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
      let sent = Self.pattern(350_000)
      var position = 0
      var received: [UInt8] = []
      var wasHeld = false
      while position < sent.count {
        if channel.credits == 0, received.count < position {
          wasHeld = true
          received += try read(line, upTo: 1)
        }
        try channel.send(Array(sent[position..<position + 200]))
        position += 200
      }
      received += try read(line, upTo: sent.count - received.count)
      #expect(received == sent && wasHeld)
    }
  }

  @Test("A central that gives no credits holds back the socket; then everything arrives, in order")
  func slowCentral() async throws {
    let server = try Server()
    try await withScene("unix:\(server.path)") { scene in
      let channel = try scene.open(credits: 1)
      let line = try server.accept()
      let sent = Self.pattern(350_000)
      // Data that the kernel does not accept waits on this side.
      line.pendingLimit = sent.count
      guard case .queued = line.write(sent.span) else {
        Issue.record("everything went somewhere")
        return
      }
      #expect(try channel.receive() == Array(sent[..<200]))
      let state = try #require(await scene.accessory.channelReport().elements.first)
      #expect(try #require(state["queued"]?.number) <= 70_000)
      channel.perform(.max)
      var received = 200
      while received < sent.count {
        _ = line.flush()
        guard let sdu = try channel.receive() else { break }
        guard sdu.elementsEqual(sent[received..<received + sdu.count]) else {
          Issue.record("something else at \(received)")
          return
        }
        received += sdu.count
      }
      #expect(received == sent.count)
    }
  }

  @Test("Each channel has its own line")
  func several() async throws {
    let server = try Server()
    try await withScene("unix:\(server.path)") { scene in
      let first = try scene.open(local: 0x50)
      let one = try server.accept()
      let second = try scene.open(local: 0x51)
      let two = try server.accept()
      try first.send([1])
      try second.send([2])
      #expect(try read(one, upTo: 1) == [1])
      #expect(try read(two, upTo: 1) == [2])
      try first.close()
      #expect(try read(one) == [])
      try second.send([3])
      #expect(try read(two, upTo: 1) == [3])
    }
  }

  @Test("A TCP port is a line")
  func tcp() async throws {
    let listener = try ListeningSocket.tcp()
    try await withScene("tcp:127.0.0.1:\(listener.port)") { scene in
      let channel = try scene.open()
      try channel.send([7])
      try Self.wait(for: listener.descriptor)
      let line = try #require(try listener.accept())
      #expect(try read(line, upTo: 1) == [7])
      _ = line.write([8].span)
      #expect(try channel.receive() == [8])
    }
  }

  @Test(
    "Without a line the channel is closed, and a fault gives the reason",
    arguments: ["unix:/nowhere/socket", "file:/nowhere/file", "file:/", "tcp:127.0.0.1:1", "pty:/nowhere/link"])
  func noLine(handler: String) async throws {
    try await withScene(handler) { scene in
      let channel = try scene.open()
      #expect(try channel.receiveAll() == [])
      let fault = try await scene.events.named("fault").json
      #expect(fault["fault"] == .string("bridge-failed") && fault["id"] == .string("bridge"))
      #expect(fault["place"] == .string(handler) && fault["reason"] != .string(""))
    }
  }

  @Test("A file is sent in SDUs of the central's MTU, then the channel is closed", arguments: [0, 1, 200, 100_001])
  func file(size: Int) async throws {
    let path = temporaryPath("bridged-file-\(size)")
    defer { unlink(path) }
    let octets = Self.pattern(size)
    let descriptor = Glibc.open(path, O_CREAT | O_WRONLY | O_TRUNC, 0o600)
    #expect(octets.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == size)
    Glibc.close(descriptor)
    try await withScene("file:\(path)") { scene in
      let channel = try scene.open()
      #expect(try channel.receiveAll() == octets)
    }
  }

  /// Opens a terminal as programs do.
  private func program(at path: String) throws -> Line {
    let descriptor = Glibc.open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(descriptor >= 0)
    return Line(adopting: descriptor)
  }

  @Test("The first channel gets the link, another one a terminal without a link; the end of a program ends its channel")
  func terminals() async throws {
    let link = temporaryPath("bridged-terminal")
    try await withScene("pty:\(link)") { scene in
      let first = try scene.open(local: 0x50)
      try first.send([1, 13, 10, 3])
      #expect(try await scene.place() == link)
      let second = try scene.open(local: 0x51)
      let device = try await scene.place()
      #expect(device.hasPrefix("/dev/pts/"))
      let (one, two) = (try program(at: link), try program(at: device))
      // Data that arrived before the program has waited for it.
      #expect(try read(one, upTo: 4) == [1, 13, 10, 3])
      _ = one.write([5, 13].span)
      #expect(try first.receive() == [5, 13])
      _ = two.write([6].span)
      two.close()
      #expect(try second.receiveAll() == [6])
      try first.send([2])
      #expect(try read(one, upTo: 1) == [2])
    }
  }

  @Test("A terminal exists until its program has read what the central sent before it closed the channel")
  func partingTerminal() async throws {
    let link = temporaryPath("parting-terminal")
    try await withScene("pty:\(link)") { scene in
      let channel = try scene.open()
      #expect(try await scene.place() == link)
      let line = try program(at: link)
      let sent = Self.pattern(10_000)
      for start in stride(from: 0, to: sent.count, by: 200) { try channel.send(Array(sent[start..<start + 200])) }
      try channel.close()
      #expect(try read(line) == sent)
      var status = stat()
      #expect(lstat(link, &status) != 0)
    }
  }
}
