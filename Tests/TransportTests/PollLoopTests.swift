import BLECore
import Glibc
import Synchronization
import Testing
import Transport

@Suite("Poll loop")
struct PollLoopTests {
  @Test("Jobs from many threads run on the loop, one at a time")
  func jobsFromOtherThreads() async throws {
    try await withLoop { loop in
      let resident = Resident(loop: loop)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<20 { group.addTask { await resident.incrementAndYield(times: 500) } }
      }
      #expect(await resident.count == 10_000)
      #expect(await resident.isOnLoop())
    }
  }

  @Test("A handler runs in the actor's isolation")
  func isolationInHandlers() async throws {
    try await withLoop { loop in
      let resident = Resident(loop: loop)
      let (near, far) = try socketPair()
      let (ticks, tick) = AsyncStream<Int>.makeStream()
      let watch = loop.watch(near, .readable) { events in
        var octet: UInt8 = 0
        #expect(events == .readable && Glibc.read(near, &octet, 1) == 1)
        resident.assumeIsolated { $0.increment() }
        tick.yield(Int(octet))
      }
      let timer = loop.addTimer {
        resident.assumeIsolated { $0.increment() }
        tick.yield(256)
      }
      var octet: UInt8 = 7
      #expect(write(far, &octet, 1) == 1)
      var iterator = ticks.makeAsyncIterator()
      #expect(await iterator.next() == 7)
      loop.setTimer(timer, loop.now())
      #expect(await iterator.next() == 256)
      #expect(await resident.count == 2)
      loop.unwatch(watch)
      _ = await resident.count
      close(near)
      close(far)
    }
  }

  @Test("Outside of the loop's thread there is no isolation")
  func isolationElsewhere() async throws {
    try await withLoop { loop in
      #expect(!loop.isCurrent)
      #expect(loop.isIsolatingCurrentContext() == false)
    }
    await #expect(processExitsWith: .failure) {
      let loop = try PollLoop(name: "test")
      loop.checkIsolated()
    }
  }

  @Test("Timers fire in the order of their deadlines, never early, and each once")
  func timersInOrder() throws {
    let loop = try PollLoop(name: "test")
    let notes = Notes<Int>()
    let base = loop.now() + .milliseconds(5)
    for number in [3, 1, 4, 0, 2] {
      let deadline = base + .milliseconds(number)
      let timer = loop.addTimer { [unowned loop] in
        #expect(loop.now() >= deadline)
        notes.add(number)
      }
      loop.setTimer(timer, deadline)
    }
    let last = loop.addTimer { [unowned loop] in loop.stop() }
    loop.setTimer(last, base + .milliseconds(30))
    loop.run()
    #expect(notes.all == [0, 1, 2, 3, 4])
  }

  @Test("Timers that are due together fire in order; one can cancel, remove or move the others")
  func timersCancelEachOther() throws {
    let loop = try PollLoop(name: "test")
    let notes = Notes<String>()
    let base = loop.now()
    let cancelled = loop.addTimer { notes.add("cancelled") }
    let removed = loop.addTimer { notes.add("removed") }
    let moved = loop.addTimer { [unowned loop] in
      notes.add("moved")
      loop.stop()
    }
    let first = loop.addTimer { [unowned loop] in
      notes.add("first")
      loop.setTimer(cancelled, nil)
      loop.removeTimer(removed)
      loop.setTimer(moved, loop.now() + .milliseconds(3))
    }
    let second = loop.addTimer { notes.add("second") }
    for (offset, timer) in [first, second, cancelled, removed, moved].enumerated() {
      loop.setTimer(timer, base - .microseconds(10 - offset))
    }
    loop.run()
    #expect(notes.all == ["first", "second", "moved"])
  }

  @Test("A timer that sets itself to the past does not starve descriptors and jobs")
  func timerInThePast() async throws {
    let loop = try PollLoop(name: "test")
    let (near, far) = try socketPair()
    let slot = Mutex<TimerID?>(nil)
    let timer = loop.addTimer { [unowned loop] in
      if let timer = slot.withLock({ $0 }) { loop.setTimer(timer, .zero) }
    }
    slot.withLock { $0 = timer }
    loop.setTimer(timer, .zero)
    _ = loop.watch(near, .readable) { [unowned loop] _ in loop.stop() }
    let resident = Resident(loop: loop)
    try loop.start()
    await resident.increment()
    var octet: UInt8 = 1
    #expect(write(far, &octet, 1) == 1)
    loop.stopAndWait()
    #expect(await resident.count == 1)
    close(near)
    close(far)
  }

  @Test("An earlier deadline from another thread shortens the current wait")
  func deadlineFromElsewhere() async throws {
    try await withLoop { loop in
      let resident = Resident(loop: loop)
      let (fired, fire) = AsyncStream<Void>.makeStream()
      let timer = loop.addTimer { fire.yield() }
      loop.setTimer(timer, loop.now() + .seconds(3600))
      await resident.increment()
      loop.setTimer(timer, loop.now())
      var iterator = fired.makeAsyncIterator()
      #expect(await iterator.next() != nil)
    }
  }

  @Test("An unwatched descriptor is not called in the same turn; a new one is called in the next")
  func watchesChangeInHandlers() throws {
    let loop = try PollLoop(name: "test")
    let notes = Notes<String>()
    let pairs = try [socketPair(), socketPair(), socketPair()]
    for (_, far) in pairs { #expect(write(far, "x", 1) == 1) }
    let watches = Mutex<[WatchID]>([])
    func add(_ name: String, _ index: Int, _ other: Int) -> WatchID {
      loop.watch(pairs[index].0, .readable) { [unowned loop] _ in
        notes.add(name)
        let ids = watches.withLock { $0 }
        loop.unwatch(ids[other])
        loop.unwatch(ids[index])
        _ = loop.watch(pairs[2].0, .readable) { _ in
          notes.add("late")
          loop.stop()
        }
      }
    }
    // The first one that is called cancels the other's turn.
    let ids = [add("one", 0, 1), add("two", 1, 0)]
    watches.withLock { $0 = ids }
    loop.run()
    #expect(notes.all == ["one", "late"])
    for (near, far) in pairs {
      close(near)
      close(far)
    }
  }

  @Test("Interest can be removed and restored")
  func interest() async throws {
    try await withLoop { loop in
      let (near, far) = try socketPair()
      let (events, event) = AsyncStream<PollEvents>.makeStream()
      let slot = Mutex<WatchID?>(nil)
      let watch = loop.watch(near, []) { events in
        if let watch = slot.withLock({ $0 }) { loop.setInterest(watch, []) }
        event.yield(events)
      }
      slot.withLock { $0 = watch }
      #expect(write(far, "x", 1) == 1)
      loop.setInterest(watch, .writable)
      var iterator = events.makeAsyncIterator()
      #expect(await iterator.next() == .writable)
      loop.setInterest(watch, [.readable, .writable])
      #expect(await iterator.next() == [.readable, .writable])
      loop.unwatch(watch)
      _ = await Resident(loop: loop).isOnLoop()
      close(near)
      close(far)
    }
  }

  @Test("A peer that closes is reported as a hang-up")
  func peerCloses() throws {
    let loop = try PollLoop(name: "test")
    let (near, far) = try linePair()
    let notes = Notes<PollEvents>()
    _ = loop.watch(near.descriptor, .readable) { [unowned loop] events in
      notes.add(events)
      loop.stop()
    }
    far.close()
    loop.run()
    #expect(notes.all.count == 1)
    #expect(notes.all[0].isSuperset(of: [.readable, .hangUp]))
    var buffer = OctetBuffer()
    #expect(near.read(into: &buffer) == .closed)
  }

  @Test("A descriptor that is closed too early is reported once and forgotten")
  func closedTooEarly() throws {
    let loop = try PollLoop(name: "test")
    let notes = Notes<PollEvents>()
    // A number that nothing else in this process gets.
    _ = loop.watch(1_000_000, .readable) { notes.add($0) }
    let timer = loop.addTimer { [unowned loop] in loop.stop() }
    loop.setTimer(timer, loop.now() + .milliseconds(5))
    loop.run()
    #expect(notes.all == [.invalid])
  }

  @Test("Waiting jobs run before the end, later ones run too, and handlers are released")
  func ending() async throws {
    let loop = try PollLoop(name: "test")
    let resident = Resident(loop: loop)
    try loop.start()
    await resident.increment()
    weak var held: Notes<Int>?
    do {
      let notes = Notes<Int>()
      held = notes
      _ = loop.addTimer { notes.add(1) }
      _ = loop.watch(0, []) { _ in notes.add(2) }
    }
    #expect(held != nil)
    loop.stopAndWait()
    #expect(held == nil)
    await resident.increment()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { await resident.incrementAndYield(times: 100) } }
    }
    #expect(await resident.count == 802)
    loop.stopAndWait()
  }

  @Test("A loop that never ran ends at once, and waiting jobs run")
  func endingWithoutRunning() async throws {
    let loop = try PollLoop(name: "test")
    let resident = Resident(loop: loop)
    let task = Task { await resident.increment() }
    loop.stopAndWait()
    await task.value
    #expect(await resident.count == 1)
    // Starting it has no effect any more.
    try loop.start()
    loop.run()
  }

  @Test("A loop ends when nothing references it")
  func letGo() throws {
    weak var held: PollLoop?
    do {
      let loop = try PollLoop(name: "test")
      held = loop
      try loop.start()
      loop.stopAndWait()
    }
    // The thread releases it shortly after it has ended.
    let limit = SystemClock.now() + .seconds(10)
    while held != nil && SystemClock.now() < limit { sched_yield() }
    #expect(held == nil)
  }

  @Test("100,000 octets go to an actor and back, one at a time")
  func pingPong() async throws {
    try await withLoop { loop in
      let (near, far) = try socketPair()
      let echo = Echo(loop: loop, adopting: near)
      await echo.begin()
      let peer = Line(adopting: far)
      var buffer = OctetBuffer()
      for number in 0..<100_000 {
        buffer.removeAll()
        buffer.append(UInt8(truncatingIfNeeded: number))
        try #require(peer.write(buffer) == .sent)
        buffer.removeAll()
        try #require(try readWaiting(peer, into: &buffer) == .octets(1))
        try #require(buffer[0] == UInt8(truncatingIfNeeded: number))
      }
      peer.close()
      #expect(await echo.waitForEnd() == 100_000)
    }
  }
}

/// Echoes what it reads.
private actor Echo {
  private let loop: PollLoop
  private let line: Line
  private var buffer = OctetBuffer()
  private var watch: WatchID?
  private var turns = 0
  private var waiter: CheckedContinuation<Int, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(loop: PollLoop, adopting descriptor: CInt) {
    self.loop = loop
    line = Line(adopting: descriptor)
  }

  func begin() {
    watch = loop.watch(line.descriptor, .readable) { _ in self.assumeIsolated { $0.ready() } }
  }

  func waitForEnd() async -> Int {
    guard watch != nil else { return turns }
    return await withCheckedContinuation { waiter = $0 }
  }

  private func ready() {
    buffer.removeAll()
    switch line.read(into: &buffer) {
    case .octets:
      turns += 1
      #expect(line.write(buffer) == .sent)
    case .wouldBlock: break
    case .closed, .failed:
      if let watch { loop.unwatch(watch) }
      watch = nil
      line.close()
      waiter?.resume(returning: turns)
    }
  }
}
