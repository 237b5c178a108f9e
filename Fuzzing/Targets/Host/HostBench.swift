import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import PeripheralHost

/// A host on a fake controller, under a clock that the input moves.
struct HostBench: ~Copyable {
  private(set) var stack: HostStack<FuzzApplication>
  private var controller: FuzzController
  private var now = Instant.zero
  private var out = HostOutput()
  /// Whether the host has said that it is at its end.
  private(set) var isOver = false
  /// Authorization that is asked for.
  private var asked: [(ConnectionHandle, ChannelAuthorizationRequest)] = []
  /// The operations on the peers' servers that have begun and not ended.
  private var operations: [ConnectionHandle: Set<OperationID>] = [:]
  /// What was kept of a client.
  private var bond: GATTBondState?

  /// The deadlines that one step of time may bring. Advertising phases and the application's second bring a few each.
  private static let deadlineLimit = 2000
  /// How often the host and the controller may answer each other; a bring-up takes some twenty turns.
  private static let turnLimit = 400

  /// A host that is on the air.
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

  /// Takes steps until the input is at its end, and then looks whether the host still works.
  mutating func play(_ input: inout FuzzInput) throws(Violation) {
    while !input.isAtEnd { try step(&input) }
    try expectAlive()
  }

  private mutating func step(_ input: inout FuzzInput) throws(Violation) {
    switch input.below(12) {
    case 0: try receive(event: input.octet(), input.run())
    case 1: try receive(event: EventCode.leMeta.rawValue, [input.octet()] + input.run())
    case 2: try advance(.milliseconds(Int(input.octet()) * (input.flag() ? 500 : 1)))
    case 3: try connect(UInt16(input.below(4)))
    case 4: try disconnect(UInt16(input.below(4)))
    case 5:
      // Which packets the host finds in these, and when, is the deframer's secret.
      controller.isExact = false
      try receive(input.run())
    case 6: try receive(Packets.acl(UInt16(input.below(4)) | UInt16(input.below(4)) << 12, input.run()))
    case 7:
      let (handle, channel, length) = (UInt16(input.below(4)), input.octet(), 1 + Int(input.octet()))
      try receive(Packets.frame(handle, channel: channel, input.run(), length: length))
    case 8:
      stack.application.mood = input.octet()
      let answers = input.octet()
      controller.answers = answers & 1 == 0
      controller.completesPackets = answers & 2 == 0
    case 9: try receive(controller.freeBuffers())
    case 10: try wish(&input)
    default: try channelWish(&input)
    }
  }

  private mutating func receive(event code: UInt8, _ parameters: [UInt8]) throws(Violation) {
    try receive(Packets.event(code, parameters))
  }

  mutating func connect(_ handle: UInt16) throws(Violation) {
    try receive(Packets.connection(handle, role: .peripheral))
  }

  private mutating func disconnect(_ handle: UInt16) throws(Violation) {
    try receive(HCIDisconnectionComplete { $0.connectionHandle.rawValue = handle }.h4)
  }

  /// Lets time pass from deadline to deadline.
  private mutating func advance(_ duration: Duration) throws(Violation) {
    let end = now + duration
    var count = 0
    while let deadline = stack.nextDeadline, deadline <= end {
      count += 1
      try require(count < Self.deadlineLimit, "deadlines do not get on: \(deadline) at \(now)")
      now = max(now, deadline)
      controller.allowCommand()
      stack.reach(now, into: &out)
      try pump()
    }
    now = end
  }

  // MARK: Wishes

