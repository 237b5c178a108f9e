import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import Testing

/// A central on a fake controller that answers its commands; the test supplies the controller's other output.
final class CentralBench {
  var stack: CentralStack
  var now = Instant.zero
  var events: [HostEvent] = []
  /// Every command that was sent, with its parameters.
  private(set) var commands: [(opcode: CommandOpcode, parameters: [UInt8])] = []
  /// Every ACL packet that was sent, starting with its header.
  private(set) var data: [[UInt8]] = []
  /// The statuses of commands to refuse, and commands to leave unanswered.
  var refusals: [CommandOpcode: ErrorCode] = [:]
  var silent: Set<CommandOpcode> = []
  private let isExtended: Bool
  private let bufferLength: UInt16
  private let bufferCount: UInt8
  private var deframer = H4Deframer(side: .controller)
  private var out = HostOutput()

  static let link = ConnectionHandle(rawValue: 0x40)
  static let peer = DeviceAddress.randomStatic(from: 0xACCE)

  init(
    _ configuration: CentralConfiguration = CentralConfiguration(), isExtended: Bool = true,
    bufferLength: UInt16 = 251, bufferCount: UInt8 = 4
  ) throws {
    stack = try CentralStack(configuration)
    self.isExtended = isExtended
    self.bufferLength = bufferLength
    self.bufferCount = bufferCount
  }

  // MARK: The stack

  func start() {
    stack.start(at: now, into: &out)
    collect()
  }

  func perform(_ request: CentralRequest) throws {
    try stack.perform(request, at: now, into: &out)
    collect()
  }

  func perform(_ operation: GATTOperation) throws -> OperationID {
    defer { collect() }
    return try stack.perform(operation, on: Self.link, at: now, into: &out)
  }

  func writeCommand(_ value: [UInt8], to handle: UInt16 = 3) -> Bool {
    defer { collect() }
    return stack.writeCommand(value.span, to: handle, on: Self.link, into: &out)
  }

  func advance(to instant: Instant) {
    now = instant
    stack.advance(to: now, into: &out)
    collect()
  }

  func receive(_ octets: [UInt8]) {
    stack.receive(octets.span, at: now, into: &out)
    collect()
  }

  func say(_ event: some HCIEvent) { receive(event.h4) }

  /// Receives a whole L2CAP frame from the peripheral.
  func hear(_ payload: [UInt8], on channel: ChannelID, of handle: ConnectionHandle = CentralBench.link) {
    var buffer = OctetBuffer()
    ACLHeader(connectionHandle: handle, boundary: .firstFromController, length: payload.count + 4)
      .encodeH4(into: &buffer)
    buffer.append(littleEndian: UInt16(payload.count))
    buffer.append(littleEndian: channel.rawValue)
    buffer.append(payload)
    receive(buffer.copy())
  }

  func openChannel(_ psm: SPSM, _ parameters: ChannelParameters) throws -> ChannelID {
    defer { collect() }
    return try stack.openChannel(psm, on: Self.link, parameters: parameters, at: now, into: &out)
  }

  func sendSDU(_ sdu: [UInt8], on channel: ChannelID) -> SDUSubmission {
    defer { collect() }
    return stack.sendSDU(sdu.span, on: channel, of: Self.link, at: now, into: &out)
  }

  func hearATT(_ payload: [UInt8]) { hear(payload, on: .attributeProtocol) }

  func complete(_ count: UInt16 = 1) {
    var event = HCINumberOfCompletedPackets()
    event.completed = [CompletedPackets(Self.link, count: count)]
    say(event)
  }

  /// Returns the commands since the last call.
  func takeCommands() -> [CommandOpcode] {
    defer { commands = [] }
    return commands.map(\.opcode)
  }

  /// Returns the payloads of ATT frames in one packet, since the last call.
  func takeATT() -> [[UInt8]] {
    defer { data = [] }
    return data.filter { $0.count > 8 && $0[6] == 4 }.map { Array($0[8...]) }
  }

  func takeData() -> [[UInt8]] {
    defer { data = [] }
    return data
  }

