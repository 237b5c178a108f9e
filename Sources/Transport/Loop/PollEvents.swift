import Glibc

/// What a file descriptor is waited for, and what happened on it: the bits of poll(2).
public struct PollEvents: OptionSet, Hashable, Sendable {
  public let rawValue: Int16

  @inlinable
  public init(rawValue: Int16) { self.rawValue = rawValue }

  /// A read would not wait (POLLIN).
  public static let readable = PollEvents(rawValue: Int16(POLLIN))
  /// A write would not wait (POLLOUT).
  public static let writable = PollEvents(rawValue: Int16(POLLOUT))
  /// The descriptor has failed (POLLERR). Reported whether asked for or not.
  public static let failed = PollEvents(rawValue: Int16(POLLERR))
  /// The other side is gone (POLLHUP); there may still be octets to read. Reported whether asked for or not, and in every
  /// turn until the descriptor is unwatched.
  public static let hangUp = PollEvents(rawValue: Int16(POLLHUP))
  /// The descriptor was closed before it was unwatched (POLLNVAL). Reported once; the loop then unwatches it.
  public static let invalid = PollEvents(rawValue: Int16(POLLNVAL))

  /// What poll(2) reports without being asked.
  static let always: PollEvents = [.failed, .hangUp, .invalid]
}

/// Names a watched file descriptor of one poll loop.
public struct WatchID: Hashable, Sendable {
  let value: UInt64
}

/// Names a timer of one poll loop.
public struct TimerID: Hashable, Sendable {
  let value: UInt64
}
