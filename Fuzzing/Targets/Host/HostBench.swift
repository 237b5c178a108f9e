import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost

/// A host on a fake controller, under a clock that the input moves.
struct HostBench: FuzzedHost, ~Copyable {
  static let role = LinkRole.peripheral

  private(set) var stack: HostStack<FuzzApplication>
  var controller: FuzzController
  var now = Instant.zero
  private var out = HostOutput()
  /// Whether the host has said that it has ended.
  private(set) var isOver = false
  /// The operations on the peers' servers that have begun and have not ended.
  private var operations: [ConnectionHandle: Set<OperationID>] = [:]
  /// What was kept of a client.
  private var bond: GATTBondState?

  /// Makes a host that advertises.
  init() throws(Violation) {
    guard let (stack, controller) = Self.ready else { throw Violation(description: "the host does not come up") }
    self.stack = stack
    self.controller = controller
  }

  private static let ready: (HostStack<FuzzApplication>, FuzzController)? = {
    guard var stack = try? HostStack(FuzzAccessory.configuration, application: FuzzApplication()) else { return nil }
    stack.reportsAccess = true
    var bench = HostBench(stack)
    guard (try? bench.start()) != nil else { return nil }
    return bench.stack.activeSets == ["main"] ? (bench.stack, bench.controller) : nil
  }()

  private init(_ stack: HostStack<FuzzApplication>) {
    self.stack = stack
    controller = FuzzController()
  }

  private mutating func start() throws(Violation) {
    stack.start(at: now, into: &out)
    try pump()
  }

  // MARK: Driving

  /// Takes steps until the input ends, and then checks that the host still works.
  mutating func play(_ input: inout FuzzInput) throws(Violation) {
    while !input.isAtEnd { try step(&input) }
    try expectAlive()
  }

  private mutating func step(_ input: inout FuzzInput) throws(Violation) {
    let kind = input.below(12)
    switch kind {
    case ..<Self.stepCount: try step(kind, &input)
    case 8:
      stack.application.mood = input.octet()
      let answers = input.octet()
      controller.answers = answers & 1 == 0
      controller.completesPackets = answers & 2 == 0
    case 9: try receive(controller.freeBuffers())
    case 10: try request(&input)
    default: try channelWish(&input)
    }
  }

  var nextDeadline: Instant? { mutating get { stack.nextDeadline } }

  mutating func advance() { stack.advance(to: now, into: &out) }

  // MARK: Requests

  private mutating func request(_ input: inout FuzzInput) throws(Violation) {
    let characteristic = CharacteristicIndex(input.below(8))
    let handle = ConnectionHandle(rawValue: UInt16(input.below(4)))
    switch input.below(9) {
    case 0: try perform(.notify(characteristic))
    case 1: try perform(.indicate(characteristic))
    case 2: try perform(.edit(FuzzAccessory.edit(input.octet())))
    case 3: try perform(.disconnect(handle, reason: .remoteUserTerminatedConnection))
    case 4:
      guard let ticket = stack.application.takeTicket(input.below(8)) else { return }
      let answers: [LateAnswer] = [.accepted, .error(.unlikelyError), .value(input.run())]
      try perform(.answer(ticket, answers[input.below(3)]))
    case 5: try perform(.advertise(set: "main", isOn: input.flag()))
    case 6: bond = stack.bondState(of: handle)
    case 7:
      guard let bond else { return }
      stack.restore(bond, on: handle, at: now, into: &out)
      try pump()
    default:
      guard let id = try? stack.perform(input.operation(), on: handle, at: now, into: &out) else { return }
      operations[handle, default: []].insert(id)
      try pump()
    }
  }

  private mutating func channelWish(_ input: inout FuzzInput) throws(Violation) {
    let handle = ConnectionHandle(rawValue: UInt16(input.below(4)))
    let channel = ChannelID(rawValue: 0x0040 + UInt16(input.below(4)))
    switch input.below(7) {
    case 0: try perform(.channel(.open(handle, SPSM(rawValue: 0x0080), ChannelParameters(mtu: 200, mps: 60))))
    case 1:
      let sdu = [UInt8](repeating: input.octet(), count: Int(input.octet()) * (input.flag() ? 16 : 1))
      try perform(.channel(.send(handle, channel, sdu)))
    case 2: try perform(.channel(.hold(handle, channel, input.flag())))
    case 3: try perform(.channel(.close(handle, channel)))
    case 4:
      let authorizations: [ChannelAuthorization] = [.asked, .granted, .denied]
      try perform(.channel(.setAuthorization(SPSM(rawValue: 0x0081), authorizations[input.below(3)])))
    case 5: try perform(.channel(.unpublish(SPSM(rawValue: 0x0080))))
    default: try perform(.channel(.publish(FuzzAccessory.channels[0])))
    }
  }

  private mutating func perform(_ request: HostRequest) throws(Violation) {
    // A refusal is as good as a success here.
    try? stack.perform(request, at: now, into: &out)
    try pump()
  }

  // MARK: Octets

  mutating func give(_ octets: [UInt8]) { stack.receive(octets.span, at: now, into: &out) }

  mutating func take() throws(Violation) -> [UInt8] {
    try take(out.events)
    defer { out.removeAll() }
    return out.octets.copy()
  }

  private mutating func take(_ events: [HostEvent]) throws(Violation) {
    for event in events {
      switch event {
      case .controllerFailed, .stopped: isOver = true
      case .fault(.controllerRestarted): controller.allowCommand()
      case .client(let handle, .ended(let id, _)): operations[handle]?.remove(id)
      case .disconnected(let handle, _):
        let left = operations.removeValue(forKey: handle) ?? []
        try require(left.isEmpty, "a link ends, but its operations do not")
      default: break
      }
    }
  }

  func checkLinks() throws(Violation) {
    for link in stack.linkStates {
      try require((23...517).contains(link.mtu), "an MTU of \(link.mtu)")
      try require(link.channels.count <= LinkChannels.maximumChannels, "\(link.channels.count) channels")
      try require(Set(link.channels.map(\.id)).count == link.channels.count, "two channels have the same CID")
    }
    try require(Set(stack.linkStates.map(\.handle)).count == stack.linkStates.count, "two links have the same handle")
  }

  // MARK: The end

  /// Brings the controller up again, connects and reads. This must work whatever came before.
  private mutating func expectAlive() throws(Violation) {
    stack.application.mood = 0
    try recover()
    guard !isOver else { return }
    try connect(0x0123)
    guard let text = stack.server.database.characteristic(named: "text") else {
      throw Violation(description: "a characteristic is gone, though it was not removed")
    }
    try receive(Packets.frame(0x0123, channel: 4, ReadRequest(handle: text.value).encodedPDU))
    let isAnswered = controller.hasFrame(on: 0x0123, beginning: ATTOpcode.readResponse.rawValue)
    try require(isAnswered, "a new client is not answered")
  }
}