  // MARK: Common scenes

  func connect(_ parameters: LinkParameters = LinkParameters()) throws {
    try perform(.connect(ConnectionRequest(to: Self.peer, parameters: parameters)))
    say(
      LEEnhancedConnectionComplete {
        $0.connectionHandle = Self.link
        $0.peerAddressType = .random
        $0.peerAddress = Self.peer
        $0.interval.rawValue = 24
        $0.supervisionTimeout.rawValue = 100
      })
    commands = []
  }

  static func connected(_ configuration: CentralConfiguration = CentralConfiguration()) throws -> CentralBench {
    let bench = try CentralBench(configuration)
    bench.start()
    try bench.connect()
    bench.events = []
    return bench
  }

  // MARK: The controller

  private func collect() {
    while !out.octets.isEmpty || !out.events.isEmpty {
      events += out.events
      out.events = []
      let octets = out.octets.copy()
      out.octets.removeAll()
      var answers: [[UInt8]] = []
      deframer.push(octets.span) { type, packet in
        let octets = packet.withUnsafeBytes { Array($0) }
        switch type {
        case .command:
          let opcode = CommandOpcode(rawValue: UInt16(octets[0]) | UInt16(octets[1]) << 8)
          commands.append((opcode, Array(octets[3...])))
          if !silent.contains(opcode) { answers.append(answer(opcode)) }
        case .acl: data.append(octets)
        default: Issue.record("packet type \(type)")
        }
      }
      for answer in answers { stack.receive(answer.span, at: now, into: &out) }
    }
  }

  private func answer(_ opcode: CommandOpcode) -> [UInt8] {
    if let status = refusals[opcode] { return HCICommandStatus(opcode, status).h4 }
    switch opcode {
    case .disconnect, .leCreateConnection, .leExtendedCreateConnection, .leConnectionUpdate, .leSetPHY:
      return HCICommandStatus(opcode, .success).h4
    default:
      return HCICommandComplete {
        $0.opcode = opcode
        $0.returnParameters = [0] + returned(opcode)
      }.h4
    }
  }

  private func returned(_ opcode: CommandOpcode) -> [UInt8] {
    switch opcode {
    case .readLocalSupportedCommands:
      let basic: [CommandOpcode] = [
        .leReadBufferSize, .readBDADDR, .leReadMaximumDataLength, .leSetDataLength, .leSetPHY,
      ]
      let extended: [CommandOpcode] = [
        .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
      ]
      return SupportedCommands(basic + (isExtended ? extended : [])).octets
    case .leReadLocalSupportedFeatures:
      let features: LEFeatures = isExtended ? .extendedAdvertising : []
      return (0..<8).map { UInt8(truncatingIfNeeded: features.rawValue >> (8 * UInt64($0))) }
    case .leReadBufferSize: return [UInt8(bufferLength & 0xFF), UInt8(bufferLength >> 8), bufferCount]
    case .readBDADDR: return [0, 0, 0, 0, 0, 0]
    case .leReadMaximumDataLength: return [0xFB, 0, 0x48, 8, 0xFB, 0, 0x48, 8]
    default: return []
    }
  }
}

extension Sequence<HostEvent> {
  var faults: [ProtocolFault] {
    compactMap { if case .fault(let fault) = $0 { fault } else { nil } }
  }

  var failures: [ControllerFailure] {
    compactMap { if case .controllerFailed(let failure) = $0 { failure } else { nil } }
  }

  var isReady: Bool { contains { if case .controllerReady = $0 { true } else { false } } }

  /// The reports of clients.
  var client: [GATTClientEvent] {
    compactMap { if case .client(_, let event) = $0 { event } else { nil } }
  }

  var advertisements: [Advertisement] {
    compactMap { if case .advertisement(let advertisement) = $0 { advertisement } else { nil } }
  }
}

extension HostEngine {
  /// `nextDeadline` for expectations, which cannot call mutating accessors.
  var deadline: Instant? {
    var copy = self
    return copy.nextDeadline
  }
}
