import Synchronization

/// A queue for a reader that may be slow. It holds a bounded number of octets and reports what it has dropped.
///
/// One side offers without waiting, the other takes. If an element does not fit, the oldest ones are dropped,
/// and the reader gets their number.
public final class BoundedQueue<Element: Sendable>: Sendable {
  /// What the reader gets.
  public enum Delivery: Sendable {
    /// The element, and how many were offered before it.
    case element(Element, number: Int)
    /// The number of elements that were dropped here.
    case lost(Int)
  }

  private struct State {
    /// The elements with their octets and numbers. A taken element is nil, so that nothing of it stays in memory.
    var waiting: [(element: Element?, cost: Int, number: Int)] = []
    /// The number of elements at the front of `waiting` that were taken.
    var taken = 0
    var cost = 0
    var lost = 0
    var offered = 0
    var isOver = false
    var reader: CheckedContinuation<Void, Never>?
  }

  /// The maximum number of waiting octets.
  public let limit: Int
  private let state = Mutex(State())

  /// Creates a queue for that many octets.
  public init(limit: Int) { self.limit = limit }

  /// Appends an element that counts as `cost` octets. The newest element is kept whatever its size.
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

  /// Appends an element only if no others wait. It is not counted: it has no number of its own, and may be lost without notice.
  public func offerWhenEmpty(_ element: Element) {
    let reader = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.isOver, state.taken == state.waiting.count, state.lost == 0 else { return nil }
      state.waiting.append((element, 0, state.offered))
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }

  /// The total cost of the waiting elements.
  public var waitingOctets: Int { state.withLock { $0.cost } }

  /// Ends the queue. Nothing more can be offered, but what waits can still be taken.
  public func finish() {
    let reader = state.withLock { state in
      state.isOver = true
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }

  /// Waits for the next element, or the number of elements missing before it, and returns it; nil at the end
  /// of the queue. Only one task may call this.
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

  /// Returns all that waits, without waiting for more: the number of missing elements, if any, then the elements.
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

  /// Removes the taken elements from the array once they outnumber the waiting ones.
  private static func compact(_ state: inout State) {
    guard state.taken * 2 > state.waiting.count else { return }
    state.waiting.removeFirst(state.taken)
    state.taken = 0
  }
}
