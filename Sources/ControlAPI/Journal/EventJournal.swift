import AccessoryProfile
import Synchronization

/// The most recent events of an accessory, or of several together, with their numbers. Streams replay from
/// it, and expectations search it. It is bounded in events and octets, and drops the oldest.
///
/// Events are appended on the accessory's loop, which neither converts them to JSON nor wakes readers. A slow
/// reader holds nothing here except its position.
final class EventJournal: Sendable {
  /// The maximum contents.
  struct Limits: Sendable {
    var events = 8192
    var octets = 4_194_304
  }

  /// A run of events.
  struct Excerpt: Sendable {
    /// How many events at its beginning are no longer available.
    var lost = 0
    var entries: [NumberedEvent] = []
    /// The number of its last event, or of its starting point if it is empty.
    var last: Int
  }

  private struct State {
    /// The most recent events. Those at the front have been dropped.
    var entries: [NumberedEvent] = []
    /// The number of dropped events at the front of `entries`.
    var forgotten = 0
    var octets = 0
    /// The number of the newest event; the first event has number 1.
    var last = 0
    /// The number in the last answer to an expectation.
    var lastGiven: Int?
    var isOver = false
    var readers: [ObjectIdentifier: JournalReader] = [:]
  }

  private let limits: Limits
  private let state = Mutex(State())
  private let changes: AsyncStream<Void>.Continuation

  init(limits: Limits = Limits()) {
    self.limits = limits
    let (changed, changes) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.changes = changes
    Task { [weak self] in
      for await _ in changed { self?.wakeReaders() }
      self?.wakeReaders()
    }
  }

  deinit { changes.finish() }

  /// Appends an event. Called on the loop.
  func append(_ event: NumberedEvent.Event) {
    let forgotten = state.withLock { state -> [NumberedEvent] in
      guard !state.isOver else { return [] }
      state.last += 1
      let entry = NumberedEvent(id: state.last, event)
      state.entries.append(entry)
      state.octets += entry.cost
      return forget(&state)
    }
    // Release what they hold outside the lock.
    withExtendedLifetime(forgotten) {}
    changes.yield()
  }

  private func forget(_ state: inout State) -> [NumberedEvent] {
    let first = state.forgotten
    while state.entries.count - state.forgotten > limits.events
      || (state.octets > limits.octets && state.entries.count - state.forgotten > 1)
    {
      state.octets -= state.entries[state.forgotten].cost
      state.forgotten += 1
    }
    let forgotten = Array(state.entries[first..<state.forgotten])
    if state.forgotten * 2 > state.entries.count {
      state.entries.removeFirst(state.forgotten)
      state.forgotten = 0
    } else {
      for index in first..<state.forgotten { state.entries[index] = .none }
    }
    return forgotten
  }

  /// Marks the journal as ended: no more events will follow.
  func finish() {
    state.withLock { $0.isOver = true }
    changes.finish()
  }

  /// Whether the journal has ended.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// The number of the newest event; 0 before the first.
  var last: Int { state.withLock { $0.last } }

  /// The number in the last answer to an expectation, after which the next one searches by default.
  var lastGiven: Int? { state.withLock { $0.lastGiven } }

  func give(_ id: Int?) { state.withLock { $0.lastGiven = id } }

  /// Returns at most `limit` events after the one with number `id`, with about `octets` octets at most, but at least
  /// one event. A number that is larger than the newest comes from an earlier run, so all events are returned.
  func events(after id: Int, limit: Int, octets: Int = .max) -> Excerpt {
    state.withLock { state in
      let id = id > state.last ? 0 : id
      let oldest = state.last - (state.entries.count - state.forgotten) + 1
      let lost = max(0, oldest - id - 1)
      let begin = state.forgotten + max(0, id + 1 - oldest)
      var (end, held) = (begin, 0)
      while end < min(state.entries.count, begin + limit), held < octets {
        held += state.entries[end].cost
        end += 1
      }
      return Excerpt(lost: lost, entries: Array(state.entries[begin..<end]), last: max(id + lost, 0) + end - begin)
    }
  }

  // MARK: - Readers

  func add(_ reader: JournalReader) { state.withLock { $0.readers[ObjectIdentifier(reader)] = reader } }

  func remove(_ reader: JournalReader) { state.withLock { $0.readers[ObjectIdentifier(reader)] = nil } }

  private func wakeReaders() {
    let readers = state.withLock { Array($0.readers.values) }
    for reader in readers { reader.wake() }
  }
}
