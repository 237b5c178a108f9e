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
  /// Adds a central on a new controller. Unless `configuration` is given, each central has an address of its own. It does nothing before
  /// `start`.
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

/// A central for scripts: each method lets time pass until its operation is done, or throws. On a `RadioSimulation` the time is virtual;
/// another stage connects it to a real controller.
package final class ScriptedCentral: RadioParticipant {
  /// A value that a server notified or indicated, and the time.
  package struct Pushed: Hashable, Sendable {
    package var at: Instant
    package var link: ConnectionHandle
    package var handle: UInt16
    package var value: [UInt8]
    package var isIndication: Bool
  }

  package let controller: ControllerID
  /// The host, for direct access without the methods of this class.
  package var stack: CentralStack
  /// The time limit of each operation.
  package var limit = Duration.seconds(60)
  /// The events in order, without notified and indicated values. The owner may clear it.
  package var events: [HostEvent] = []
  /// A closure that is called with new events.
  package var observer: (([HostEvent]) -> Void)?
  /// The notifications and indications in order. The owner may clear it.
  package var pushed: [Pushed] = []
  /// A closure that is called with all octets to and from the controller.
  package var tap: ((_ octets: Span<UInt8>, _ isSent: Bool, _ now: Instant) -> Void)?
  /// What it keeps of the device as a central of a maker; nil if nothing, or if the device has told that its services changed.
  package var cache: DeviceCache?
  /// Whether the device has told so, and nothing has been discovered since.
  var servicesHaveChanged = false
  /// The user who answers the questions of pairings.
  package var user = PairingUser.nobody
  private var outcomes: [ConnectionHandle: [OperationID: GATTOutcome]] = [:]
  /// What it acts on.
  package unowned let stage: any HostStage
  var out = HostOutput()

  /// Creates a central on a controller of a stage. It does nothing before `start`.
  package init(_ stack: CentralStack, on controller: ControllerID, of stage: any HostStage) {
    self.stack = stack
    self.controller = controller
    self.stage = stage
  }

  // MARK: Participant

  package var nextDeadline: Instant? { stack.nextDeadline }

  package func receive(_ octets: Span<UInt8>, at now: Instant) {
    tap?(octets, false, now)
    stack.receive(octets, at: now, into: &out)
    collect()
  }

  package func advance(to now: Instant) {
    stack.advance(to: now, into: &out)
    collect()
  }

  package func drain(into buffer: inout OctetBuffer) {
    if !out.octets.isEmpty, let tap { out.octets.withSpan { tap($0, true, stage.now) } }
    out.octets.withSpan { buffer.append($0) }
    out.octets.removeAll()
  }

  func collect() {
    // Whoever observes may act on this central at once, and so add to its events.
    let new = out.events
    out.events.removeAll(keepingCapacity: true)
    for event in new {
      switch event {
      case .client(let link, .notification(let handle, let value)):
        pushed.append(
          Pushed(at: stage.now, link: link, handle: handle, value: value, isIndication: false))
      case .client(let link, .indication(let handle, let value)):
        pushed.append(
          Pushed(at: stage.now, link: link, handle: handle, value: value, isIndication: true))
      case .client(let link, .ended(let id, let outcome)): outcomes[link, default: [:]][id] = outcome
      case .client(_, .servicesChanged), .client(_, .databaseOutOfSync):
        (cache, servicesHaveChanged) = (nil, true)
        events.append(event)
      case .connected(let link, _):
        // The handle and the operation ids may be those of an earlier link, whose last outcomes were never read.
        outcomes[link] = nil
        events.append(event)
      default: events.append(event)
      }
    }
    observer?(new)
    for (link, answer) in user.answers(to: new) {
      try? stack.perform(.answerPairing(link, answer), at: stage.now, into: &out)
      collect()
    }
  }

  // MARK: Waiting

  /// Performs a request, and delivers the resulting octets.
  package func perform(_ request: CentralRequest) throws(HostRequestError) {
    defer {
      collect()
      stage.exchange()
    }
    try stack.perform(request, at: stage.now, into: &out)
  }

  /// Performs an action of an observer while packets are being delivered. The resulting octets are delivered with the others.
  package func respond<Failure>(
    _ act: (inout CentralStack, inout HostOutput) throws(Failure) -> Void
  ) throws(Failure) {
    defer {
      collect()
      stage.touch(self)
    }
    try act(&stack, &out)
  }

  /// Lets time pass until `find` returns a value for an event, beginning with the `start`th.
  package func wait<Found>(
    for what: String, from start: Int, _ find: (HostEvent) -> Found?
  ) throws(SimulationFailure) -> Found {
    var found: Found?
    var next = start
    stage.run(
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

  /// Starts the host, and waits until the controller is ready.
  package func start() throws {
    let first = events.count
    stack.start(at: stage.now, into: &out)
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

  /// Scans for a time. Returns the matching advertisements in order. `fits` is called when each is received.
  package func scan(
    for duration: Duration, _ request: ScanRequest = ScanRequest(), _ fits: (Advertisement) -> Bool = { _ in true }
  ) throws -> [Advertisement] {
    let end = stage.now + duration
    var next = events.count
    var heard: [Advertisement] = []
    try perform(.scan(request))
    stage.run(
      until: {
        while next < events.count {
          if case .advertisement(let advertisement) = events[next], fits(advertisement) { heard.append(advertisement) }
          next += 1
        }
        return false
      }, limit: duration)
    stage.run(for: end - stage.now)
    try perform(.stopScanning)
    return heard
  }

  /// Scans until an advertiser that passes the filter is heard.
  package func find(_ filter: ScanFilter) throws -> Advertisement {
    try hear(ScanRequest(filter: filter)) { _ in true }
  }

  /// Scans until a matching advertiser is heard.
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

  /// Connects to an advertiser. The attempt is canceled at the time limit.
  @discardableResult
  package func connect(_ request: ConnectionRequest) throws -> ConnectionHandle {
    let first = events.count
    try perform(.connect(request))
    return try connection(to: request.peer, over: .le, from: first)
  }

  /// Waits for the connection that a request after the `start`th event makes, or cancels the attempt.
  func connection(
    to peer: DeviceAddress, over transport: LinkTransport, from start: Int
  ) throws -> ConnectionHandle {
    do {
      return try wait(for: "a connection", from: start) { event -> Result<ConnectionHandle, SimulationFailure>? in
        switch event {
        case .connected(let handle, let details) where details.peer == peer && details.transport == transport:
          .success(handle)
        case .connectionFailed(let status): .failure(.refused("no connection: \(status)"))
        default: nil
        }
      }.get()
    } catch {
      if stack.isConnecting {
        try perform(.cancelConnecting)
        stage.run(until: { !stack.isConnecting })
      }
      throw error
    }
  }

  /// Connects to the advertiser with that random address.
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

  /// The present links.
  package var links: [ConnectionHandle] { stack.linkStates.map(\.handle) }

  /// The reasons for which links have ended, in order.
  package var ends: [ErrorCode] {
    events.compactMap { event in
      if case .disconnected(_, let reason) = event { reason } else { nil }
    }
  }

  // MARK: GATT

  /// Performs an operation over any bearer, or over the given one, and waits for its end.
  ///
  /// - Throws: The `GATTFailure` of the operation.
  @discardableResult
  package func perform(
    _ operation: GATTOperation, on link: ConnectionHandle, over bearer: BearerID? = nil
  ) throws -> GATTResult {
    try outcome(of: begin(operation, on: link, over: bearer), operation, on: link).get()
  }

  /// Begins an operation without waiting for its end.
  package func begin(
    _ operation: GATTOperation, on link: ConnectionHandle, over bearer: BearerID? = nil
  ) throws -> OperationID {
    let id = try stack.perform(operation, on: link, over: bearer, at: stage.now, into: &out)
    collect()
    return id
  }

  /// Waits for the end of an operation.
  package func outcome(
    of id: OperationID, _ operation: GATTOperation, on link: ConnectionHandle
  ) throws(SimulationFailure) -> GATTOutcome {
    var outcome: GATTOutcome?
    stage.run(
      until: {
        outcome = outcomes[link]?.removeValue(forKey: id)
        return outcome != nil
      }, limit: limit)
    guard let outcome else { throw .timedOut("\(operation)", after: limit) }
    return outcome
  }

  /// Exchanges the MTU. Returns the resulting MTU.
  @discardableResult
  package func exchangeMTU(on link: ConnectionHandle) throws -> Int {
    guard case .mtu(let mtu) = try perform(.exchangeMTU, on: link) else { return 0 }
    return mtu
  }

  /// Discovers the whole server.
  @discardableResult
  package func discover(on link: ConnectionHandle) throws -> RemoteDatabase {
    try perform(.discoverAll, on: link)
    return stack.remoteDatabase(of: link) ?? RemoteDatabase()
  }

  /// Reads a value of any length.
  package func read(_ handle: UInt16, on link: ConnectionHandle) throws -> [UInt8] {
    guard case .value(let value) = try perform(.read(handle), on: link) else { return [] }
    return value
  }

  /// Writes a value of any length, and waits for the response.
  package func write(_ value: [UInt8], to handle: UInt16, on link: ConnectionHandle) throws {
    try perform(.write(handle, value), on: link)
  }

  /// Sends a value without a response, as soon as the link has room for it.
  package func writeWithoutResponse(_ value: [UInt8], to handle: UInt16, on link: ConnectionHandle) throws {
    let hasRoom = stage.run(until: { stack.hasRoom(link) }, limit: limit)
    guard hasRoom else { throw SimulationFailure.timedOut("room to write", after: limit) }
    try perform(.writeWithoutResponse(handle, value), on: link)
  }

  /// Configures notifications and indications of the characteristic with that value handle, which must have been discovered.
  package func configure(
    _ handle: UInt16, _ configuration: ClientConfiguration, on link: ConnectionHandle
  ) throws {
    try perform(.configure(handle, configuration), on: link)
  }

  /// Returns the notified and indicated values of an attribute.
  package func pushed(of handle: UInt16, on link: ConnectionHandle) -> [Pushed] {
    pushed.filter { $0.handle == handle && $0.link == link }
  }

  // MARK: The link

  /// Changes the parameters of a link, and waits until they are in use.
  package func update(_ link: ConnectionHandle, _ parameters: LinkParameters) throws {
    try change(.updateParameters(link, parameters), "other parameters", .leConnectionUpdate) { event in
      if case .parametersChanged(link, _, _, _) = event { true } else { false }
    }
  }

  /// Changes the PHY in both directions, and waits until it is in use.
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

  /// Sets the security of a link, regardless of its controller.
  package func setSecurity(_ security: LinkSecurity, of link: ConnectionHandle) {
    stack.setSecurity(security, of: link, at: stage.now, into: &out)
    collect()
    stage.exchange()
  }
}
