#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads the records of a capture file on a disk, of a FIFO or of standard input, with bounded memory.
package struct CaptureFileReader: ~Copyable {
  /// The path of the file.
  package let path: String
  /// The file's format, once the first record has been requested.
  package var format: CaptureFormat? { parser.format }
  /// The number of octets of the file that have been read.
  package var position: UInt64 { parser.position }

  private let descriptor: CInt
  private var parser = CaptureParser()
  private var run: [UInt8]
  private var hasEnded = false

  /// Opens the file; `-` is standard input.
  package init(opening path: String) throws(CaptureReadFailure) {
    self.path = path
    run = [UInt8](repeating: 0, count: 262_144)
    descriptor = path == "-" ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw .system(path: path, code: errno) }
  }

  /// Creates a reader of a descriptor, which it finally closes. `name` is used in messages.
  package init(adopting descriptor: CInt, name: String) {
    path = name
    run = [UInt8](repeating: 0, count: 262_144)
    self.descriptor = descriptor
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Reads the next record; false at the end of the file. Calls `willWait` whenever it needs more octets of the file.
  package mutating func next(
    into record: inout CaptureRecord, willWait: () -> Void = {}
  ) throws(CaptureReadFailure) -> Bool {
    while true {
      do throws(CaptureFault) {
        if try parser.next(into: &record) { return true }
      } catch {
        throw .format(path: path, error)
      }
      if hasEnded { return false }
      willWait()
      let count = run.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        let octets = run
        parser.push(octets.span.extracting(..<count))
      } else if count == 0 {
        hasEnded = true
        parser.end()
      } else if errno != EINTR {
        throw .system(path: path, code: errno)
      }
    }
  }
}

/// The reason why a capture file cannot be read.
package enum CaptureReadFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The operating system's errno value.
  case system(path: String, code: CInt)
  /// The file does not conform to its format.
  case format(path: String, CaptureFault)

  /// What failed and why.
  package var description: String {
    switch self {
    case .system(let path, let code): "cannot read the capture file \(path): \(String(cString: strerror(code)))"
    case .format(let path, let fault): "cannot read the capture file \(path): \(fault)"
    }
  }
}
