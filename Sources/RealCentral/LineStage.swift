import BLECore
import CentralHost
import Glibc
import Simulation
import Transport
import VirtualRadio

/// A controller on a line, for one scripted host in real time.
///
/// The script holds the stage's lock except while it waits, and the loop holds it while octets or a deadline are processed. So a script
/// never sees its host change between two waits, as in virtual time.
///
/// `@unchecked`: everything is used with the lock held.
package final class LineStage: HostStage, @unchecked Sendable {
  private let loop: PollLoop
  private let lock = Lock()
  private var line: ControllerLine
  private var host: (any RadioParticipant)?
  private var octets = OctetBuffer()
  /// Whether `interrupt` was called.
  package private(set) var isInterrupted = false

  /// Creates a stage whose line is not open yet.
  package init(_ controller: ControllerAddress) throws(TransportError) {
    loop = try PollLoop(name: "understudy")
    line = ControllerLine(controller, loop: loop)
  }

  /// Why the controller can no longer be used; nil if it can.
  package var failure: String? { line.failure }

  /// The time of the monotonic clock.
  package var now: Instant { loop.now() }

  /// Opens the line, and calls a script with a central whose controller is ready. Then ends the central's links, and closes the line.
  ///
  /// - Throws: A `TransportError` if the line cannot be opened, a `SimulationFailure` if the controller cannot be used, or what the script
  ///   throws.
  package func perform<Result>(
    _ configuration: CentralConfiguration, _ script: (ScriptedCentral) throws -> Result
  ) throws -> Result {
    lock.lock()
    let central = ScriptedCentral(try CentralStack(configuration), on: ControllerID(rawValue: 0), of: self)
    host = central
    defer {
      host = nil
      line.close()
      lock.unlock()
      loop.stopAndWait()
    }
    try line.open(
      ready: { [weak self] events in self?.process { $0.receive(events) } },
      deadlineReached: { [weak self] in self?.process { $0.advance() } })
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

  /// Ends the links of a central. Peers then need not wait for their supervision timeouts.
  private func leave(_ central: ScriptedCentral) {
    guard line.failure == nil else { return }
    isInterrupted = false
    for link in central.links {
      try? central.perform(.disconnect(link, reason: .remoteUserTerminatedConnection))
    }
    run(until: { central.links.isEmpty }, limit: .seconds(2))
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

  private func receive(_ events: PollEvents) {
    if line.read(events) { line.inbox.withSpan { host?.receive($0, at: now) } }
    exchange()
  }

  private func advance() {
    host?.advance(to: now)
    exchange()
  }

  // MARK: The script

  package func exchange() {
    host?.drain(into: &octets)
    line.finishInput(&octets, nextDeadline: host?.nextDeadline)
  }

  package func run(for duration: Duration) { run(until: { false }, limit: duration) }

  @discardableResult
  package func run(until condition: () -> Bool, limit: Duration) -> Bool {
    let end = now + limit
    exchange()
    while !condition() {
      guard !isInterrupted, line.failure == nil, now < end else { return false }
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

/// The line to a controller can no longer be used.
package struct LineFailure: Error, CustomStringConvertible {
  /// Why.
  package var reason: String

  package var description: String { reason }
}
