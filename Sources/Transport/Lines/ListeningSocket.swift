import CSerial
import Glibc

/// A socket that peers connect to: a `tcp-server:` controller address, or the H4 port of a virtual radio.
///
/// Watch its descriptor for `.readable` and then call `accept`. To serve one peer at a time, set the interest to nothing meanwhile: the
/// next peer waits in the kernel's queue.
package final class ListeningSocket: Sendable {
  /// The descriptor, to be watched for `.readable`.
  package let descriptor: CInt
  /// The port that it listens on (the system's choice if 0 was requested); 0 for a Unix socket.
  package let port: UInt16
  /// The address for peers, for example `tcp-client:127.0.0.1:9000` or `unix:/run/radio`.
  package let peerAddress: ControllerAddress

  /// The file of a Unix socket.
  private let file: SocketFile?

  private init(descriptor: CInt, port: UInt16, peerAddress: ControllerAddress, file: SocketFile? = nil) {
    self.descriptor = descriptor
    self.port = port
    self.peerAddress = peerAddress
    self.file = file
  }

  deinit {
    if case .unix(let path) = peerAddress, let file, SocketFile(at: path) == file { unlink(path) }
    end()
    close(descriptor)
  }

  /// Stops accepting connections at once. The descriptor itself lives as long as a turn of the loop uses its watch, and in a child process
  /// until that executes its program.
  package func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Listens on a TCP port, 0 for any free one. The default host is loopback.
  package static func tcp(
    host: String = ControllerAddress.loopback, port: UInt16 = 0
  ) throws(TransportError) -> ListeningSocket {
    let place = ControllerAddress.tcpServer(host: host, port: port).description
    let what = "cannot listen on"
    let addresses: [SocketAddress]
    switch SocketAddress.resolve(host: host, port: port, passive: true) {
    case .success(let found): addresses = found
    case .failure(let failure):
      throw TransportError(
        kind: .notFound, what: what, place: place, why: failure.text, advice: "give an address of this machine")
    }
    guard let address = addresses.first else {
      throw TransportError(kind: .notFound, what: what, place: place, why: "the host has no address")
    }
    let descriptor = try listen(on: address, place)
    let bound = SocketAddress(of: descriptor)?.port ?? port
    return ListeningSocket(
      descriptor: descriptor, port: bound, peerAddress: .tcpClient(host: host, port: bound))
  }

  /// Listens on a Unix socket, which is finally removed. Replaces one that a dead process left behind. Anything at the path that is not a
  /// socket is an error and is kept.
  package static func unix(path: String) throws(TransportError) -> ListeningSocket {
    let place = ControllerAddress.unix(path: path).description
    guard let address = SocketAddress(path: path) else { throw .pathTooLong("cannot listen on", place) }
    // A refused connection alone is not enough: the kernel reports the same error for a plain file.
    if SocketFile(at: path) != nil,
      case .failure(let failure) = Line.connectSocket(to: address, until: SystemClock.now()),
      failure.code == ECONNREFUSED
    {
      unlink(path)
    }
    let descriptor = try listen(on: address, place)
    return ListeningSocket(descriptor: descriptor, port: 0, peerAddress: .unix(path: path), file: SocketFile(at: path))
  }

  private static func listen(on address: SocketAddress, _ place: String) throws(TransportError) -> CInt {
    let what = "cannot listen on"
    let descriptor = socket(address.family, streamSocket, 0)
    guard descriptor >= 0 else { throw .system(what, place, errno) }
    var on: CInt = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<CInt>.size))
    guard address.withPointer({ bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, SOMAXCONN) == 0 else {
      let code = errno
      close(descriptor)
      var error = TransportError.system(what, place, code)
      if code == EADDRINUSE { error.advice = "another program listens there; give another port or path" }
      throw error
    }
    return descriptor
  }

  /// Whether a peer has connected and has not been accepted.
  private var hasWaitingPeer: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// Accepts the next peer that has connected; nil if none waits.
  ///
  /// Throws `exhausted` if no descriptor is left. The peer then keeps waiting and the socket stays readable, so set the interest to nothing
  /// for a while.
  ///
  /// - Parameters:
  ///   - leavingReserve: Whether the last descriptors are reserved for the process itself.
  package func accept(leavingReserve: Bool = false) throws(TransportError) -> Line? {
    if leavingReserve, hasWaitingPeer, DescriptorReserve.isReached(copying: descriptor) {
      throw .system("cannot accept a connection on", peerAddress.description, EMFILE)
    }
    while true {
      let peer = cserial_accept(descriptor)
      if peer >= 0 {
        if port != 0 { Line.setNoDelay(peer) }
        return Line(adopting: peer)
      }
      switch errno {
      case EINTR, ECONNABORTED: continue
      case EAGAIN: return nil
      case let code: throw .system("cannot accept a connection on", peerAddress.description, code)
      }
    }
  }
}
