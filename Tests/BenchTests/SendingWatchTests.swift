import BLECore
import Testing

@testable import Bench

@Suite("What limited the sending")
struct SendingWatchTests {
  /// 100 Write Commands of 244 octets: at least 246.8 ms.
  static let budget = LinkBudget(
    link: LinkShape(interval: .milliseconds(30), mtu: 247, dataLength: 251, phy: .le1M), method: .commands,
    octets: 24_400, unit: 244, packetLength: 251)

  /// Returns a watch that saw that many packets in the controller for each of those times.
  static func watch(_ sights: [(packets: Int, milliseconds: Int)], lacksCredits: Bool = false) -> SendingWatch {
    var watch = SendingWatch()
    var now = Instant.zero
    for sight in sights {
      watch.observe(
        SendingWatch.Sight(
          outstanding: sight.packets, free: 16 - sight.packets, hasMore: true,
          lacksCredits: lacksCredits && sight.packets == 0),
        at: now)
      now += .milliseconds(sight.milliseconds)
    }
    watch.observe(SendingWatch.Sight(outstanding: 0, free: 16, hasMore: false, lacksCredits: false), at: now)
    return watch
  }

  @Test("full events are full, whatever else was seen")
  func full() {
    let watch = Self.watch([(8, 100), (0, 20), (8, 130)])
    #expect(watch.bound(Self.budget, in: .milliseconds(250), lineLoad: 1) == .air)
  }

  @Test("a controller that never ran empty gave short events")
  func shortEvents() {
    let watch = Self.watch([(8, 500), (9, 500)])
    #expect(watch.bound(Self.budget, in: .seconds(1), lineLoad: nil) == .packetsPerEvent)
    #expect(watch.bound(Self.budget, in: .seconds(1), lineLoad: 0.3) == .packetsPerEvent)
  }

  @Test("a full line takes precedence over an empty controller")
  func line() {
    let watch = Self.watch([(8, 500), (0, 500)])
    #expect(watch.starved == .milliseconds(500))
    #expect(watch.bound(Self.budget, in: .seconds(1), lineLoad: 0.95) == .line)
    #expect(watch.bound(Self.budget, in: .seconds(1), lineLoad: 0.8) == .line)
    #expect(watch.bound(Self.budget, in: .seconds(1), lineLoad: 0.5) == .host)
    // Near the limit of the air, the line is not the bound, although it is as busy.
    #expect(watch.bound(Self.budget, in: .milliseconds(300), lineLoad: 0.8) == .host)
    #expect(watch.bound(Self.budget, in: .seconds(1), lineLoad: nil) == .host)
  }

  @Test("one packet in each event, never two at once, is due to the interval")
  func sequential() {
    let watch = Self.watch(Array(repeating: (1, 30), count: 100))
    #expect(watch.bound(Self.budget, in: .seconds(3), lineLoad: nil) == .interval)
    #expect(Self.watch([(2, 3000)]).bound(Self.budget, in: .seconds(3), lineLoad: nil) == .packetsPerEvent)
  }

  @Test("waiting for credits in every other event is due to the accessory")
  func credits() {
    let watch = Self.watch(Array(repeating: [(4, 30), (0, 30)], count: 20).flatMap { $0 }, lacksCredits: true)
    #expect(watch.creditStalls == 20)
    #expect(watch.bound(Self.budget, in: .milliseconds(1200), lineLoad: nil) == .credits)
  }

  /// Returns a watch that saw those numbers of packets acknowledged in events of 30 ms, with that time between them.
  private static func watch(
    completing events: [Int], every pause: Duration = .microseconds(2400)
  ) -> SendingWatch {
    var watch = watch([(8, 10)])
    for (number, count) in events.enumerated() {
      for place in 0..<count {
        watch.note(
          completed: 1, interval: .milliseconds(30),
          at: .zero + .milliseconds(30 * number) + pause * place)
      }
    }
    return watch
  }

  @Test("full events with empty ones between them are due to a controller that misses some")
  func preparation() {
    let events = (0..<12).flatMap { _ in [12, 12, 0] }
    let watch = Self.watch(completing: events)
    var budget = Self.budget
    budget.octets = 244 * events.reduce(0, +)
    #expect(abs(watch.missedShare(budget) - 0.33) < 0.03)
    #expect(watch.bound(budget, in: .milliseconds(30 * 36), lineLoad: nil) == .missedEvents)
    #expect(watch.bound(budget, in: .milliseconds(30 * 36), lineLoad: 0.95) == .line)
  }

  @Test("more acknowledgements at once than fit into an event show that the host was held up")
  func heldUp() {
    let events = (0..<12).flatMap { _ in [3, 3, 3, 0, 0, 0, 0, 24] }
    let watch = Self.watch(completing: events, every: .zero)
    var budget = Self.budget
    budget.octets = 244 * events.reduce(0, +)
    #expect(watch.bound(budget, in: .milliseconds(30 * 96), lineLoad: nil) == .host)
    // Once proves nothing.
    let rare = Self.watch(completing: Array(repeating: 3, count: 95) + [24], every: .zero)
    budget.octets = 244 * (95 * 3 + 24)
    #expect(rare.bound(budget, in: .milliseconds(30 * 96), lineLoad: nil) == .packetsPerEvent)
  }

  @Test("short events with empty ones between them are not")
  func lostEvents() {
    let events = (0..<12).flatMap { _ in [3, 3, 0] }
    let watch = Self.watch(completing: events)
    var budget = Self.budget
    budget.octets = 244 * events.reduce(0, +)
    #expect(watch.missedShare(budget) == 0)
    #expect(watch.bound(budget, in: .milliseconds(30 * 36), lineLoad: nil) == .packetsPerEvent)
  }
}
