import Synchronization

/// Somebody who reads a journal from a place on, at a pace of their own.
final class JournalReader: Sendable {
  /// What it gets.
  enum Delivery: Sendable {
    case excerpt(EventJournal.Excerpt)
    /// Nothing has come for a while.
    case heartbeat
  }

  private struct State {
    var place: Int
    var isAwake = false
    var beats = false
    var isOver = false
    var waiting: CheckedContinuation<Void, Never>?
  }

  /// The most events of one delivery, and about the most octets of memory, so that what is written at a time is bounded: where a client
  /// does not read, ten deliveries wait for it.
  private static let (batch, octets) = (64, 32_768)
  private let journal: EventJournal
  private let state: Mutex<State>

  /// A reader of what is behind the event with that number. It hears from the journal until it ends.
  init(_ journal: EventJournal, after id: Int) {
    self.journal = journal
    state = Mutex(State(place: id))
    journal.add(self)
  }

  /// There may be something new.
  func wake() { resume { $0.isAwake = true } }

  /// A while has passed.
  func beat() { resume { $0.beats = true } }

  /// What has happened so far can still be read, and nothing more.
  func finish() { resume { $0.isOver = true } }

  /// It reads no more.
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

  /// What is next; waits for it, and is nil when there will be nothing. One task calls it.
  func next() async -> Delivery? {
    while true {
      // Looked at before the journal is, so that nothing comes between.
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
