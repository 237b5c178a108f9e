import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import CentralHost

/// A central that scans and has links: reports of advertisers, and whatever peripherals send.
public enum CentralTarget: FuzzTarget {
  public static let name = "central"
  public static let maximumLength = 2048

  public static func run(_ input: inout FuzzInput) throws(Violation) {
    var bench = try CentralBench()
    try bench.play(&input)
  }
}

/// A central on a fake controller, under a clock that the input moves.
private struct CentralBench: ~Copyable {
  private static let deadlineLimit = 2000
  /// How often the central and the controller may answer each other.
  private static let turnLimit = 400

  private var stack: CentralStack
  private var controller: FuzzController
  private var now = Instant.zero
  private var out = CentralOutput()
  private var isOver = false
  /// The operations that have begun and not ended, by link.
  private var open: [ConnectionHandle: Set<OperationID>] = [:]

  /// A central that is ready.
  init() throws(Violation) {
    guard let (stack, controller) = Self.ready else { throw Violation(description: "the central does not come up") }
    self.stack = stack
    self.controller = controller
  }

  private static let ready: (CentralStack, FuzzController)? = {
    guard
      let stack = try? CentralStack(
        CentralConfiguration(services: FuzzAccessory.services, publishedChannels: FuzzAccessory.channels))
    else { return nil }
    var bench = CentralBench(stack)
    guard (try? bench.start()) != nil else { return nil }
    return bench.stack.isReady ? (bench.stack, bench.controller) : nil
  }()

  private init(_ stack: CentralStack) {
    self.stack = stack
    controller = FuzzController()
    controller.role = .central
  }

  private mutating func start() throws(Violation) {
    stack.start(at: now, into: &out)
    try pump()
  }

  // MARK: Driving

  mutating func play(_ input: inout FuzzInput) throws(Violation) {
    while !input.isAtEnd { try step(&input) }
    try expectAlive()
  }

  private mutating func step(_ input: inout FuzzInput) throws(Violation) {
    switch input.below(11) {
    case 0: try receive(event: input.octet(), input.run())
    case 1: try receive(event: EventCode.leMeta.rawValue, [input.octet()] + input.run())
    case 2: try advance(.milliseconds(Int(input.octet()) * (input.flag() ? 500 : 1)))
    case 3: try connect(UInt16(input.below(4)))
    case 4: try receive(HCIDisconnectionComplete { $0.connectionHandle.rawValue = UInt16(input.below(4)) }.h4)
    case 5:
      // Which packets the central finds in these, and when, is the deframer's secret.
      controller.isExact = false
      try receive(input.run())
    case 6: try receive(Packets.acl(UInt16(input.below(4)) | UInt16(input.below(4)) << 12, input.run()))
    case 7:
      let (handle, channel, length) = (UInt16(input.below(4)), input.octet(), 1 + Int(input.octet()))
      try receive(Packets.frame(handle, channel: channel, input.run(), length: length))
    case 8:
      let answers = input.octet()
      controller.answers = answers & 1 == 0
      controller.completesPackets = answers & 2 == 0
      try receive(controller.freeBuffers())
    case 9: try wish(&input)
    default: try perform(&input)
    }
  }

  private mutating func receive(event code: UInt8, _ parameters: [UInt8]) throws(Violation) {
    try receive(Packets.event(code, parameters))
  }

  private mutating func connect(_ handle: UInt16) throws(Violation) {
    try receive(Packets.connection(handle, role: .central))
  }

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
    let handle = ConnectionHandle(rawValue: UInt16(input.below(4)))
    let filters = [ScanFilter(), ScanFilter(name: "Fuzz"), ScanFilter(service: BluetoothUUID(0x180D))]
    let wishes: [CentralWish] = [
      .scan(ScanRequest(filter: filters[input.below(3)])), .stopScanning,
      .connect(ConnectionRequest(to: .randomStatic(from: 1))), .cancelConnecting,
      .disconnect(handle, reason: .remoteUserTerminatedConnection), .updateParameters(handle, LinkParameters()),
      .setDataLength(handle, octets: 251), .closeChannel(handle, ChannelID(rawValue: 0x0040 + UInt16(input.below(4)))),
      .sendFrame(handle, .attributeProtocol, [0x0A, 1, 0]),
    ]
    // A refusal is as good as a grant here.
    try? stack.grant(wishes[input.below(wishes.count)], at: now, into: &out)
    try pump()
  }

  private mutating func perform(_ input: inout FuzzInput) throws(Violation) {
    let handle = ConnectionHandle(rawValue: UInt16(input.below(4)))
    let operation = input.operation()
    guard let id = try? stack.perform(operation, on: handle, at: now, into: &out) else { return }
    open[handle, default: []].insert(id)
    try pump()
  }

  // MARK: Octets

  private mutating func receive(_ octets: [UInt8]) throws(Violation) {
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
      if turn == Self.turnLimit / 4 { controller.completesPackets = false }
      try take(out.events)
      let octets = out.octets.copy()
      out.removeAll()
      guard !octets.isEmpty else { return try checkLinks() }
      let answers = try controller.take(octets)
      if !answers.isEmpty { give(answers) }
    }
    throw Violation(description: "the central does not come to rest")
  }

  private mutating func take(_ events: [CentralEvent]) throws(Violation) {
    for event in events {
      switch event {
      case .controllerFailed: isOver = true
      case .fault(.controllerRestarted): controller.allowCommand()
      case .advertisement(let advertisement):
        let limit = AdvertisingData.extendedLimit + 255
        try require(advertisement.octets.count <= limit, "\(advertisement.octets.count) octets of advertising data")
      case .client(let handle, .ended(let id, _)):
        // An operation that ends at once does so before its number is known.
        open[handle]?.remove(id)
      case .disconnected(let handle, _):
        let left = open.removeValue(forKey: handle) ?? []
        try require(left.isEmpty, "a link ends without its operations")
      default: break
      }
    }
  }

  private func checkLinks() throws(Violation) {
    let links = stack.linkStates
    try require(Set(links.map(\.handle)).count == links.count, "a handle twice")
    for link in links { try require((23...517).contains(link.mtu), "an MTU of \(link.mtu)") }
  }

  // MARK: The end

  /// Brings the controller up again, connects and asks: whatever came before, that works.
  private mutating func expectAlive() throws(Violation) {
    controller.answers = true
    controller.completesPackets = true
    try advance(.seconds(1))
    try receive(HCIHardwareError().h4)
    try advance(.seconds(12))
    guard !isOver else { return }
    try connect(0x0123)
    controller.forgetFrames()
    let link = ConnectionHandle(rawValue: 0x0123)
    guard (try? stack.perform(.read(3), on: link, at: now, into: &out)) != nil else {
      throw Violation(description: "no link to a new peripheral")
    }
    try pump()
    try require(controller.hasFrame(on: 0x0123, beginning: 0x0A), "a new peripheral is not asked")
  }
}

extension CentralTarget {
  public static var seeds: [Seed] { CentralSeeds.all }
}
