import Foundation
import Glibc

/// A failed operation of a test's socket.
struct SocketFailure: Error {
  var what: String
}

/// A connected TCP socket with blocking calls, for separate threads; none blocks longer than ten seconds.
final class BlockingSocket: Sendable {
  private let descriptor: CInt

  init(port: UInt16) throws {
    descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw SocketFailure(what: "connect: \(errno)") }
  }

  deinit { Glibc.close(descriptor) }

  /// Ends the connection for both sides; readers get an end.
  func shutDown() { shutdown(descriptor, CInt(SHUT_RDWR)) }

  func send(_ octets: [UInt8]) throws {
    var sent = 0
    while sent < octets.count {
      let count = octets[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw SocketFailure(what: "send: \(errno)") }
      sent += count
    }
  }

  /// Returns some octets; none at the end.
  func receive(upTo limit: Int = 65_536) throws -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: limit)
    let count = recv(descriptor, &octets, limit, 0)
    if count < 0 && errno == ECONNRESET { return [] }
    guard count >= 0 else { throw SocketFailure(what: "recv: \(errno)") }
    return Array(octets.prefix(count))
  }

  /// Returns exactly that many octets.
  func receive(exactly count: Int) throws -> [UInt8] {
    var octets: [UInt8] = []
    while octets.count < count {
      let more = try receive(upTo: count - octets.count)
      guard !more.isEmpty else { throw SocketFailure(what: "the connection ended") }
      octets += more
    }
    return octets
  }
}

/// Runs blocking work on a separate thread, so that no thread of the tasks waits.
func onThread<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try work() }) }
  }
}
