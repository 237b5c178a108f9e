import BLECore
import Glibc
import Synchronization
import Testing

@testable import Transport

@Suite("The time of loops", .timeLimit(.minutes(20)))
struct LoopPaceTests {
  private static let start = Instant(nanoseconds: 1_000_000_000)

  private func after(_ milliseconds: Double) -> Instant { Self.start + .nanoseconds(Int64(milliseconds * 1e6)) }

  @Test("Real time is the machine's")
  func real() {
    let time = LoopTime(pace: .real, real: Self.start)
    #expect(time.now(real: after(7)) == after(7))
    #expect(time.wait(until: after(9), real: after(7)) == .init(nanoseconds: 2_000_000))
    #expect(time.wait(until: after(5), real: after(7)) == .init(nanoseconds: 0))
    #expect(time.wait(until: nil, real: after(7)) == .init())
  }

  @Test(
    "Scaled time is a multiple, and waits are a fraction that is never too short", arguments: [0.1, 0.5, 3, 10, 1000])
  func scaled(_ factor: Double) {
    let time = LoopTime(pace: .scaled(factor), real: Self.start)
    #expect(time.now(real: Self.start) == Self.start)
    let now = time.now(real: after(100))
    #expect(abs((now - after(100 * factor)).inNanoseconds) <= 1)
    let wait = time.wait(until: now + .microseconds(1001), real: after(100)).nanoseconds ?? 0
    #expect(time.now(real: after(100) + .nanoseconds(wait)) >= now + .microseconds(1001) - .nanoseconds(1))
    #expect(Double(wait) < 1_001_000 / factor + 2)
    #expect(time.wait(until: Instant(nanoseconds: .max), real: after(100)).nanoseconds ?? 0 > 0)
  }

  @Test("Fast time stands still until it jumps, when there are no peers")
  func fast() {
    var time = LoopTime(pace: .fast(settle: .milliseconds(2)), real: Self.start)
    #expect(time.now(real: after(50)) == Self.start)
    #expect(time.wait(until: after(9), real: after(50)) == .init(nanoseconds: 0, leap: after(9)))
    time.leap(to: after(9), real: after(60))
    #expect(time.now(real: after(70)) == after(9))
    // A deadline in the past never moves it back.
    time.leap(to: after(3), real: after(80))
    #expect(time.now(real: after(80)) == after(9))
  }

  @Test(
    "Advanced time jumps to its target, and then passes as before", arguments: [1.0, 10])
  func hurried(_ factor: Double) {
    var time = LoopTime(pace: factor == 1 ? .real : .scaled(factor), real: Self.start)
    time.setFlows(true, real: after(10))
    time.hurry(until: after(60_000), settle: .milliseconds(2), real: after(10))
    #expect(time.wait(until: after(5000), real: after(10)) == .init(nanoseconds: 2_000_000, leap: after(5000)))
    time.leap(to: after(5000), real: after(12))
    #expect(time.now(real: after(12)) == after(5000))
    // Without a deadline it jumps to the end.
    #expect(time.wait(until: nil, real: after(12)) == .init(nanoseconds: 2_000_000, leap: after(60_000)))
    time.leap(to: after(60_000), real: after(14))
    #expect(time.now(real: after(15)) == after(60_000 + factor))
    #expect(time.wait(until: nil, real: after(15)) == .init())
  }

  @Test("With peers, fast time passes by itself, and jumps after they have been quiet")
  func fastWithPeers() {
    var time = LoopTime(pace: .fast(settle: .milliseconds(2)), real: Self.start)
    time.leap(to: after(1000), real: after(10))
    time.setFlows(true, real: after(20))
    #expect(time.now(real: after(20)) == after(1000))
    #expect(time.now(real: after(21)) == after(1001))
    // A deadline within the settling time is awaited; a later one is jumped to after that time.
    #expect(time.wait(until: after(1002), real: after(21)) == .init(nanoseconds: 1_000_000))
    #expect(time.wait(until: after(5000), real: after(21)) == .init(nanoseconds: 2_000_000, leap: after(5000)))
    time.leap(to: after(5000), real: after(23))
    #expect(time.now(real: after(24)) == after(5001))
    time.setFlows(false, real: after(24))
    #expect(time.now(real: after(99)) == after(5001))
  }

