import Glibc

/// An external place that a line connects to.
package enum LinePlace: Hashable, Sendable {
  /// A file, opened for reading only.
  case file(path: String)
  /// A TCP server.
  case tcp(host: String, port: UInt16)
  /// A Unix socket.
  case unix(path: String)

  /// Opens a line to it. A connection may take up to `Line.connectLimit`; name resolution takes additional time.
  package func open() throws(TransportError) -> Line {
    switch self {
    case .file(let path): try Line.openFile(path: path)
    case .tcp(let host, let port): try Line.connectTCP(host: host, port: port)
    case .unix(let path): try Line.connectUnix(path: path)
    }
  }
}

extension LinePlace: CustomStringConvertible {
  /// The place as in a profile: `file:PATH`, `tcp:HOST:PORT`, `unix:PATH`.
  package var description: String {
    switch self {
    case .file(let path): "file:\(path)"
    case .tcp(let host, let port): "tcp:\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }
}

extension Line {
  /// Opens a file for reading. Does not wait for the writer of a FIFO.
  package static func openFile(path: String) throws(TransportError) -> Line {
    let place = LinePlace.file(path: path).description
    let descriptor = Glibc.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("cannot open", place, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      Glibc.close(descriptor)
      throw .system("cannot open", place, EISDIR, advice: "give a file")
    }
    return Line(adopting: descriptor)
  }
}
