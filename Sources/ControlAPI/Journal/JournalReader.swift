import Synchronization

/// A reader of a journal, which reads from a position at its own pace.
final class JournalReader: Sendable {
  /// What the reader gets.
  enum Delivery: Sendable {
    case excerpt(EventJournal.Excerpt)
    /// There were no events for a while.
    case heartbeat
  }

  private struct State {
    var place: Int
    var isAwake = false
    var beats = false
    var isOver = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  /// The maximum number of events, and the approximate maximum of octets, in one delivery. They bound what is
  /// written at a time: up to ten deliveries wait for a client that does not read.
  private static let (batch, octets) = (64, 32_768)
  private let journal: EventJournal
  private let state: Mutex<State>

  /// Creates a reader of the events after the one with that number. The journal wakes it until `end`.
  init(_ journal: EventJournal, after id: Int) {
    self.journal = journal
    state = Mutex(State(place: id))
    journal.add(self)
  }

  /// Notes that there may be new events.
  func wake() { resume { $0.isAwake = true } }

  /// Notes that a heartbeat is due.
  func beat() { resume { $0.beats = true } }

  /// Ends the reader after the events so far.
  func finish() { resume { $0.isOver = true } }

  /// Ends the reader, and removes it from the journal.
  func end() {
    finish()
    journal.remove(self)
  }

  private func resume(_ change: (inout State) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume()
  }

  /// Waits for the next delivery, and returns it; nil at the end. Only one task may call this.
  func next() async -> Delivery? {
    while true {
      // Check this before reading the journal, so that no event in between is missed.
      let isOver = journal.isOver || state.withLock { $0.isOver }
      let excerpt = journal.events(after: state.withLock { $0.place }, limit: Self.batch, octets: Self.octets)
      let beats = state.withLock { state in
        state.place = excerpt.last
        defer { state.beats = false }
        return state.beats
      }
      if !excerpt.entries.isEmpty { return .excerpt(excerpt) }
      if isOver { return nil }
      if beats { return .heartbeat }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          guard !state.isAwake, !state.beats, !state.isOver else {
            state.isAwake = false
            return true
          }
          state.waiting = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
      state.withLock { $0.isAwake = false }
    }
  }
}
