#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is written piece by piece and gets its name when it is complete. Until then it has a temporary name in the same folder, so
/// that an existing file is unchanged if anything fails. A path that is not a file on a disk, such as a FIFO, is written in place.
package struct OutputFile: ~Copyable {
  /// The requested name.
  package let path: String
  /// The file to replace, with links resolved.
  private let place: String
  /// The name until the file is complete; nil if it is written in place.
  private let temporary: String?
  private var descriptor: CInt

  /// Creates the file with the permissions of the file that it replaces.
  ///
  /// - Parameters:
  ///   - inPlace: Whether other programs read the file while it is written, so that it needs its name from the start.
  ///   - permissions: The permissions of a new file. Packets are readable only by their owner.
  package init(
    creating path: String, inPlace: Bool = false, permissions: mode_t = 0o600
  ) throws(CaptureFailure) {
    self.path = path
    var status = stat()
    let exists = stat(path, &status) == 0
    if inPlace || exists && status.st_mode & S_IFMT != S_IFREG {
      (place, temporary) = (path, nil)
      descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, permissions)
    } else {
      place = exists ? Self.target(of: path) : path
      let name = "\(place).\(getpid())"
      temporary = name
      descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, permissions)
      if descriptor >= 0, exists { fchmod(descriptor, status.st_mode & 0o777) }
    }
    if descriptor < 0 { throw CaptureFailure(path: path, code: errno) }
  }

  deinit {
    guard descriptor >= 0 else { return }
    closeDescriptor(descriptor)
    if let temporary { unlink(temporary) }
  }

  private static func target(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Appends octets.
  package mutating func write(_ octets: Span<UInt8>) throws(CaptureFailure) {
    var written = 0
    while written < octets.count {
      let count = octets.extracting(written...).withUnsafeBytes {
        writeOctets($0, to: descriptor)
      }
      if count > 0 {
        written += count
      } else if count == 0 || errno != EINTR {
        throw CaptureFailure(path: path, code: count == 0 ? EIO : errno)
      }
    }
  }

  /// Gives the file its name. Without this call the file is removed.
  package mutating func finish() throws(CaptureFailure) {
    guard descriptor >= 0 else { return }
    if let temporary, fsync(descriptor) != 0 || rename(temporary, place) != 0 {
      throw CaptureFailure(path: path, code: errno)
    }
    let isClosed = closeDescriptor(descriptor) == 0
    descriptor = -1
    if !isClosed { throw CaptureFailure(path: path, code: errno) }
  }
}
