import BLECore
import BLELink
import CentralHost
import Glibc
import PeripheralHost
import Simulation
import Transport
import VirtualRadio

/// Runs scripted hosts on real controllers, in real time: a central on the first line and, if there is a second one, an accessory on it.
///
/// The script holds the stage's lock except while it waits. The loop holds the lock while it processes octets or a deadline. So a script never
/// sees its host change between two waits, just as in virtual time.
///
/// `@unchecked`: every use holds the lock.
package final class LineStage: HostStage, @unchecked Sendable {
  /// A line, with the host on it.
  private final class Seat {
    var line: ControllerLine
    var host: (any RadioParticipant)?

    init(_ controller: ControllerAddress, loop: PollLoop) { line = ControllerLine(controller, loop: loop) }
  }

  private let loop: PollLoop
  private let lock = Lock()
  private let seats: [Seat]
  private var octets = OctetBuffer()
  /// For each accessory, how to shut it down and whether that is done.
  private var endings: [(begin: () -> Void, isOver: () -> Bool)] = []
  /// The durations of the turns that `counts` selects. A turn begins with octets from a controller, and ends when all hosts have answered.
  package private(set) var turns = DurationHistogram()
  /// Returns, after each turn, whether it counts; nil counts none.
  package var counts: (() -> Bool)?
  /// Whether `interrupt` was called.
  package private(set) var isInterrupted = false

  /// Creates a stage whose lines are not open yet.
  package init(_ controllers: [ControllerAddress]) throws(TransportError) {
    let loop = try PollLoop(name: "understudy")
    self.loop = loop
    seats = controllers.map { Seat($0, loop: loop) }
  }

  /// Why a controller can no longer be used; nil if all can.
  package var failure: String? {
    for seat in seats { if let failure = seat.line.failure { return failure } }
    return nil
  }

  /// The time of the monotonic clock.
  package var now: Instant { loop.now() }

  /// Opens the lines, and calls a script with a central whose controller is ready. Afterwards it ends all links and closes the lines.
  ///
  /// - Throws: A `TransportError` if a line cannot be opened, a `SimulationFailure` if the controller cannot be used, or what the script
  ///   throws.
  package func perform<Result>(
    _ configuration: CentralConfiguration, _ script: (ScriptedCentral) throws -> Result
  ) throws -> Result {
    lock.lock()
    let central = ScriptedCentral(try CentralStack(configuration), on: ControllerID(rawValue: 0), of: self)
    seats[0].host = central
    defer {
      for seat in seats {
        seat.host = nil
        seat.line.close()
      }
      lock.unlock()
      loop.stopAndWait()
    }
    for place in seats.indices {
      try seats[place].line.open(
        ready: { [weak self] events in self?.process { $0.receive(events, at: place) } },
        deadlineReached: { [weak self] in self?.process { $0.advance(at: place) } })
    }
    try loop.start()
    do {
      try central.start()
      let result = try script(central)
      leave(central)
      return result
    } catch {
      leave(central)
      throw failure.map { LineFailure(reason: $0) } ?? error
    }
  }

  /// Adds an accessory on the second line.
  package func addAccessory<Application>(_ stack: HostStack<Application>) -> SimulatedAccessory<Application> {
    let accessory = SimulatedAccessory(stack, on: ControllerID(rawValue: 1), of: self)
    seats[1].host = accessory
    endings.append(
      (
        begin: { accessory.shutDown() },
        isOver: { accessory.events.contains { if case .stopped = $0 { true } else { false } } }
      ))
    return accessory
  }

  /// Ends the links of a central, and shuts the accessories down. So peers need not wait for their supervision timeouts, and no controller
  /// advertises without a host.
  private func leave(_ central: ScriptedCentral) {
    guard failure == nil else { return }
    isInterrupted = false
    for link in central.links {
      try? central.perform(.disconnect(link, reason: .remoteUserTerminatedConnection))
    }
    for ending in endings { ending.begin() }
    run(until: { central.links.isEmpty && endings.allSatisfy { $0.isOver() } }, limit: .seconds(2))
    endings = []
  }

  /// Ends the script's wait, and each later one, without success. May be called from any thread.
  package func interrupt() { process { $0.isInterrupted = true } }

  /// Ends the script's wait if its condition now holds. May be called from any thread.
  package func wake() { process { _ in } }

  // MARK: The loop

  private func process(_ body: (LineStage) -> Void) {
    lock.lock()
    defer { lock.unlock() }
    body(self)
    lock.signal()
  }

  private func receive(_ events: PollEvents, at place: Int) {
    let seat = seats[place]
    let start = now
    let hasRead = seat.line.read(events)
    if hasRead { seat.line.inbox.withSpan { seat.host?.receive($0, at: start) } }
    exchange()
    if hasRead, counts?() == true { turns.add(now - start) }
  }

  private func advance(at place: Int) {
    seats[place].host?.advance(to: now)
    exchange()
  }

  // MARK: The script

  package func exchange() {
    for seat in seats {
      guard let host = seat.host else { continue }
      host.drain(into: &octets)
      seat.line.finishInput(&octets, nextDeadline: host.nextDeadline)
    }
  }

  package func touch(_ host: any RadioParticipant) {}

  package func run(for duration: Duration) { run(until: { false }, limit: duration) }

  @discardableResult
  package func run(until condition: () -> Bool, limit: Duration) -> Bool {
    let end = now + limit
    exchange()
    while !condition() {
      guard !isInterrupted, failure == nil, now < end else { return false }
      lock.wait(before: end)
    }
    return true
  }

  /// A lock with a condition, on the clock of `PollLoop`.
  private final class Lock {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
      pthread_mutex_init(mutex, nil)
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(changed, &attributes)
      pthread_condattr_destroy(&attributes)
    }

    deinit {
      pthread_cond_destroy(changed)
      pthread_mutex_destroy(mutex)
      changed.deallocate()
      mutex.deallocate()
    }

    func lock() { pthread_mutex_lock(mutex) }

    func unlock() { pthread_mutex_unlock(mutex) }

    func signal() { pthread_cond_broadcast(changed) }

    /// Waits for a signal until an instant, unlocked meanwhile.
    func wait(before end: Instant) {
      var time = timespec(
        tv_sec: Int(end.nanoseconds / 1_000_000_000), tv_nsec: Int(end.nanoseconds % 1_000_000_000))
      pthread_cond_timedwait(changed, mutex, &time)
    }
  }
}

/// The error when the line to a controller has failed.
package struct LineFailure: Error, CustomStringConvertible {
  /// The reason.
  package var reason: String

  package var description: String { reason }
}
