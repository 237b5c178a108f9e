import BLECore
import BLEHCI

/// A strict controller that answers every command of a host and keeps account of the packets that it holds.
struct FuzzController {
  static let bufferLength = 27
  static let bufferCount = 4

  /// The role of its host on all links.
  var role = LinkRole.peripheral
  /// Whether it answers commands.
  var answers = true
  /// Whether buffers are free again as soon as they are filled.
  var completesPackets = true
  /// Whether the account is what the host must know. If not, only the packets themselves are checked.
  var isExact = true
  /// The number of packets that it holds, by connection.
  private var held: [UInt16: Int] = [:]
  /// How many octets of the incoming L2CAP frame are missing, by connection.
  private var missing: [UInt16: Int] = [:]
  /// How many commands the host may send before it must wait.
  private var commandsAllowed = 1
  /// The incoming frames, by connection.
  private var frames: [UInt16: [UInt8]] = [:]
  /// The frames that were completed since the last `forgetFrames`, each with its header.
  private var finished: [(handle: UInt16, frame: [UInt8])] = []

  private static let commands = SupportedCommands([
    .disconnect, .setEventMask, .reset, .readLocalVersionInformation, .readBDADDR, .readRSSI, .leSetEventMask,
    .leReadBufferSize, .leReadLocalSupportedFeatures, .leSetRandomAddress, .leSetAdvertisingParameters,
    .leReadAdvertisingPhysicalChannelTxPower, .leSetAdvertisingData, .leSetScanResponseData, .leSetAdvertisingEnable,
    .leLongTermKeyRequestNegativeReply, .leRemoteConnectionParameterRequestReply, .leSetDataLength,
    .leReadMaximumDataLength,
  ])

  // MARK: From the host

  /// Takes what a host sends in a turn, which must be whole packets, and returns the controller's answer.
  mutating func take(_ octets: [UInt8]) throws(Violation) -> [UInt8] {
    var deframer = H4Deframer(side: .controller)
    var offset = 0
    var said: [UInt8] = []
    while let frame = deframer.next(in: octets.span, at: &offset) {
      guard case .given(let range) = frame.place else { throw Violation(description: "a packet is incomplete") }
      let packet = Array(octets[range])
      switch frame.type {
      case .command: said += try take(command: packet)
      case .acl: said += try take(data: packet)
      default: throw Violation(description: "a host sends packets of type \(frame.type.rawValue)")
      }
    }
    try require(
      deframer.skippedOctets == 0 && deframer.pendingOctets == 0,
      "a host does not send whole packets: \(octets.hexadecimal)"
    )
    return said
  }

  private mutating func take(command packet: [UInt8]) throws(Violation) -> [UInt8] {
    let opcode = CommandOpcode(rawValue: UInt16(packet[0]) | UInt16(packet[1]) << 8)
    // With a reset, the host recovers from a controller that contradicts itself: it does not wait for an answer first.
    try require(
      commandsAllowed > 0 || opcode == .reset || !isExact, "\(opcode) is sent before the previous command is answered")
    commandsAllowed = 0
    if let type = CommandRegistry.type(for: opcode) {
      try require((try? type.init(decoding: Array(packet[3...]))) != nil, "\(opcode) does not fit its layout")
    }
    if opcode == .reset { (held, missing, frames) = ([:], [:], [:]) }
    return answers ? Self.answer(to: opcode, Array(packet[3...])) : []
  }

  private static func answer(to opcode: CommandOpcode, _ parameters: [UInt8]) -> [UInt8] {
    func complete(_ parameters: [UInt8]) -> [UInt8] {
      HCICommandComplete {
        $0.opcode = opcode
        $0.returnParameters = parameters
      }.h4
    }
    switch opcode {
    case .readLocalSupportedCommands: return complete([0] + commands.octets)
    case .disconnect:
      return HCICommandStatus(opcode, .success).h4
        + HCIDisconnectionComplete {
          $0.connectionHandle.rawValue = UInt16(parameters[0]) | UInt16(parameters[1]) << 8
          $0.reason = .connectionTerminatedByLocalHost
        }.h4
    case .readLocalVersionInformation:
      return complete(HCIReadLocalVersionInformation.ReturnParameters { $0.hciVersion = .v5_4 }.encoded)
    case .leReadLocalSupportedFeatures:
      return complete(
        LEReadLocalSupportedFeatures.ReturnParameters { $0.features = .dataPacketLengthExtension }.encoded)
    case .readBDADDR: return complete([0, 1, 2, 3, 4, 5, 6])
    case .leReadBufferSize: return complete([0, UInt8(bufferLength), 0, UInt8(bufferCount)])
    case .leReadMaximumDataLength: return complete([0, 251, 0, 0x48, 0x08, 251, 0, 0x48, 0x08])
    case .leReadAdvertisingPhysicalChannelTxPower: return complete([0, 4])
    case .leSetDataLength, .leLongTermKeyRequestNegativeReply, .leRemoteConnectionParameterRequestReply, .readRSSI:
      return complete([0] + parameters.prefix(2) + (opcode == .readRSSI ? [0xC4] : []))
    default: return commands.contains(opcode) ? complete([0]) : HCICommandStatus(opcode, .unknownHCICommand).h4
    }
  }

