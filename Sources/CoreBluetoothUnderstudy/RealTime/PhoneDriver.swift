#if os(Linux)
  import BLECore
  import Foundation
  import Synchronization
  import Transport
  import Understudy

  /// Runs a phone's system on a poll loop, with a line to its controller.
  actor PhoneDriver {
    private nonisolated let loop: PollLoop
    private nonisolated let gate: SystemGate
    private var keeper: PhoneKeeper?
    private var line: ControllerLine
    private var octets = OctetBuffer()
    private var wakeUp: TimerID?
    private var saved: CentralState?
    private var isClosing = false
    private var hasFailed = false
    private var hasEnded = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// How long links may take to end when the phone is closed.
    private static let closingLimit = Duration.seconds(2)

    init(_ controller: ControllerAddress, gate: SystemGate, keeper: PhoneKeeper?, loop: PollLoop) {
      self.loop = loop
      self.gate = gate
      self.keeper = keeper
      line = ControllerLine(controller, loop: loop)
    }

    private var system: PhoneSystem { gate.system }

    /// Starts the loop, opens the line, and switches Bluetooth on. Returns when the line is open.
    nonisolated func start() throws(TransportError) {
      let opened = DispatchSemaphore(value: 0)
      let result = Result()
      let begin = loop.addTimer { [self] in
        assumeIsolated { driver in
          do throws(TransportError) { try driver.open() } catch { result.error.withLock { $0 = error } }
        }
        opened.signal()
      }
      loop.setTimer(begin, loop.now())
      try loop.start()
      opened.wait()
      loop.removeTimer(begin)
      if let error = result.error.withLock({ $0 }) {
        loop.stopAndWait()
        throw error
      }
    }

    private final class Result: Sendable {
      let error = Mutex<TransportError?>(nil)
    }

    private func open() throws(TransportError) {
      // The timer keeps the driver until its loop ends.
      let timer = loop.addTimer { [self] in assumeIsolated { $0.turn() } }
      wakeUp = timer
      try line.open(
        ready: { [weak self] events in self?.assumeIsolated { $0.ready(events) } },
        deadlineReached: { [weak self] in self?.assumeIsolated { $0.turn() } })
      gate.open { [loop] in loop.setTimer(timer, loop.now()) }
      saved = system.kept
      system.advance(to: loop.now())
      system.switchOn()
      turn()
    }

    /// Switches Bluetooth off, and then ends the loop.
    nonisolated func close() {
      let timer = loop.addTimer { [self] in assumeIsolated { $0.beginClosing() } }
      loop.setTimer(timer, loop.now())
    }

    private func beginClosing() {
      guard !isClosing else { return }
      isClosing = true
      system.advance(to: loop.now())
      system.switchOff()
      system.after(Self.closingLimit) { [weak self] in self?.assumeIsolated { $0.end() } }
      turn()
    }

    private func end() {
      guard !hasEnded else { return }
      hasEnded = true
      line.close()
      gate.close()
      save()
      keeper?.finish()
      // Unlocks the folder.
      keeper = nil
      loop.stop()
    }

    // MARK: - Turns

    private func ready(_ events: PollEvents) {
      if line.read(events) { line.inbox.withSpan { system.receive($0, at: loop.now()) } }
      turn()
    }

    /// Does everything that is due, and writes the resulting octets.
    private func turn() {
      system.advance(to: loop.now())
      send()
      if let failure = line.failure, !hasFailed {
        hasFailed = true
        gate.failed(failure)
        system.controllerHasFailed()
        system.advance(to: loop.now())
        send()
      }
      save()
      if isClosing, system.power == .off || system.power == .unsupported { end() }
    }

    private func send() {
      system.drain(into: &octets)
      line.finishInput(&octets, nextDeadline: system.nextDeadline)
    }

    private func save() {
      guard let keeper else { return }
      let state = system.kept
      guard state != saved else { return }
      saved = state
      keeper.save(state)
    }
  }
#endif
