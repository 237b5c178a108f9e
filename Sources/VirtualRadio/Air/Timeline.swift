import BLECore

/// The future events on the air, earliest first; events at the same instant stay in the order of scheduling.
///
/// Entries are never removed. Each carries an epoch, and its handler ignores it if the epoch has passed.
struct Timeline<Event> {
  private struct Entry {
    var instant: Instant
    var order: UInt64
    var event: Event

    func isBefore(_ other: Entry) -> Bool {
      instant == other.instant ? order < other.order : instant < other.instant
    }
  }

  /// A binary heap: each entry precedes those at twice its index plus one and plus two.
  private var heap: [Entry] = []
  private var scheduled: UInt64 = 0

  /// The due time of the earliest entry.
  var next: Instant? { heap.first?.instant }

  mutating func schedule(_ event: Event, at instant: Instant) {
    scheduled &+= 1
    heap.append(Entry(instant: instant, order: scheduled, event: event))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].isBefore(heap[parent]) else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes and returns the earliest entry that is due at `limit`.
  mutating func takeNext(upTo limit: Instant) -> (instant: Instant, event: Event)? {
    guard let first = heap.first, first.instant <= limit else { return nil }
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sink()
    }
    return (first.instant, first.event)
  }

  private mutating func sink() {
    var parent = 0
    while true {
      let left = parent * 2 + 1
      guard left < heap.count else { return }
      let right = left + 1
      let child = right < heap.count && heap[right].isBefore(heap[left]) ? right : left
      guard heap[child].isBefore(heap[parent]) else { return }
      heap.swapAt(child, parent)
      parent = child
    }
  }
}
