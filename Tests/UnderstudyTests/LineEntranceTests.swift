import AccessoryProfile
import BLECore
import BLEHCI
import Glibc
import Testing
import Transport
import Understudy

/// Returns what a web page can send to a local port: an HTTP head, and a body of its choice.
private func post(_ body: [UInt8]) -> [UInt8] {
  Array(
    """
    POST / HTTP/1.1\r
    Host: 127.0.0.1\r
    Content-Type: text/plain\r
    Content-Length: \(body.count)\r
    \r\n
    """.utf8) + body
}

/// Waits until the other end has closed the line.
private func expectEnd(of line: Line) throws {
  var buffer = OctetBuffer()
  while true {
    var entry = pollfd(fd: line.descriptor, events: Int16(POLLIN), revents: 0)
    try #require(poll(&entry, 1, 10_000) == 1, "the line is still open")
    if line.read(into: &buffer) == .closed { return }
  }
}

@Suite("Connections to listening sockets", .timeLimit(.minutes(20)))
struct LineEntranceTests {
  private func withRadio(_ body: (RadioHub) async throws -> Void) async throws {
    try await withLoop { loop in
      let radio = RadioHub(loop: loop)
      try await body(radio)
      await radio.close()
    }
  }

  static let foreign: [([UInt8], H4Opening.Speech)] = [
    (post(HCIReset().h4 + LESetScanEnable { $0.enable = true }.h4), .http),
    ([0x16, 0x03, 0x01, 0x02, 0x00] + HCIReset().h4, .tls),
    ([0x00] + HCIReset().h4, .unknown), (LEScanTimeout().h4 + HCIReset().h4, .unknown),
  ]

  @Test("A connection that does not begin with H4 is no host on the radio, whatever follows", arguments: foreign)
  func foreignHost(_ octets: [UInt8], _ speech: H4Opening.Speech) async throws {
    try await withRadio { radio in
      let port = try await radio.openPort()
      let path = temporaryPath("entrance-\(speech)-\(octets.count)")
      try await radio.openSocket(path: path)
      var events = await radio.events().makeAsyncIterator()
      for address in [ControllerAddress.tcpClient(host: "127.0.0.1", port: port), .unix(path: path)] {
        guard case .line(let line) = try address.open() else { continue }
        let (name, place) = (address == .unix(path: path) ? "unix-1" : "tcp-1", address.description)
        _ = line.write(octets.span)
        #expect(await events.next() == .joined(name: name, place: place))
        #expect(
          await events.next() == .lineRefused(name: name, LineRefusal(place: place, reason: .foreign(speech))))
        #expect(await events.next() == .left(name: name))
        try expectEnd(of: line)
        #expect(await radio.controllers == [])
      }
    }
  }

  @Test("A host that has sent valid H4 may lose an octet and continues")
  func resynchronises() async throws {
    try await withRadio { radio in
      let central = try LineCentral(port: try await radio.openPort())
      central.sendRaw([0xFF, 0x00] + Array("GET / HTTP/1.1\r\n".utf8))
      try central.command(HCIReset())
      #expect(await radio.controllers.map(\.name) == ["tcp-1"])
      central.close()
    }
  }

  @Test("A connecting controller is accepted only if it speaks H4, and awaited until then")
  func awaitedController() async throws {
    try await withLoop { loop in
      let radio = RadioHub(loop: loop)
      let radioPort = try await radio.openPort()
      let accessory = try Accessory(
        try testProfile(), options: AccessoryOptions(controller: .tcpServer(host: "127.0.0.1", port: 0)), loop: loop)
      let events = await accessory.events()
      try await accessory.start()
      let place = try await events.place()
      let port = try #require(UInt16(place.dropFirst("port ".count)))
      func connect() throws -> Line { try Line.connectTCP(host: "127.0.0.1", port: port) }

      let page = try connect()
      _ = page.write(post(HCICommandComplete(HCIReset.self, StatusReturn()).h4).span)
      #expect(try await events.named("line-refused").json["reason"] == .string("it speaks HTTP, not H4"))
      try expectEnd(of: page)
      // Disconnects at once, like a port scanner.
      try connect().close()
      #expect(try await events.named("line-refused").json["reason"] == .string("it sent nothing"))
      // A silent connection does not keep the controller out.
      let silent = try connect()
      let controller = try Line.connectTCP(host: "127.0.0.1", port: radioPort)
      let joint = try Joint(try connect(), controller)
      #expect(try await events.named("line-refused").json["reason"] == .string("it sent nothing"))
      try expectEnd(of: silent)
      #expect(try await events.ready().sets == ["main"])
      await accessory.stop()
      #expect(await accessory.end().failure == nil)
      joint.close()
      await radio.close()
    }
  }

  @Test("The oldest silent connection makes room for the next host")
  func silentLinesGoFirst() async throws {
    try await withRadio { radio in
      let path = temporaryPath("entrance-full")
      try await radio.openSocket(path: path)
      let place = "unix:\(path)"
      var events = await radio.events().makeAsyncIterator()
      let first = try LineCentral(line: try Line.connectUnix(path: path))
      #expect(await events.next() == .joined(name: "unix-1", place: place))
      var silent: [Line] = []
      for number in 2...RadioHub.hostLimit {
        silent.append(try Line.connectUnix(path: path))
        #expect(await events.next() == .joined(name: "unix-\(number)", place: place))
      }
      let late = try LineCentral(line: try Line.connectUnix(path: path))
      #expect(
        await events.next() == .lineRefused(name: "unix-2", LineRefusal(place: place, reason: .silent)))
      #expect(await events.next() == .left(name: "unix-2"))
      #expect(await events.next() == .joined(name: "unix-2", place: place))
      try expectEnd(of: silent[0])
      try first.command(HCIReset())
      for central in [first, late] { central.close() }
      for line in silent { line.close() }
    }
  }
}

/// Passes octets between two lines on its own thread, like socat.
private final class Joint: Sendable {
  private let descriptors: [CInt]

  init(_ first: Line, _ second: Line) throws {
    descriptors = [dup(first.descriptor), dup(second.descriptor)]
    for descriptor in descriptors {
      try #require(descriptor >= 0)
      _ = fcntl(descriptor, F_SETFL, 0)
    }
    for (from, to) in [(descriptors[0], descriptors[1]), (descriptors[1], descriptors[0])] {
      var thread = pthread_t()
      let ends = Ends(from: from, to: to)
      pthread_create(
        &thread, nil,
        { argument in
          guard let argument else { return nil }
          let ends = Unmanaged<Ends>.fromOpaque(argument).takeRetainedValue()
          var room = [UInt8](repeating: 0, count: 4096)
          while case let count = read(ends.from, &room, room.count), count > 0 {
            guard send(ends.to, &room, count, CInt(MSG_NOSIGNAL)) == count else { break }
          }
          return nil
        }, Unmanaged.passRetained(ends).toOpaque())
      pthread_detach(thread)
    }
  }

  private final class Ends: Sendable {
    let from: CInt
    let to: CInt
    init(from: CInt, to: CInt) { (self.from, self.to) = (from, to) }
  }

  func close() { for descriptor in descriptors { shutdown(descriptor, CInt(SHUT_RDWR)) } }
}