  private mutating func wish(_ input: inout FuzzInput) throws(Violation) {
    let characteristic = CharacteristicIndex(input.below(8))
    let handle = ConnectionHandle(rawValue: UInt16(input.below(4)))
    switch input.below(9) {
    case 0: try grant(.notify(characteristic))
    case 1: try grant(.indicate(characteristic))
    case 2: try grant(.edit(FuzzAccessory.edit(input.octet())))
    case 3: try grant(.disconnect(handle, reason: .remoteUserTerminatedConnection))
    case 4:
      guard let ticket = stack.application.takeTicket(input.below(8)) else { return }
      let answers: [LateAnswer] = [.accepted, .error(.unlikelyError), .value(input.run())]
      try grant(.answer(ticket, answers[input.below(3)]))
    case 5: try grant(.advertise(set: "main", isOn: input.flag()))
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
    case 0: try grant(.channel(.open(handle, SPSM(rawValue: 0x0080), ChannelParameters(mtu: 200, mps: 60))))
    case 1:
      let sdu = [UInt8](repeating: input.octet(), count: Int(input.octet()) * (input.flag() ? 16 : 1))
      try grant(.channel(.send(handle, channel, sdu)))
    case 2: try grant(.channel(.hold(handle, channel, input.flag())))
    case 3: try grant(.channel(.close(handle, channel)))
    case 4:
      guard !asked.isEmpty else { return }
      let (handle, request) = asked.removeFirst()
      try grant(.channel(.authorize(handle, request, isGranted: input.flag())))
    case 5: try grant(.channel(.unpublish(SPSM(rawValue: 0x0080))))
    default: try grant(.channel(.publish(FuzzAccessory.channels[0])))
    }
  }

  private mutating func grant(_ wish: HostWish) throws(Violation) {
    // A refusal is as good as a grant here.
    try? stack.grant(wish, at: now, into: &out)
    try pump()
  }

  // MARK: Octets

  /// Hands the host octets, and the controller what the host says, until neither has anything to say.
  mutating func receive(_ octets: [UInt8]) throws(Violation) {
    guard !octets.isEmpty else { return }
    controller.forgetFrames()
    give(octets)
    try pump()
  }

  private mutating func give(_ octets: [UInt8]) {
    controller.told(packets: octets)
    stack.receive(octets.span, at: now, into: &out)
  }

  private mutating func pump() throws(Violation) {
    for turn in 0..<Self.turnLimit {
      // Continuous notifications go on as long as their buffers come back at once.
      if turn == Self.turnLimit / 4 { controller.completesPackets = false }
      try take(out.events)
      let octets = out.octets.copy()
      out.removeAll()
      guard !octets.isEmpty else { return try checkLinks() }
      let answers = try controller.take(octets)
      if !answers.isEmpty { give(answers) }
    }
    throw Violation(description: "the host does not come to rest")
  }

  private mutating func take(_ events: [HostEvent]) throws(Violation) {
    for event in events {
      switch event {
      case .controllerFailed, .stopped: isOver = true
      case .fault(.controllerRestarted): controller.allowCommand()
      case .channel(let handle, .authorizationAsked(let request)):
        asked = asked.suffix(7) + [(handle, request)]
      case .client(let handle, .ended(let id, _)): operations[handle]?.remove(id)
      case .disconnected(let handle, _):
        let left = operations.removeValue(forKey: handle) ?? []
        try require(left.isEmpty, "a link ends without its operations")
      default: break
      }
    }
  }

  private func checkLinks() throws(Violation) {
    for link in stack.links {
      try require((23...517).contains(link.mtu), "an MTU of \(link.mtu)")
      try require(link.channels.count <= LinkChannels.maximumChannels, "\(link.channels.count) channels")
      try require(Set(link.channels.map(\.id)).count == link.channels.count, "a CID twice")
    }
    try require(Set(stack.links.map(\.handle)).count == stack.links.count, "a handle twice")
  }

  // MARK: The end

  /// Brings the controller up again, connects and reads: whatever came before, that works.
  private mutating func expectAlive() throws(Violation) {
    controller.answers = true
    controller.completesPackets = true
    stack.application.mood = 0
    try advance(.seconds(1))
    try receive(HCIHardwareError().h4)
    try advance(.seconds(12))
    guard !isOver else { return }
    try connect(0x0123)
    guard let text = stack.server.database.characteristic(named: "text") else {
      throw Violation(description: "a characteristic that was not removed is gone")
    }
    try receive(Packets.frame(0x0123, channel: 4, ReadRequest(handle: text.value).encodedPDU))
    let isAnswered = controller.hasFrame(on: 0x0123, beginning: ATTOpcode.readResponse.rawValue)
    try require(isAnswered, "a new client is not answered")
  }
}
