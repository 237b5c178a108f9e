import Glibc

/// A socket address for system calls.
struct SocketAddress {
  private var storage = sockaddr_storage()
  private var length = socklen_t(0)

  /// The address family.
  var family: CInt { CInt(storage.ss_family) }

  init(copying address: UnsafePointer<sockaddr>, length: socklen_t) {
    self.length = length
    withUnsafeMutableBytes(of: &storage) { room in
      room.copyMemory(from: UnsafeRawBufferPointer(start: address, count: min(Int(length), room.count)))
    }
  }

  /// Creates the address of a Unix socket; nil if the path is too long.
  init?(path: String) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let octets = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
      guard !octets.isEmpty, octets.count < room.count else { return false }
      room.copyBytes(from: octets)
      return true
    }
    guard fits else { return nil }
    length = socklen_t(MemoryLayout<sockaddr_un>.size)
    withUnsafeMutableBytes(of: &storage) { room in
      withUnsafeBytes(of: &address) { room.copyMemory(from: $0) }
    }
  }

  /// Creates the local address of a socket.
  init?(of descriptor: CInt) {
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let code = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    guard code == 0 else { return nil }
    length = size
  }

  /// The port of an internet address; otherwise 0.
  var port: UInt16 {
    var copy = storage
    return withUnsafeBytes(of: &copy) { octets in
      switch family {
      case AF_INET, AF_INET6: UInt16(bigEndian: octets.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
      default: 0
      }
    }
  }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  /// Returns the addresses of a host, or the reason why there are none.
  static func resolve(host: String, port: UInt16, passive: Bool) -> Result<[SocketAddress], ResolveFailure> {
    var hints = addrinfo()
    hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, String(port), &hints, &list)
    guard code == 0 else { return .failure(ResolveFailure(text: String(cString: gai_strerror(code)))) }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let entry = next {
      if let address = entry.pointee.ai_addr {
        addresses.append(SocketAddress(copying: address, length: entry.pointee.ai_addrlen))
      }
      next = entry.pointee.ai_next
    }
    return .success(addresses)
  }

  struct ResolveFailure: Error {
    var text: String
  }
}
