#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The reason why a capture file cannot be created or written.
public struct CaptureFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path of the file.
  public let path: String
  /// The errno value.
  public let code: CInt

  /// Creates a failure with this errno value.
  public init(path: String, code: CInt) {
    self.path = path
    self.code = code
  }

  /// What failed and why, with the operating system's text.
  public var description: String { "cannot write the capture file \(path): \(reason)" }

  /// The operating system's text for the errno value, for example `No space left on device`.
  public var reason: String { String(cString: strerror(code)) }
}
