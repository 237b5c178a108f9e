import BLECore
import Glibc

extension Line {
  /// The maximum time for connecting.
  package static let connectLimit = Duration.seconds(5)

  /// Connects to a TCP server within `limit`.
  package static func connectTCP(
    host: String, port: UInt16, limit: Duration = Line.connectLimit
  ) throws(TransportError) -> Line {
    let place = ControllerAddress.tcpClient(host: host, port: port).description
    let deadline = SystemClock.now() + limit
    let addresses: [SocketAddress]
    switch SocketAddress.resolve(host: host, port: port, passive: false) {
    case .success(let found): addresses = found
    case .failure(let failure):
      throw TransportError(
        kind: .notFound, what: "cannot connect to", place: place, why: failure.text,
        advice: "check the name of the host")
    }
    var code = ECONNREFUSED
    for address in addresses {
      switch connectSocket(to: address, until: deadline) {
      case .success(let descriptor):
        setNoDelay(descriptor)
        return Line(adopting: descriptor)
      case .failure(let failure): code = failure.code
      }
    }
    throw connectFailure(place, code, limit)
  }

  /// Connects to a Unix socket.
  package static func connectUnix(path: String, limit: Duration = Line.connectLimit) throws(TransportError) -> Line {
    let place = ControllerAddress.unix(path: path).description
    guard let address = SocketAddress(path: path) else { throw .pathTooLong("cannot connect to", place) }
    switch connectSocket(to: address, until: SystemClock.now() + limit) {
    case .success(let descriptor): return Line(adopting: descriptor)
    case .failure(let failure): throw connectFailure(place, failure.code, limit)
    }
  }

  static func setNoDelay(_ descriptor: CInt) {
    var on: CInt = 1
    setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
  }

  private static func connectFailure(_ place: String, _ code: CInt, _ limit: Duration) -> TransportError {
    var error = TransportError.system("cannot connect to", place, code)
    switch code {
    case ECONNREFUSED:
      error.why = "no program listens there"
      error.advice = "start the controller first"
    case ENOENT: error.advice = "start the controller first, or check the path"
    case ETIMEDOUT:
      error.why = "no answer within \(limit)"
      error.advice = "check the host and the port"
    default: break
    }
    return error
  }

  struct ConnectFailure: Error {
    var code: CInt
  }

  /// Returns a connected, non-blocking stream socket.
  static func connectSocket(to address: SocketAddress, until deadline: Instant) -> Result<CInt, ConnectFailure> {
    let descriptor = socket(address.family, streamSocket, 0)
    guard descriptor >= 0 else { return .failure(ConnectFailure(code: errno)) }
    var code = address.withPointer { connect(descriptor, $0, $1) } == 0 ? 0 : errno
    if code == EINPROGRESS || code == EINTR {
      code = ETIMEDOUT
      if waitReady(descriptor, .writable, until: deadline) {
        var size = socklen_t(MemoryLayout<CInt>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
      }
    }
    guard code != 0 else { return .success(descriptor) }
    _ = Glibc.close(descriptor)
    return .failure(ConnectFailure(code: code))
  }
}

/// The type of all stream sockets.
let streamSocket = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

extension TransportError {
  static func pathTooLong(_ what: String, _ place: String) -> TransportError {
    TransportError(
      kind: .unsupported, what: what, place: place, why: "a socket path must have 1 to 107 octets",
      advice: "give a shorter path", code: ENAMETOOLONG)
  }
}
