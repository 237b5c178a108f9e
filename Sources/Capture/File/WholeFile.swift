#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that exists completely or not at all.
package enum WholeFile {
  /// Writes a file that only its owner can read: first with a temporary name in the same folder, and renamed when everything is on the
  /// disk.
  package static func write(_ octets: [UInt8], to path: String) throws(CaptureFailure) {
    let temporary = "\(path).\(getpid())"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw CaptureFailure(path: path, code: errno) }
    func fail(_ code: CInt) -> CaptureFailure {
      close(descriptor)
      unlink(temporary)
      return CaptureFailure(path: path, code: code)
    }
    var written = 0
    while written < octets.count {
      let count = octets[written...].withUnsafeBytes { writeOctets($0, to: descriptor) }
      if count > 0 { written += count } else if count == 0 || errno != EINTR { throw fail(count == 0 ? EIO : errno) }
    }
    guard fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw fail(errno) }
    close(descriptor)
  }
}
