import Synchronization
import Testing
import Understudy

@Suite struct BoundedQueueTests {
  private func drain(_ queue: BoundedQueue<String>) async -> [String] {
    var seen: [String] = []
    while let delivery = await queue.next() {
      switch delivery {
      case .element(let text, let number): seen.append("\(number):\(text)")
      case .lost(let count): seen.append("lost \(count)")
      }
    }
    return seen
  }

  @Test("The oldest entries are dropped, and a count replaces them")
  func oldestGo() async {
    let queue = BoundedQueue<String>(limit: 30)
    for number in 0..<10 { queue.offer("e\(number)", cost: 10) }
    queue.finish()
    queue.offer("late", cost: 1)
    #expect(await drain(queue) == ["lost 7", "7:e7", "8:e8", "9:e9"])
  }

  @Test("Waiting entries can be taken at once, with the count of dropped ones in front")
  func together() async {
    let queue = BoundedQueue<String>(limit: 30)
    #expect(queue.takeWaiting().isEmpty)
    for number in 0..<5 { queue.offer("e\(number)", cost: 10) }
    let taken = queue.takeWaiting().map { delivery in
      switch delivery {
      case .element(let text, let number): "\(number):\(text)"
      case .lost(let count): "lost \(count)"
      }
    }
    #expect(taken == ["lost 2", "2:e2", "3:e3", "4:e4"])
    #expect(queue.waitingOctets == 0)
    queue.offer("e5", cost: 10)
    queue.finish()
    #expect(await drain(queue) == ["5:e5"])
  }

  @Test("An entry larger than the queue is delivered alone")
  func large() async {
    let queue = BoundedQueue<String>(limit: 30)
    queue.offer("small", cost: 5)
    queue.offer("large", cost: 500)
    queue.finish()
    #expect(await drain(queue) == ["lost 1", "1:large"])
  }

  @Test("Unimportant entries are queued only when the queue is empty, and have no number")
  func idle() async {
    let queue = BoundedQueue<String>(limit: 30)
    for _ in 0..<5 { queue.offerWhenEmpty("beat") }
    queue.offer("e0", cost: 10)
    queue.offerWhenEmpty("beat")
    queue.offer("e1", cost: 10)
    queue.finish()
    #expect(await drain(queue) == ["0:beat", "0:e0", "1:e1"])
  }

  @Test("The queue keeps no memory of dropped or taken entries")
  func release() async {
    final class Element: Sendable {
      static let living = Atomic(0)
      init() { Self.living.add(1, ordering: .relaxed) }
      deinit { Self.living.subtract(1, ordering: .relaxed) }
    }
    let queue = BoundedQueue<Element>(limit: 100)
    for _ in 0..<1000 { queue.offer(Element(), cost: 10) }
    #expect(Element.living.load(ordering: .relaxed) == 10)
    for _ in 0..<4 { _ = await queue.next() }
    #expect(Element.living.load(ordering: .relaxed) == 7)
  }

  @Test("Fifty readers that never read use no more memory than their limits")
  func neverRead() async {
    let queues = (0..<50).map { _ in BoundedQueue<String>(limit: 1_048_576) }
    let event = String(repeating: "x", count: 200)
    for _ in 0..<20_000 {
      for queue in queues { queue.offer(event, cost: event.utf8.count) }
    }
    for queue in queues { #expect(queue.waitingOctets <= 1_048_576 && queue.waitingOctets > 1_048_000) }
    guard case .lost(let count) = await queues[0].next() else { return #expect(Bool(false), "nothing is lost") }
    #expect(count == 20_000 - 1_048_576 / 200)
  }

  @Test("A waiting reader gets everything in order, and the end")
  func waitingReader() async {
    let queue = BoundedQueue<String>(limit: 1_000_000)
    async let seen = drain(queue)
    for number in 0..<1000 {
      queue.offer("e", cost: 1)
      if number % 7 == 0 { await Task.yield() }
    }
    queue.finish()
    #expect(await seen == (0..<1000).map { "\($0):e" })
  }
}
