import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import VirtualRadio

extension RadioSimulation {
  /// Adds an accessory on a new controller. It does nothing before `start`.
  package func addAccessory<Application: AttributeApplication & ChannelApplication>(
    _ configuration: HostConfiguration, application: Application, on controller: ControllerConfiguration = .full
  ) throws -> SimulatedAccessory<Application> {
    let stack = try HostStack(configuration, application: application)
    let accessory = SimulatedAccessory(stack, on: air.addController(configuration: controller), of: self)
    accessory.stack.random = random(for: accessory.controller)
    add(accessory)
    return accessory
  }
}

/// A host stack with its application on a virtual controller.
package final class SimulatedAccessory<Application: AttributeApplication & ChannelApplication>: RadioParticipant {
  package let controller: ControllerID
  /// The host. What a test changes in it takes effect with the next event.
  package var stack: HostStack<Application>
  /// What happened, in order; the owner may forget it.
  package var events: [HostEvent] = []
  /// Is told of events as they come, with the host as it is then; it may answer by `respond`.
  package var observer: (([HostEvent]) -> Void)?
  /// Who answers what its pairings ask.
  package var user = PairingUser.nobody
  private unowned let simulation: RadioSimulation
  private var out = HostOutput()

  init(_ stack: HostStack<Application>, on controller: ControllerID, of simulation: RadioSimulation) {
    self.stack = stack
    self.controller = controller
    self.simulation = simulation
  }

  // MARK: Participant

  package var nextDeadline: Instant? { stack.nextDeadline }

  package func receive(_ octets: Span<UInt8>, at now: Instant) {
    stack.receive(octets, at: now, into: &out)
    collect()
  }

  package func advance(to now: Instant) {
    stack.advance(to: now, into: &out)
    collect()
  }

  package func drain(into buffer: inout OctetBuffer) {
    out.octets.withSpan { buffer.append($0) }
    out.octets.removeAll()
  }

  private func collect() {
    let new = out.events
    out.events.removeAll(keepingCapacity: true)
    events += new
    observer?(new)
    let answers = user.answers(to: new)
    for (link, answer) in answers {
      try? stack.perform(.answerPairing(link, answer), at: simulation.now, into: &out)
      collect()
    }
  }

  // MARK: Verbs

  /// Begins, and waits until it is on the air.
  package func start(limit: Duration = .seconds(10)) throws(SimulationFailure) {
    stack.start(at: simulation.now, into: &out)
    collect()
    var failure: ControllerFailure?
    let isReady = simulation.run(
      until: {
        for case .controllerFailed(let reason) in events { failure = reason }
        return failure != nil || events.contains { if case .advertisingReady = $0 { true } else { false } }
      }, limit: limit)
    if let failure { throw .controllerFailed("\(failure)") }
    guard isReady else { throw .timedOut("on the air", after: limit) }
  }

  /// Does what is asked, and hands on what it leads to at once.
  package func perform(_ request: HostRequest) throws(HostRequestError) {
    defer {
      collect()
      simulation.exchange()
    }
    try stack.perform(request, at: simulation.now, into: &out)
  }

  /// Does what is asked by an observer, while packets are handed on; what it leads to is handed on with the rest.
  package func respond<Failure>(
    _ act: (inout HostStack<Application>, inout HostOutput) throws(Failure) -> Void
  ) throws(Failure) {
    defer { collect() }
    try act(&stack, &out)
  }

  /// Says how well a link is protected, whatever its controller knows.
  package func setSecurity(_ security: LinkSecurity, of link: ConnectionHandle) {
    stack.setSecurity(security, of: link, at: simulation.now, into: &out)
    collect()
    simulation.exchange()
  }

  /// Begins an operation on a central's server; the event that ends it has the number that is returned.
  package func begin(_ operation: GATTOperation, on link: ConnectionHandle) throws(HostRequestError) -> OperationID {
    defer {
      collect()
      simulation.exchange()
    }
    return try stack.perform(operation, on: link, at: simulation.now, into: &out)
  }

  /// Performs an operation on a central's server and waits for its end; a failure is thrown as the `GATTFailure` that it is.
  @discardableResult
  package func perform(
    _ operation: GATTOperation, on link: ConnectionHandle, limit: Duration = .seconds(60)
  ) throws -> GATTResult {
    var next = events.count
    let id = try begin(operation, on: link)
    var outcome: GATTOutcome?
    simulation.run(
      until: {
        while outcome == nil, next < events.count {
          if case .client(link, .ended(id, let ended)) = events[next] { outcome = ended }
          next += 1
        }
        return outcome != nil
      }, limit: limit)
    guard let outcome else { throw SimulationFailure.timedOut("\(operation)", after: limit) }
    return try outcome.get()
  }

  /// Begins anew, as when its process is killed and started again: nothing is left of the host but how it is run, and its
  /// controller is as it was. `prepare` has it before it starts.
  package func restart(
    _ configuration: HostConfiguration, application: Application,
    prepare: (inout HostStack<Application>) -> Void = { _ in }
  ) throws {
    var fresh = try HostStack(configuration, application: application)
    fresh.reportsAccess = stack.reportsAccess
    fresh.resetAttempts = stack.resetAttempts
    fresh.watchInterval = stack.watchInterval
    fresh.random = stack.random
    prepare(&fresh)
    stack = fresh
    out = HostOutput()
    stack.start(at: simulation.now, into: &out)
    collect()
    simulation.exchange()
  }

  /// Begins to take everything off the air; the event `stopped` says when that is done.
  package func shutDown() {
    stack.shutDown(at: simulation.now, into: &out)
    collect()
    simulation.exchange()
  }
}