  private mutating func take(data packet: [UInt8]) throws(Violation) -> [UInt8] {
    guard let header = try? ACLHeader(packet.span) else { throw Violation(description: "a data packet is not valid") }
    let handle = header.connectionHandle.rawValue
    let data = packet[ACLHeader.size...]
    try require(data.count <= Self.bufferLength, "a packet of \(data.count) octets")
    held[handle, default: 0] += 1
    let total = held.values.reduce(0, +)
    try require(
      total <= Self.bufferCount || !isExact, "\(total) packets are sent, but there are \(Self.bufferCount) buffers")
    if header.boundary == .firstFromHost {
      try require(missing[handle, default: 0] == 0 || !isExact, "a frame begins before the previous one ends")
      try require(data.count >= 4, "a frame is shorter than its header")
      missing[handle] = 4 + Int(data[4]) + Int(data[5]) << 8
      frames[handle] = []
    } else {
      try require(header.boundary == .continuing, "boundary \(header.boundary.rawValue)")
      guard missing[handle, default: 0] > 0 else {
        try require(!isExact, "a frame continues after its end")
        return completesPackets ? freeBuffers() : []
      }
    }
    missing[handle, default: 0] -= data.count
    frames[handle, default: []] += data
    try require(missing[handle, default: 0] >= 0, "a frame is longer than its length field says")
    if missing[handle] == 0, let frame = frames[handle] { finished.append((handle, frame)) }
    return completesPackets ? freeBuffers() : []
  }

  // MARK: To the host

  /// Frees all buffers and returns the event that says so; returns nothing when no buffer is full.
  mutating func freeBuffers() -> [UInt8] {
    let full = held.filter { $0.value > 0 }.sorted { $0.key < $1.key }
    guard !full.isEmpty else { return [] }
    return HCINumberOfCompletedPackets {
      $0.completed = full.map { CompletedPackets(ConnectionHandle(rawValue: $0.key), count: UInt16($0.value)) }
    }.h4
  }

  /// Returns whether an ATT PDU with that opcode has come in since the last `forgetFrames`.
  func hasFrame(on handle: UInt16, beginning opcode: UInt8) -> Bool {
    finished.contains { $0.handle == handle && $0.frame.count > 4 && $0.frame[2] == 4 && $0.frame[4] == opcode }
  }

  /// Forgets the completed frames.
  mutating func forgetFrames() { finished = [] }

  /// Allows a command: a host may give up waiting for an answer, or begin anew.
  mutating func allowCommand() { commandsAllowed = 1 }

  /// Keeps account of what a host has been told, no matter who told it.
  mutating func told(packets octets: [UInt8]) {
    var deframer = H4Deframer(side: .host)
    deframer.push(octets.span) { type, packet in
      if type == .event { told(event: packet) }
    }
  }

  private mutating func told(event: Span<UInt8>) {
    guard let packet = try? EventPacket(event) else { return }
    let parameters = event.extracting(packet.parameters).withUnsafeBytes { Array($0) }
    switch packet.code {
    case .commandComplete, .commandStatus: allowCommand()
    case .numberOfCompletedPackets:
      _ = HCINumberOfCompletedPackets.forEach(in: parameters.span) { handle, count in
        held[handle.rawValue] = max(0, held[handle.rawValue, default: 0] - count)
      }
    case .disconnectionComplete:
      guard let ended = try? HCIDisconnectionComplete.decodePrefix(of: parameters.span).value,
        ended.status == .success
      else { return }
      forget(ended.connectionHandle)
    case .leMeta:
      // When a handle is given again, the previous link with it has ended.
      if packet.subevent == .leConnectionComplete,
        let made = try? LEConnectionComplete.decodePrefix(of: parameters.span).value
      {
        takeNew(made.connectionHandle, made.status, made.role)
      } else if packet.subevent == .leEnhancedConnectionComplete,
        let made = try? LEEnhancedConnectionComplete.decodePrefix(of: parameters.span).value
      {
        takeNew(made.connectionHandle, made.status, made.role)
      }
    default: break
    }
  }

  private mutating func takeNew(_ handle: ConnectionHandle, _ status: ErrorCode, _ role: LinkRole) {
    if status == .success, role == self.role { forget(handle) }
  }

  private mutating func forget(_ handle: ConnectionHandle) {
    held[handle.rawValue] = nil
    missing[handle.rawValue] = nil
    frames[handle.rawValue] = nil
  }
}
