import Synchronization

/// The limits of a server, for each client and for all together.
struct ControlLimits: Sendable {
  /// The time between two comments on an event stream.
  var heartbeat = Duration.seconds(15)
  /// How long a connection may be idle, take to send the head of a request, or accept nothing of a response.
  var idle = Duration.seconds(30)
  /// How long the body of a request may take.
  var body = Duration.seconds(20)
  /// The maximum number of connections, if the process has enough file descriptors. Others wait until one ends.
  var connections = 2048
  /// The maximum number of streams and waiting expectations together.
  var streams = 1024
  /// The maximum octets of packets that wait for a client.
  var waitingOctets = 1_048_576
  /// The longest time that an expectation waits.
  var expectation = Duration.seconds(600)
  /// The maximum time to advance by one request.
  var advance = Duration.seconds(7 * 86_400)
  /// The limits of the event journals.
  var journal = EventJournal.Limits()
}

/// Counts a limited resource.
final class Slots: Sendable {
  private let limit: Int
  private let taken = Mutex(0)

  init(_ limit: Int) { self.limit = limit }

  /// Takes one. Returns false if all are taken.
  func take() -> Bool {
    taken.withLock { taken in
      guard taken < limit else { return false }
      taken += 1
      return true
    }
  }

  /// Returns one.
  func giveBack() { taken.withLock { $0 -= 1 } }
}
