import Synchronization

/// What one server gives to its clients, all together and each.
struct ControlLimits: Sendable {
  /// The time between two comments on an event stream.
  var heartbeat = Duration.seconds(15)
  /// How long a connection may be idle, take for the head of a request, or take nothing of an answer.
  var idle = Duration.seconds(30)
  /// How long the body of a request may take.
  var body = Duration.seconds(20)
  /// The most connections, as far as the process may have descriptors for them; others wait until one ends.
  var connections = 2048
  /// The most streams and expectations that wait, together.
  var streams = 1024
  /// The most octets of packets that wait for a client.
  var waitingOctets = 1_048_576
  /// The longest that an expectation waits.
  var expectation = Duration.seconds(600)
  /// How far time jumps at most by one request.
  var advance = Duration.seconds(7 * 86_400)
  /// What is kept of the events.
  var journal = EventJournal.Limits()
}

/// Counts what there may be only so many of.
final class Slots: Sendable {
  private let limit: Int
  private let taken = Mutex(0)

  init(_ limit: Int) { self.limit = limit }

  /// Takes one; false when all are taken.
  func take() -> Bool {
    taken.withLock { taken in
      guard taken < limit else { return false }
      taken += 1
      return true
    }
  }

  /// Gives one back.
  func giveBack() { taken.withLock { $0 -= 1 } }
}
