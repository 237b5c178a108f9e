import Synchronization

/// What waits for a reader who may be slow: bounded in octets, and honest about what it has dropped.
///
/// One side offers and never waits, the other takes. What does not fit pushes out the oldest, and the reader is told how many.
public final class BoundedQueue<Element: Sendable>: Sendable {
  /// What a reader gets.
  public enum Delivery: Sendable {
    /// The element, and how many were offered before it.
    case element(Element, number: Int)
    /// So many elements were dropped here.
    case lost(Int)
  }

  private struct State {
    /// With its octets and its number; nil where it was taken, because nothing is held of that.
    var waiting: [(element: Element?, cost: Int, number: Int)] = []
    /// How many at the front of `waiting` have been taken.
    var taken = 0
    var cost = 0
    var lost = 0
    var offered = 0
    var isOver = false
    var reader: CheckedContinuation<Void, Never>?
  }

  /// The most octets that wait.
  public let limit: Int
  private let state = Mutex(State())

  /// A queue for that many octets.
  public init(limit: Int) { self.limit = limit }

  /// Appends an element of so many octets. The newest one is kept whatever its size.
  public func offer(_ element: Element, cost: Int) {
    let (reader, dropped) = state.withLock { state -> (CheckedContinuation<Void, Never>?, [Element]) in
      guard !state.isOver else { return (nil, []) }
      state.waiting.append((element, cost, state.offered))
      state.offered += 1
      state.cost += cost
      var dropped: [Element] = []
      while state.cost > limit, state.taken < state.waiting.count - 1 {
        if let element = state.waiting[state.taken].element { dropped.append(element) }
        state.waiting[state.taken].element = nil
        state.cost -= state.waiting[state.taken].cost
        state.taken += 1
        state.lost += 1
      }
      Self.compact(&state)
      defer { state.reader = nil }
      return (state.reader, dropped)
    }
    withExtendedLifetime(dropped) {}
    reader?.resume()
  }

  /// Appends an element that is nothing to miss, and has no number of its own, unless others wait.
  public func offerWhenEmpty(_ element: Element) {
    let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.isOver, state.taken == state.waiting.count, state.lost == 0 else { return nil }
      state.waiting.append((element, 0, state.offered))
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }

  /// The octets that wait, as they were offered.
  public var waitingOctets: Int { state.withLock { $0.cost } }

  /// Nothing more is offered; what waits can still be taken.
  public func finish() {
    let reader = state.withLock { state in
      state.isOver = true
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }

  /// The next element, or how many are missing before it; waits for one, and is nil when there will be none. One task calls it.
  public func next() async -> Delivery? {
    while true {
      let (delivery, isOver) = state.withLock { state -> (Delivery?, Bool) in
        if state.lost > 0 {
          defer { state.lost = 0 }
          return (.lost(state.lost), false)
        }
        guard state.taken < state.waiting.count else { return (nil, state.isOver) }
        let (element, cost, number) = state.waiting[state.taken]
        state.waiting[state.taken].element = nil
        state.taken += 1
        state.cost -= cost
        Self.compact(&state)
        return (element.map { .element($0, number: number) }, false)
      }
      if let delivery { return delivery }
      if isOver { return nil }
      await withCheckedContinuation { continuation in
        let isReady = state.withLock { state in
          guard state.taken == state.waiting.count, state.lost == 0, !state.isOver else { return true }
          state.reader = continuation
          return false
        }
        if isReady { continuation.resume() }
      }
    }
  }

  /// What waits, without waiting for more: how many are missing, where some are, and then the elements.
  public func takeWaiting() -> [Delivery] {
    state.withLock { state in
      var deliveries: [Delivery] = state.lost > 0 ? [.lost(state.lost)] : []
      for (element, _, number) in state.waiting[state.taken...] {
        if let element { deliveries.append(.element(element, number: number)) }
      }
      state.waiting.removeAll(keepingCapacity: true)
      (state.taken, state.cost, state.lost) = (0, 0, 0)
      return deliveries
    }
  }

  /// Forgets the elements that were taken once they are more than those that wait.
  private static func compact(_ state: inout State) {
    guard state.taken * 2 > state.waiting.count else { return }
    state.waiting.removeFirst(state.taken)
    state.taken = 0
  }
}
