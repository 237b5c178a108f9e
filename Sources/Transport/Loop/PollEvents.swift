import Glibc

/// The events that a file descriptor is watched for, and those that occurred: the bits of poll(2).
package struct PollEvents: OptionSet, Hashable, Sendable {
  package let rawValue: Int16

  @inlinable
  package init(rawValue: Int16) { self.rawValue = rawValue }

  /// Reading would not block (POLLIN).
  package static let readable = PollEvents(rawValue: Int16(POLLIN))
  /// Writing would not block (POLLOUT).
  package static let writable = PollEvents(rawValue: Int16(POLLOUT))
  /// The descriptor has failed (POLLERR). Always reported.
  package static let failed = PollEvents(rawValue: Int16(POLLERR))
  /// The other side has closed (POLLHUP); there may still be octets to read. Always reported, in every turn until the descriptor is
  /// unwatched.
  package static let hangUp = PollEvents(rawValue: Int16(POLLHUP))
  /// The descriptor was closed before it was unwatched (POLLNVAL). Reported once; the loop then unwatches it.
  package static let invalid = PollEvents(rawValue: Int16(POLLNVAL))

  /// The events that poll(2) always reports.
  static let always: PollEvents = [.failed, .hangUp, .invalid]
}

/// The identity of a watched file descriptor of a poll loop.
package struct WatchID: Hashable, Sendable {
  let value: UInt64
}

/// The identity of a timer of a poll loop.
package struct TimerID: Hashable, Sendable {
  let value: UInt64
}
