import Glibc

/// What a file descriptor is waited for, and what happened on it: the bits of poll(2).
package struct PollEvents: OptionSet, Hashable, Sendable {
  package let rawValue: Int16

  @inlinable
  package init(rawValue: Int16) { self.rawValue = rawValue }

  /// A read would not wait (POLLIN).
  package static let readable = PollEvents(rawValue: Int16(POLLIN))
  /// A write would not wait (POLLOUT).
  package static let writable = PollEvents(rawValue: Int16(POLLOUT))
  /// The descriptor has failed (POLLERR). Reported whether asked for or not.
  package static let failed = PollEvents(rawValue: Int16(POLLERR))
  /// The other side is gone (POLLHUP); there may still be octets to read. Reported whether asked for or not, and in every
  /// turn until the descriptor is unwatched.
  package static let hangUp = PollEvents(rawValue: Int16(POLLHUP))
  /// The descriptor was closed before it was unwatched (POLLNVAL). Reported once; the loop then unwatches it.
  package static let invalid = PollEvents(rawValue: Int16(POLLNVAL))

  /// What poll(2) reports without being asked.
  static let always: PollEvents = [.failed, .hangUp, .invalid]
}

/// Names a watched file descriptor of one poll loop.
package struct WatchID: Hashable, Sendable {
  let value: UInt64
}

/// Names a timer of one poll loop.
package struct TimerID: Hashable, Sendable {
  let value: UInt64
}
