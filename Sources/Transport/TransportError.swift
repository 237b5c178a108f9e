import Glibc

/// The reason why a port, socket or terminal could not be opened: what failed, where, why, and a remedy.
public struct TransportError: Error, Hashable, Sendable {
  /// The kind of failure, for callers that handle it.
  public enum Kind: Hashable, Sendable {
    /// There is no such port, file or host.
    case notFound
    /// The user lacks permission.
    case permissionDenied
    /// Another program is using it.
    case busy
    /// Nobody answers or listens.
    case unreachable
    /// More than one candidate matches.
    case ambiguous
    /// Nobody answered in time.
    case timedOut
    /// The device or address does not support the request.
    case unsupported
    /// The process or the machine has run out of descriptors or memory, perhaps temporarily.
    case exhausted
    /// Any other error of the operating system.
    case system
  }

  /// The kind of failure.
  public var kind: Kind
  /// What failed, for example `cannot open the serial port`.
  public var what: String
  /// The controller address, or the part of it that failed.
  public var place: String
  /// The reason, for example `permission denied`.
  public var why: String
  /// The remedy, if known.
  public var advice: String?
  /// The errno value behind it, or 0.
  public var code: CInt

  /// Creates a failure from its parts.
  public init(kind: Kind, what: String, place: String, why: String, advice: String? = nil, code: CInt = 0) {
    self.kind = kind
    self.what = what
    self.place = place
    self.why = why
    self.advice = advice
    self.code = code
  }

  /// Creates a failure of a system call, with the system's own text.
  static func system(_ what: String, _ place: String, _ code: CInt, advice: String? = nil) -> TransportError {
    let kind: Kind =
      switch code {
      case ENOENT, ENODEV, ENXIO: .notFound
      case EACCES, EPERM: .permissionDenied
      case EBUSY, EADDRINUSE: .busy
      case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ECONNRESET, EADDRNOTAVAIL: .unreachable
      case ETIMEDOUT: .timedOut
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: .exhausted
      case ENOTTY, EINVAL, ERANGE, EOPNOTSUPP, ENAMETOOLONG: .unsupported
      default: .system
      }
    return TransportError(kind: kind, what: what, place: place, why: errorText(code), advice: advice, code: code)
  }
}

extension TransportError: CustomStringConvertible {
  /// One line: what failed, where, why, and the remedy.
  public var description: String {
    "\(what) \(place): \(why)" + (advice.map { "; \($0)" } ?? "")
  }
}

/// Returns the operating system's text for an errno value, for example `No such file or directory`.
func errorText(_ code: CInt) -> String { String(cString: strerror(code)) }

extension TransportError {
  /// Returns the operating system's text for an errno value, for example `No such file or directory`.
  public static func text(ofErrno code: CInt) -> String { errorText(code) }
}
