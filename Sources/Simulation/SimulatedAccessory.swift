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

/// A host stack with its application, on a controller of a stage: a virtual one on a `RadioSimulation`.
package final class SimulatedAccessory<Application: AttributeApplication & ChannelApplication>: RadioParticipant {
  package let controller: ControllerID
  /// The host. Changes made by a test take effect with the next event.
  package var stack: HostStack<Application>
  /// The events in order. The owner may clear it.
  package var events: [HostEvent] = []
  /// A closure that is called with new events while the host is in the corresponding state. It may use `respond`.
  package var observer: (([HostEvent]) -> Void)?
  /// The user who answers the questions of pairings.
  package var user = PairingUser.nobody
  /// What it acts on.
  package unowned let stage: any HostStage
  private var out = HostOutput()

  /// Creates an accessory on a controller of a stage. It does nothing before `start`.
  package init(_ stack: HostStack<Application>, on controller: ControllerID, of stage: any HostStage) {
    self.stack = stack
    self.controller = controller
    self.stage = stage
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
      try? stack.perform(.answerPairing(link, answer), at: stage.now, into: &out)
      collect()
    }
  }

  // MARK: Verbs

  /// Starts the host, and waits until it advertises.
  package func start(limit: Duration = .seconds(10)) throws(SimulationFailure) {
    stack.start(at: stage.now, into: &out)
    collect()
    var failure: ControllerFailure?
    let isReady = stage.run(
      until: {
        for case .controllerFailed(let reason) in events { failure = reason }
        return failure != nil || events.contains { if case .advertisingReady = $0 { true } else { false } }
      }, limit: limit)
    if let failure { throw .controllerFailed("\(failure)") }
    guard isReady else { throw .timedOut("on the air", after: limit) }
  }

  /// Performs a request, and delivers the resulting octets.
  package func perform(_ request: HostRequest) throws(HostRequestError) {
    defer {
      collect()
      stage.exchange()
    }
    try stack.perform(request, at: stage.now, into: &out)
  }

  /// Performs an action of an observer while packets are being delivered. The resulting octets are delivered with the others.
  package func respond<Failure>(
    _ act: (inout HostStack<Application>, inout HostOutput) throws(Failure) -> Void
  ) throws(Failure) {
    defer {
      collect()
      stage.touch(self)
    }
    try act(&stack, &out)
  }

  /// Sets the security of a link, regardless of its controller.
  package func setSecurity(_ security: LinkSecurity, of link: ConnectionHandle) {
    stack.setSecurity(security, of: link, at: stage.now, into: &out)
    collect()
    stage.exchange()
  }

  /// Begins an operation on a central's server. The event that ends it contains the returned id.
  package func begin(_ operation: GATTOperation, on link: ConnectionHandle) throws(HostRequestError) -> OperationID {
    defer {
      collect()
      stage.exchange()
    }
    return try stack.perform(operation, on: link, at: stage.now, into: &out)
  }

  /// Performs an operation on a central's server, and waits for its end.
  ///
  /// - Throws: The `GATTFailure` of the operation.
  @discardableResult
  package func perform(
    _ operation: GATTOperation, on link: ConnectionHandle, limit: Duration = .seconds(60)
  ) throws -> GATTResult {
    var next = events.count
    let id = try begin(operation, on: link)
    var outcome: GATTOutcome?
    stage.run(
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

  /// Restarts the host, as when its process is killed and started again: only its settings are kept, and its controller keeps its state.
  /// `prepare` is called before the host starts.
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
    stack.start(at: stage.now, into: &out)
    collect()
    stage.exchange()
  }

  /// Starts stopping all activity. The event `stopped` reports when that is done.
  package func shutDown() {
    stack.shutDown(at: stage.now, into: &out)
    collect()
    stage.exchange()
  }
}
