import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import Transport
import Understudy

/// A central that carries out commands and reports events, both as JSON, for tests whose peripheral is another implementation.
package actor CommandedCentral {
  private nonisolated let loop: PollLoop
  private let report: @Sendable (ProfileValue) -> Void
  private var line: ControllerLine
  private var stack: CentralStack
  private var out = HostOutput()
  private var security = SecurityDefinition()
  private var ended = false

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Creates a central with that random static address, on that controller. `report` is called on the loop for every event.
  package init(
    _ controller: ControllerAddress, address: DeviceAddress, loop: PollLoop,
    report: @escaping @Sendable (ProfileValue) -> Void
  ) throws {
    self.loop = loop
    self.report = report
    line = ControllerLine(controller, loop: loop)
    stack = try CentralStack(CentralConfiguration(randomAddress: address))
  }

  /// Opens the line to the controller, and initializes it.
  package func start() throws(TransportError) {
    try line.open(
      ready: { [weak self] events in self?.assumeIsolated { $0.ready(events) } },
      deadlineReached: { [weak self] in self?.assumeIsolated { $0.deadlineReached() } })
    stack.start(at: loop.now(), into: &out)
    finishInput()
  }

  /// Closes the line.
  package func stop() { line.close() }

  /// Carries out a command: see `CentralOrder`. A failure is reported as the fault `order-refused`.
  package func perform(_ order: ProfileValue) {
    do {
      try carryOut(try CentralOrder(order))
    } catch {
      report(.object(["event": .string("fault"), "fault": .string("order-refused"), "reason": .string("\(error)")]))
    }
    finishInput()
  }

  private func carryOut(_ order: CentralOrder) throws {
    let now = loop.now()
    switch order {
    case .security(let definition):
      security = definition
      stack.setSecurity(definition.pairing, requests: definition.requests)
    case .request(let request): try stack.perform(request, at: now, into: &out)
    case .operation(let operation, let handle): _ = try stack.perform(operation, on: handle, at: now, into: &out)
    case .forget: for bond in stack.bonds { try stack.perform(.removeBond(bond.peer), at: now, into: &out) }
    }
  }

  // MARK: Input

  private func ready(_ events: PollEvents) {
    if line.read(events) { line.inbox.withSpan { stack.receive($0, at: loop.now(), into: &out) } }
    finishInput()
  }

  private func deadlineReached() {
    stack.advance(to: loop.now(), into: &out)
    finishInput()
  }

  private func finishInput() {
    while !out.events.isEmpty {
      let events = out.events
      out.events.removeAll(keepingCapacity: true)
      for event in events { take(event) }
    }
    line.finishInput(&out.octets, nextDeadline: stack.nextDeadline)
    if let failure = line.failure, !ended {
      ended = true
      report(.object(["event": .string("failed"), "reason": .string(failure)]))
    }
  }

  private func take(_ event: HostEvent) {
    if case .security(let handle, .asked(let question)) = event, let answer = security.answers.answer(to: question) {
      if case .display = question, answer == .accept { return report(event.json) }
      try? stack.perform(.answerPairing(handle, answer), at: loop.now(), into: &out)
    }
    report(event.json)
  }
}
