import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import VirtualRadio

extension RadioSimulation {
  /// Adds a central on a new controller, each with an address of its own unless `configuration` says otherwise. It does nothing
  /// before `start`.
  package func addCentral(
    _ configuration: CentralConfiguration? = nil, on controller: ControllerConfiguration = .full
  ) throws -> ScriptedCentral {
    let id = air.addController(configuration: controller)
    var chosen = configuration ?? CentralConfiguration()
    if configuration == nil { chosen.randomAddress = .randomStatic(from: 0xCE00 + UInt64(id.rawValue)) }
    let central = ScriptedCentral(try CentralStack(chosen), on: id, of: self)
    central.stack.random = random(for: id)
    add(central)
    return central
  }
}

/// A central that reads like a script: every verb lets virtual time pass until what it says is done, or throws.
package final class ScriptedCentral: RadioParticipant {
  /// A value that a server sent by itself, and when.
  package struct Pushed: Hashable, Sendable {
    package var at: Instant
    package var link: ConnectionHandle
    package var handle: UInt16
    package var value: [UInt8]
    package var isIndication: Bool
  }

  package let controller: ControllerID
  /// The host, for whoever wants to go without the verbs.
  package var stack: CentralStack
  /// How long a verb waits.
  package var limit = Duration.seconds(60)
  /// What happened, in order, without the values that servers sent; the owner may forget it.
  package var events: [HostEvent] = []
  /// Is told of events as they come.
  package var observer: (([HostEvent]) -> Void)?
  /// Notifications and indications, in order; the owner may forget them.
  package var pushed: [Pushed] = []
  /// Who answers what its pairings ask.
  package var user = PairingUser.nobody
  private var outcomes: [ConnectionHandle: [OperationID: GATTOutcome]] = [:]
  unowned let simulation: RadioSimulation
  var out = HostOutput()

  init(_ stack: CentralStack, on controller: ControllerID, of simulation: RadioSimulation) {
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

  func collect() {
    observer?(out.events)
    for event in out.events {
      switch event {
      case .client(let link, .notification(let handle, let value)):
        pushed.append(
          Pushed(at: simulation.now, link: link, handle: handle, value: value, isIndication: false))
      case .client(let link, .indication(let handle, let value)):
        pushed.append(
          Pushed(at: simulation.now, link: link, handle: handle, value: value, isIndication: true))
      case .client(let link, .ended(let id, let outcome)): outcomes[link, default: [:]][id] = outcome
      case .connected(let link, _):
        // The handle and the numbers of operations are those of a link before, whose last outcomes nobody waited for.
        outcomes[link] = nil
        events.append(event)
      default: events.append(event)
      }
    }
    let answers = user.answers(to: out.events)
    out.events.removeAll(keepingCapacity: true)
    for (link, answer) in answers {
      try? stack.perform(.answerPairing(link, answer), at: simulation.now, into: &out)
      collect()
    }
  }

  // MARK: Waiting

  /// Does what is asked, and hands on what it leads to at once.
  package func perform(_ request: CentralRequest) throws(HostRequestError) {
    defer {
      collect()
      simulation.exchange()
    }
    try stack.perform(request, at: simulation.now, into: &out)
  }

  /// Lets time pass until an event is there for which `find` gives something, counted from the `start`th on.
  package func wait<Found>(
    for what: String, from start: Int, _ find: (HostEvent) -> Found?
  ) throws(SimulationFailure) -> Found {
    var found: Found?
    var next = start
    simulation.run(
      until: {
        while found == nil, next < events.count {
          found = find(events[next])
          next += 1
        }
        return found != nil
      }, limit: limit)
    guard let found else { throw .timedOut(what, after: limit) }
    return found
  }

  /// Begins, and waits until the controller is up.
  package func start() throws {
    let first = events.count
    stack.start(at: simulation.now, into: &out)
    collect()
    let failure = try wait(for: "the controller", from: first) { event -> ControllerFailure?? in
      switch event {
      case .controllerReady: .some(nil)
      case .controllerFailed(let failure): .some(failure)
      default: nil
      }
    }
    if let failure { throw SimulationFailure.controllerFailed("\(failure)") }
  }

  // MARK: Scanning and connecting

  /// Scans for that long; what was heard that fits, in order. Each is looked at when it is heard.
  package func scan(
    for duration: Duration, _ request: ScanRequest = ScanRequest(), _ fits: (Advertisement) -> Bool = { _ in true }
  ) throws -> [Advertisement] {
    let end = simulation.now + duration
    var next = events.count
    var heard: [Advertisement] = []
    try perform(.scan(request))
    simulation.run(
      until: {
        while next < events.count {
          if case .advertisement(let advertisement) = events[next], fits(advertisement) { heard.append(advertisement) }
          next += 1
        }
        return false
      }, limit: duration)
    simulation.run(for: end - simulation.now)
    try perform(.stopScanning)
    return heard
  }

  /// Scans until an advertiser is heard that passes the filter.
  package func find(_ filter: ScanFilter) throws -> Advertisement {
    try hear(ScanRequest(filter: filter)) { _ in true }
  }

  /// Scans until something is heard that fits.
  package func hear(
    _ request: ScanRequest = ScanRequest(), _ fits: (Advertisement) -> Bool
  ) throws -> Advertisement {
    let first = events.count
    try perform(.scan(request))
    let found = Result {
      try wait(for: "an advertiser", from: first) { event in
        if case .advertisement(let advertisement) = event, fits(advertisement) { advertisement } else { nil }
      }
    }
    try perform(.stopScanning)
    return try found.get()
  }

  /// Connects to an advertiser. The attempt is given up when it takes too long.
  @discardableResult
  package func connect(_ request: ConnectionRequest) throws -> ConnectionHandle {
    let first = events.count
    try perform(.connect(request))
    do {
      return try wait(for: "a connection", from: first) { event -> Result<ConnectionHandle, SimulationFailure>? in
        switch event {
        case .connected(let handle, let details) where details.peer == request.peer: .success(handle)
        case .connectionFailed(let status): .failure(.refused("no connection: \(status)"))
        default: nil
        }
      }.get()
    } catch {
      if stack.isConnecting {
        try perform(.cancelConnecting)
        simulation.run(until: { !stack.isConnecting })
      }
      throw error
    }
  }

  /// Connects to the advertiser with a random address.
  @discardableResult
  package func connect(
    to peer: DeviceAddress, parameters: LinkParameters = LinkParameters()
  ) throws -> ConnectionHandle {
    try connect(ConnectionRequest(to: peer, parameters: parameters))
  }

  /// Ends a link, and waits until it has ended.
  package func disconnect(
    _ link: ConnectionHandle, reason: ErrorCode = .remoteUserTerminatedConnection
  ) throws {
    let first = events.count
    try perform(.disconnect(link, reason: reason))
    try wait(for: "the end of the link", from: first) { event -> Void? in
      if case .disconnected(link, _) = event { () } else { nil }
    }
  }

  /// The links that are there.
  package var links: [ConnectionHandle] { stack.linkStates.map(\.handle) }

  /// Why links have ended, in order.
  package var ends: [ErrorCode] {
    events.compactMap { event in
      if case .disconnected(_, let reason) = event { reason } else { nil }
    }
  }

  // MARK: GATT

  /// Performs an operation, over any bearer or the given one, and waits for its end; a failure is thrown as the `GATTFailure` that
  /// it is.
  @discardableResult
  package func perform(
    _ operation: GATTOperation, on link: ConnectionHandle, over bearer: BearerID? = nil
  ) throws -> GATTResult {
    try outcome(of: begin(operation, on: link, over: bearer), operation, on: link).get()
  }

  /// Begins an operation and does not wait for its end.
  package func begin(
    _ operation: GATTOperation, on link: ConnectionHandle, over bearer: BearerID? = nil
  ) throws -> OperationID {
    let id = try stack.perform(operation, on: link, over: bearer, at: simulation.now, into: &out)
    collect()
    return id
  }

  /// Waits for the end of an operation.
  package func outcome(
    of id: OperationID, _ operation: GATTOperation, on link: ConnectionHandle
  ) throws(SimulationFailure) -> GATTOutcome {
    var outcome: GATTOutcome?
    simulation.run(
      until: {
        outcome = outcomes[link]?.removeValue(forKey: id)
        return outcome != nil
      }, limit: limit)
    guard let outcome else { throw .timedOut("\(operation)", after: limit) }
    return outcome
  }

  /// Exchanges the MTU; the one that holds then.
  @discardableResult
  package func exchangeMTU(on link: ConnectionHandle) throws -> Int {
    guard case .mtu(let mtu) = try perform(.exchangeMTU, on: link) else { return 0 }
    return mtu
  }

  /// Discovers everything.
  @discardableResult
  package func discover(on link: ConnectionHandle) throws -> RemoteDatabase {
    try perform(.discoverAll, on: link)
    return stack.remoteDatabase(of: link) ?? RemoteDatabase()
  }

  /// Reads a value, however long.
  package func read(_ handle: UInt16, on link: ConnectionHandle) throws -> [UInt8] {
    guard case .value(let value) = try perform(.read(handle), on: link) else { return [] }
    return value
  }

  /// Writes a value, however long, and waits for the answer.
  package func write(_ value: [UInt8], to handle: UInt16, on link: ConnectionHandle) throws {
    try perform(.write(handle, value), on: link)
  }

  /// Sends a value without an answer, as soon as the link takes it.
  package func writeWithoutResponse(_ value: [UInt8], to handle: UInt16, on link: ConnectionHandle) throws {
    let hasRoom = simulation.run(until: { stack.hasRoom(link) }, limit: limit)
    guard hasRoom else { throw SimulationFailure.timedOut("room to write", after: limit) }
    try perform(.writeWithoutResponse(handle, value), on: link)
  }

  /// Sets what is wanted of the characteristic whose value has that handle, which must have been discovered.
  package func configure(
    _ handle: UInt16, _ configuration: ClientConfiguration, on link: ConnectionHandle
  ) throws {
    try perform(.configure(handle, configuration), on: link)
  }

  /// The values that servers have sent of an attribute.
  package func pushed(of handle: UInt16, on link: ConnectionHandle) -> [Pushed] {
    pushed.filter { $0.handle == handle && $0.link == link }
  }

  // MARK: The link

  /// Gives a link other parameters, and waits until they hold.
  package func update(_ link: ConnectionHandle, _ parameters: LinkParameters) throws {
    try change(.updateParameters(link, parameters), "other parameters", .leConnectionUpdate) { event in
      if case .parametersChanged(link, _, _, _) = event { true } else { false }
    }
  }

  /// Uses one PHY both ways, and waits until that holds.
  package func setPHY(_ link: ConnectionHandle, _ phy: PHYSet) throws {
    try change(.setPHY(link, transmit: phy, receive: phy), "another PHY", .leSetPHY) { event in
      if case .phyChanged(link, _, _) = event { true } else { false }
    }
  }

  private func change(
    _ request: CentralRequest, _ what: String, _ opcode: CommandOpcode, _ isDone: (HostEvent) -> Bool
  ) throws {
    let first = events.count
    try perform(request)
    let refusal = try wait(for: what, from: first) { event -> ErrorCode?? in
      if case .refused(opcode, let status) = event { return .some(status) }
      return isDone(event) ? .some(nil) : nil
    }
    if let refusal { throw SimulationFailure.refused("\(opcode): \(refusal)") }
  }

  /// Says how well a link is protected, whatever its controller knows.
  package func setSecurity(_ security: LinkSecurity, of link: ConnectionHandle) {
    stack.setSecurity(security, of: link, at: simulation.now, into: &out)
    collect()
    simulation.exchange()
  }
}
