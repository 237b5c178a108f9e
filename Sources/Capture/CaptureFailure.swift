import Glibc

/// Why a capture file cannot be made or written any longer.
public struct CaptureFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file.
  public let path: String
  /// The errno value.
  public let code: CInt

  /// A failure with that errno value.
  public init(path: String, code: CInt) {
    self.path = path
    self.code = code
  }

  /// What failed and why, in the operating system's words.
  public var description: String { "cannot write the capture file \(path): \(reason)" }

  /// The operating system's words for the errno value, such as `No space left on device`.
  public var reason: String { String(cString: strerror(code)) }
}
