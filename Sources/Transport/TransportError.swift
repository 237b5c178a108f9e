import Glibc

/// Why a port, socket or terminal could not be opened: what failed, where, why, and what to do about it.
public struct TransportError: Error, Hashable, Sendable {
  /// The kind of failure, for those who act on it.
  public enum Kind: Hashable, Sendable {
    /// There is no such port, file or host.
    case notFound
    /// The user may not.
    case permissionDenied
    /// Another program has it.
    case busy
    /// Nobody answers, or nobody listens.
    case unreachable
    /// More than one would fit.
    case ambiguous
    /// Nobody answered in time.
    case timedOut
    /// The device or address cannot do what was asked.
    case unsupported
    /// The process or the machine has no descriptor or no memory left for it; there may be some again later.
    case exhausted
    /// Anything else the operating system said.
    case system
  }

  /// The kind of failure.
  public var kind: Kind
  /// What failed, such as `cannot open the serial port`.
  public var what: String
  /// The controller address, or the part of it that failed.
  public var place: String
  /// Why, such as `permission denied`.
  public var why: String
  /// What to do, if that is known.
  public var advice: String?
  /// The errno value behind it, or 0.
  public var code: CInt

  /// A failure in all its parts.
  public init(kind: Kind, what: String, place: String, why: String, advice: String? = nil, code: CInt = 0) {
    self.kind = kind
    self.what = what
    self.place = place
    self.why = why
    self.advice = advice
    self.code = code
  }

  /// A failure of a system call, in its own words.
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
  /// One line: what, where, why, and what to do.
  public var description: String {
    "\(what) \(place): \(why)" + (advice.map { "; \($0)" } ?? "")
  }
}

/// The operating system's words for an errno value, such as `No such file or directory`.
func errorText(_ code: CInt) -> String { String(cString: strerror(code)) }

extension TransportError {
  /// The operating system's words for an errno value, such as `No such file or directory`.
  public static func text(ofErrno code: CInt) -> String { errorText(code) }
}
