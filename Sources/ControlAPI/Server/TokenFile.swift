import Glibc

/// A file with the token of a control API, by which other programs of the same user find it and nobody else does.
package final class TokenFile: Sendable {
  /// Where it is.
  package let path: String

  /// A token that nobody can guess: 128 bits in hexadecimal digits.
  package static func makeToken() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(random.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Writes the token of the control API at that port to `understudy/http-PORT.token` below `$XDG_RUNTIME_DIR`, or below
  /// `/tmp/understudy-UID` where that is not set. The file goes with this.
  package init(_ token: String, port: UInt16) throws(ControlServerError) {
    let directory = Self.directory
    path = Self.path(port: port)
    func failure(_ code: CInt) -> ControlServerError { .cannotKeepToken(path, reason: String(cString: strerror(code))) }
    var status = stat()
    if mkdir(directory, 0o700) != 0, errno != EEXIST { throw failure(errno) }
    // In a directory for everybody another user may have been first.
    guard lstat(directory, &status) == 0 else { throw failure(errno) }
    guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(), status.st_mode & 0o077 == 0 else {
      throw .cannotKeepToken(path, reason: "others can write \(directory)")
    }
    unlink(path)
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(errno) }
    defer { close(descriptor) }
    let octets = Array((token + "\n").utf8)
    guard write(descriptor, octets, octets.count) == octets.count else { throw failure(errno) }
  }

  deinit { unlink(path) }

  private static func path(port: UInt16) -> String { "\(directory)/http-\(port).token" }

  /// The token that a run of the same user has generated for the control API at that port, if there is one.
  static func token(port: UInt16) -> String? {
    let descriptor = open(path(port: port), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_uid == getuid() else { return nil }
    var octets = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &octets, octets.count)
    guard count > 0 else { return nil }
    return String(decoding: octets[..<count].prefix { $0 > 0x20 }, as: UTF8.self)
  }

  /// The directory of all such files.
  private static var directory: String {
    if let runtime = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), runtime.hasPrefix("/") {
      return "\(runtime)/understudy"
    }
    return "/tmp/understudy-\(getuid())"
  }
}
