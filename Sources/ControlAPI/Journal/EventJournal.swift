import AccessoryProfile
import Synchronization

/// The last events of an accessory, or of several together, with their numbers: streams replay from it, and expectations look back in
/// it. It is bounded in events and octets, and forgets the oldest.
///
/// Events are appended on the accessory's loop, which neither makes JSON of them nor wakes any reader there. However slow a reader is, it
/// holds nothing here but its place.
final class EventJournal: Sendable {
  /// What it holds at most.
  struct Limits: Sendable {
    var events = 8192
    var octets = 4_194_304
  }

  /// Events from a place on.
  struct Excerpt: Sendable {
    /// How many at its beginning are not there any longer.
    var lost = 0
    var entries: [NumberedEvent] = []
    /// The number of the last one, or of where it begins when there is none.
    var last: Int
  }

  private struct State {
    /// In a ring that grows up to the limit.
    var entries: [NumberedEvent] = []
    /// How many at the front of `entries` are forgotten.
    var forgotten = 0
    var octets = 0
    /// The number of the newest event; the first is 1.
    var last = 0
    /// The number that an expectation was last answered with.
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

  /// Appends an event; on the loop.
  func append(_ event: NumberedEvent.Event) {
    let forgotten = state.withLock { state -> [NumberedEvent] in
      guard !state.isOver else { return [] }
      state.last += 1
      let entry = NumberedEvent(id: state.last, event)
      state.entries.append(entry)
      state.octets += entry.cost
      return forget(&state)
    }
    // What they hold is let go of without the lock.
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

  /// There will be no more events.
  func finish() {
    state.withLock { $0.isOver = true }
    changes.finish()
  }

  /// Whether there will be no more events.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// The number of the newest event; 0 before the first.
  var last: Int { state.withLock { $0.last } }

  /// The number that an expectation was last answered with, behind which the next one looks unless it says from where.
  var lastGiven: Int? { state.withLock { $0.lastGiven } }

  func give(_ id: Int?) { state.withLock { $0.lastGiven = id } }

  /// At most so many events behind the one with that number, and no more than hold about so many octets, but one at least. A number
  /// that has not been given yet is of an earlier run: to whoever has it everything is new.
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