  @Test("On a fast loop a year of ticks is exact and takes no time")
  func year() throws {
    let loop = try PollLoop(name: "test", pace: .fast(settle: .milliseconds(2)))
    let start = loop.now()
    let epoch = loop.sinceEpoch()
    let count = Mutex(0)
    let slot = Mutex<TimerID?>(nil)
    let tick = loop.addTimer { [unowned loop] in
      let number = count.withLock { count in
        count += 1
        return count
      }
      #expect(loop.now() == start + .seconds(number * 3600))
      if number == 365 * 24 { return loop.stop() }
      if let timer = slot.withLock({ $0 }) { loop.setTimer(timer, loop.now() + .seconds(3600)) }
    }
    slot.withLock { $0 = tick }
    loop.setTimer(tick, start + .seconds(3600))
    loop.run()
    #expect(count.withLock { $0 } == 365 * 24)
    #expect(loop.sinceEpoch() - epoch == .seconds(365 * 86_400))
  }

  @Test("Readable descriptors come before a jump")
  func readableFirst() throws {
    let loop = try PollLoop(name: "test", pace: .fast(settle: .zero))
    let (near, far) = try socketPair()
    defer {
      close(near)
      close(far)
    }
    let start = loop.now()
    let notes = Notes<String>()
    let timer = loop.addTimer { [unowned loop] in
      notes.add("timer")
      loop.stop()
    }
    loop.setTimer(timer, start + .seconds(1))
    _ = loop.watch(near, .readable) { [unowned loop] _ in
      var octet: UInt8 = 0
      _ = Glibc.read(near, &octet, 1)
      #expect(loop.now() == start)
      notes.add("\(octet)")
      // Until three have been read, there is always something to read.
      octet += 1
      if octet < 3 { #expect(write(far, &octet, 1) == 1) }
    }
    var octet: UInt8 = 0
    #expect(write(far, &octet, 1) == 1)
    loop.run()
    #expect(notes.all == ["0", "1", "2", "timer"])
    #expect(loop.now() == start + .seconds(1))
  }

  @Test("With a peer, there is time to answer before a jump")
  func peerAnswers() throws {
    // The settling time is an hour of real time, so the peer answers within it on any machine.
    let loop = try PollLoop(name: "test", pace: .fast(settle: .seconds(3600)))
    let (near, far) = try socketPair()
    defer {
      close(near)
      close(far)
    }
    let notes = Notes<String>()
    let timer = loop.addTimer { notes.add("timer") }
    loop.setTimer(timer, loop.now() + .seconds(86_400))
    _ = loop.watch(near, .readable, isPeer: true) { [unowned loop] _ in
      notes.add("answer")
      loop.stop()
    }
    #expect(
      spawnThread {
        var octet: UInt8 = 1
        _ = write(far, &octet, 1)
      } == 0)
    loop.run()
    #expect(notes.all == ["answer"])
  }

  @Test("With a quiet peer, time still jumps")
  func quietPeer() throws {
    let loop = try PollLoop(name: "test", pace: .fast(settle: .microseconds(100)))
    let (near, far) = try socketPair()
    defer {
      close(near)
      close(far)
    }
    let start = loop.now()
    _ = loop.watch(near, .readable, isPeer: true) { _ in Issue.record("nothing was sent") }
    let timer = loop.addTimer { [unowned loop] in loop.stop() }
    loop.setTimer(timer, start + .seconds(86_400))
    loop.run()
    #expect(loop.now() >= start + .seconds(86_400))
  }
}
