import BLECore
import Glibc
import Testing
import Transport

@Suite("Sockets")
struct SocketTests {
  /// Returns the peer that connects.
  private func accept(_ listener: ListeningSocket) throws -> Line {
    try wait(for: .readable, on: listener.descriptor)
    return try #require(try listener.accept())
  }

  private func line(_ address: ControllerAddress) throws -> Line {
    guard case .line(let line) = try address.open() else {
      Issue.record("\(address) is not a line")
      throw CancellationError()
    }
    return line
  }

  private func exchange(_ one: Line, _ other: Line) throws {
    #expect(one.write([1, 2, 3].span) == .sent)
    #expect(try read(3, from: other) == [1, 2, 3])
    #expect(other.write([4, 5].span) == .sent)
    #expect(try read(2, from: one) == [4, 5])
  }

  @Test("A TCP server takes a free port, and accepts one peer after another", arguments: ["127.0.0.1", "::1"])
  func tcp(_ host: String) throws {
    guard case .listening(let server) = try ControllerAddress.tcpServer(host: host, port: 0).open() else {
      Issue.record("not a server")
      return
    }
    #expect(server.port != 0)
    #expect(server.peerAddress == .tcpClient(host: host, port: server.port))
    #expect(try server.accept() == nil)
    for _ in 0..<3 {
      let client = try line(server.peerAddress)
      let peer = try accept(server)
      for end in [client, peer] {
        var value: CInt = 0
        var size = socklen_t(MemoryLayout<CInt>.size)
        #expect(getsockopt(end.descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &value, &size) == 0 && value != 0)
      }
      try exchange(client, peer)
      client.close()
      var buffer = OctetBuffer()
      #expect(try readWaiting(peer, into: &buffer) == .closed)
    }
  }

  @Test("A reset by the peer is an end")
  func reset() throws {
    let server = try ListeningSocket.tcp()
    let client = try line(server.peerAddress)
    let peer = try accept(server)
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(client.descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    client.close()
    var buffer = OctetBuffer()
    #expect(try readWaiting(peer, into: &buffer) == .closed)
  }

  @Test("A Unix socket is created, used, removed, and replaces a leftover one")
  func unix() throws {
    let path = temporaryPath("socket")
    for _ in 0..<2 {
      let server = try ListeningSocket.unix(path: path)
      #expect(server.port == 0 && server.peerAddress == .unix(path: path))
      try exchange(try line(server.peerAddress), try accept(server))
    }
    #expect(access(path, F_OK) != 0)
    // A socket without a listener.
    let left = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let bound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(left, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
    #expect(bound == 0)
    close(left)
    let server = try ListeningSocket.unix(path: path)
    try exchange(try line(server.peerAddress), try accept(server))
  }

  @Test("A port or path in use is refused")
  func inUse() throws {
    let server = try ListeningSocket.tcp()
    let error = try #require(throws: TransportError.self) { try ListeningSocket.tcp(port: server.port) }
    #expect(error.kind == .busy)
    #expect(error.description.contains("tcp-server:127.0.0.1:\(server.port): Address already in use; another program"))
    let path = temporaryPath("socket-in-use")
    let first = try ListeningSocket.unix(path: path)
    let second = try #require(throws: TransportError.self) { try ListeningSocket.unix(path: path) }
    #expect(second.kind == .busy)
    try exchange(try line(first.peerAddress), try acceptLast(first))
  }

  /// Accepts the last waiting peer: checking whether a path is in use leaves one behind.
  private func acceptLast(_ listener: ListeningSocket) throws -> Line {
    var last = try accept(listener)
    while let next = try listener.accept() { last = next }
    return last
  }

  @Test("A file is not mistaken for a leftover socket")
  func fileInTheWay() throws {
    let path = try temporaryFile("file-not-socket")
    defer { unlink(path) }
    let error = try #require(throws: TransportError.self) { try ListeningSocket.unix(path: path) }
    #expect(error.kind == .busy)
    #expect(access(path, F_OK) == 0)
  }

  @Test("A link in place of a socket is left alone, and so is its target")
  func linkInTheWay() throws {
    let file = try temporaryFile("link-target")
    let link = temporaryPath("link-not-socket")
    try #require(symlink(file, link) == 0)
    defer {
      unlink(link)
      unlink(file)
    }
    #expect(throws: TransportError.self) { try ListeningSocket.unix(path: link) }
    #expect(access(link, F_OK) == 0 && access(file, F_OK) == 0)
  }

  @Test("A file that has replaced the socket stays when the listener is closed")
  func replacedSocket() throws {
    let path = temporaryPath("socket-replaced")
    do {
      let server = try ListeningSocket.unix(path: path)
      unlink(path)
      _ = try temporaryFile("socket-replaced")
      #expect(server.port == 0)
    }
    #expect(access(path, F_OK) == 0)
    unlink(path)
  }

  @Test("Without a listener there is an error")
  func nobodyListens() throws {
    let port: UInt16
    do { port = try ListeningSocket.tcp().port }
    let refused = try #require(throws: TransportError.self) { try Line.connectTCP(host: "127.0.0.1", port: port) }
    #expect(refused.kind == .unreachable)
    #expect(
      refused.description
        == "cannot connect to tcp-client:127.0.0.1:\(port): no program listens there; start the controller first")
    let absent = try #require(throws: TransportError.self) { try Line.connectUnix(path: temporaryPath("absent")) }
    #expect(absent.kind == .notFound)
    let long = String(repeating: "x", count: 108)
    let tooLong = try #require(throws: TransportError.self) { try Line.connectUnix(path: long) }
    #expect(tooLong.kind == .unsupported)
    #expect(throws: TransportError.self) { try ListeningSocket.unix(path: long) }
    let unknown = try #require(throws: TransportError.self) { try Line.connectTCP(host: "host.invalid", port: 1) }
    #expect(unknown.kind == .notFound)
  }

  @Test("A connection that is not established ends at the limit")
  func connectLimit() throws {
    // A full queue of one: further connections hang.
    let server = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    defer { close(server) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port =
      withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Bool in
          bind(server, pointer, size) == 0 && listen(server, 0) == 0 && getsockname(server, pointer, &size) == 0
        }
      } ? UInt16(bigEndian: address.sin_port) : 0
    try #require(port != 0)
    var clients: [Line] = []
    let error = try #require(throws: TransportError.self) {
      for _ in 0..<10 {
        clients.append(try Line.connectTCP(host: "127.0.0.1", port: port, limit: .milliseconds(50)))
      }
    }
    #expect(error.kind == .timedOut)
    #expect(error.why.hasPrefix("no answer within 0.05 sec"))
  }
}
