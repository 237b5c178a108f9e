import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost

/// A central that scans and has links; it gets advertisers' reports and whatever peripherals send.
package enum CentralTarget: FuzzTarget {
  package static let name = "central"
  package static let maximumLength = 2048

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    var bench = try CentralBench()
    try bench.play(&input)
  }
}

/// A central on a fake controller, under a clock that the input moves.
private struct CentralBench: FuzzedHost, ~Copyable {
  static let role = LinkRole.central

  private var stack: CentralStack
  var controller: FuzzController
  var now = Instant.zero
  private var out = HostOutput()
  private var isOver = false
  /// The operations that have begun and have not ended, by link.
  private var open: [ConnectionHandle: Set<OperationID>] = [:]

  /// Makes a central that is ready.
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
    let kind = input.below(11)
    switch kind {
    case ..<Self.stepCount: try step(kind, &input)
    case 8:
      let answers = input.octet()
      controller.answers = answers & 1 == 0
      controller.completesPackets = answers & 2 == 0
      try receive(controller.freeBuffers())
    case 9: try request(&input)
    default: try perform(&input)
    }
  }

  var nextDeadline: Instant? { mutating get { stack.nextDeadline } }

  mutating func advance() { stack.advance(to: now, into: &out) }

  // MARK: Requests

  private mutating func request(_ input: inout FuzzInput) throws(Violation) {
    let handle = ConnectionHandle(rawValue: UInt16(input.below(4)))
    let filters = [ScanFilter(), ScanFilter(name: "Fuzz"), ScanFilter(service: BluetoothUUID(0x180D))]
    let requests: [CentralRequest] = [
      .scan(ScanRequest(filter: filters[input.below(3)])), .stopScanning,
      .connect(ConnectionRequest(to: .randomStatic(from: 1))), .cancelConnecting,
      .disconnect(handle, reason: .remoteUserTerminatedConnection), .updateParameters(handle, LinkParameters()),
      .setDataLength(handle, octets: 251), .closeChannel(handle, ChannelID(rawValue: 0x0040 + UInt16(input.below(4)))),
      .sendFrame(handle, .attributeProtocol, [0x0A, 1, 0]),
    ]
    // A refusal is as good as a success here.
    try? stack.perform(requests[input.below(requests.count)], at: now, into: &out)
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

  mutating func give(_ octets: [UInt8]) { stack.receive(octets.span, at: now, into: &out) }

  mutating func take() throws(Violation) -> [UInt8] {
    try take(out.events)
    defer { out.removeAll() }
    return out.octets.copy()
  }

  private mutating func take(_ events: [HostEvent]) throws(Violation) {
    for event in events {
      switch event {
      case .controllerFailed: isOver = true
      case .fault(.controllerRestarted): controller.allowCommand()
      case .advertisement(let advertisement):
        let limit = AdvertisingData.extendedLimit + 255
        try require(advertisement.octets.count <= limit, "\(advertisement.octets.count) octets of advertising data")
      case .client(let handle, .ended(let id, _)):
        // An operation that ends at once ends before its number is known.
        open[handle]?.remove(id)
      case .disconnected(let handle, _):
        let left = open.removeValue(forKey: handle) ?? []
        try require(left.isEmpty, "a link ends, but its operations do not")
      default: break
      }
    }
  }

  func checkLinks() throws(Violation) {
    let links = stack.linkStates
    try require(Set(links.map(\.handle)).count == links.count, "two links have the same handle")
    for link in links { try require((23...517).contains(link.mtu), "an MTU of \(link.mtu)") }
  }

  // MARK: The end

  /// Brings the controller up again, connects and sends a request. This must work whatever came before.
  private mutating func expectAlive() throws(Violation) {
    try recover()
    guard !isOver else { return }
    try connect(0x0123)
    controller.forgetFrames()
    let link = ConnectionHandle(rawValue: 0x0123)
    guard (try? stack.perform(.read(3), on: link, at: now, into: &out)) != nil else {
      throw Violation(description: "there is no link to a new peripheral")
    }
    try pump()
    try require(controller.hasFrame(on: 0x0123, beginning: 0x0A), "no request is sent to a new peripheral")
  }
}

extension CentralTarget {
  package static var seeds: [Seed] { CentralSeeds.all }
}
