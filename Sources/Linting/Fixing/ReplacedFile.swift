#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Replaces a file as a whole: after a failure, or at any moment before the end, it is the old one.
package enum ReplacedFile {
  /// The file could not be written.
  package struct Failure: Error, CustomStringConvertible {
    package let path: String
    package let code: Int32
    package var description: String {
      "\(path) cannot be written: \(strerror(code).map { String(cString: $0) } ?? "error \(code)")"
    }
  }

  /// Writes the text to a temporary file in the same folder, and renames it. A file that exists keeps its permissions; a link stays a link.
  package static func write(_ text: String, to path: String) throws(Failure) {
    let place = realpath(path, nil)
    defer { free(place) }
    let target = place.map { String(cString: $0) } ?? path
    var status = stat()
    let exists = stat(target, &status) == 0
    let temporary = "\(target).\(getpid())"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw Failure(path: path, code: errno) }
    func fail() -> Failure {
      let code = errno
      close(descriptor)
      unlink(temporary)
      return Failure(path: path, code: code)
    }
    if exists, fchmod(descriptor, status.st_mode & 0o7777) != 0 { throw fail() }
    let octets = Array(text.utf8)
    var written = 0
    while written < octets.count {
      let count = octets[written...].withUnsafeBytes { putOctets(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 { written += count } else if errno != EINTR { throw fail() }
    }
    guard fsync(descriptor) == 0, rename(temporary, target) == 0 else { throw fail() }
    close(descriptor)
  }
}

/// The system's `write`, which the method of that name hides.
private func putOctets(_ descriptor: Int32, _ octets: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, octets, count)
}
