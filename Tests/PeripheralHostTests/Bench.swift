import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost
import Testing

/// A host stack on a fake controller, with a clock that the test advances.
final class Bench {
  struct Sent: Equatable {
    var opcode: CommandOpcode
    var parameters: [UInt8]
  }

  struct Data: Equatable {
    var handle: UInt16
    var boundary: PacketBoundary
    var octets: [UInt8]
  }

  var stack: HostStack<TestApplication>
  var script: ControllerScript
  var now = Instant.zero
  /// The host's reports.
  var events: [HostEvent] = []
  /// The commands that the host sent.
  var commands: [Sent] = []
  /// The data that the host sent, packet by packet.
  var packets: [Data] = []
  /// The L2CAP frames that the host sent, with their headers.
  var frames: [(handle: UInt16, octets: [UInt8])] = []
  /// Errors of the host that a controller does not tolerate.
  var violations: [String] = []
  /// The packets in the controller, by connection.
  var held: [UInt16: Int] = [:]
  /// The sets that the controller advertises: while it does, their parameters are refused (Core 5.4 Vol 4 Part E 7.8.5, 7.8.53).
  private var onAir: Set<UInt8> = []
  private var out = HostOutput()
  private var deframer = H4Deframer(side: .controller)
  private var outstanding: CommandOpcode?
  private var partial: [UInt16: [UInt8]] = [:]

  init(_ script: ControllerScript = .basic, _ configuration: HostConfiguration = TestAccessory.configuration()) throws {
    self.script = script
    stack = try HostStack(configuration, application: TestApplication())
  }

  /// Returns a host that is on the air.
  static func ready(
    _ script: ControllerScript = .basic, _ configuration: HostConfiguration = TestAccessory.configuration()
  ) throws -> Bench {
    let bench = try Bench(script, configuration)
    bench.start()
    try #require(bench.events.tags.contains { $0.hasPrefix("ready") })
    bench.forget()
    return bench
  }

  func forget() {
    events = []
    commands = []
    packets = []
    frames = []
  }

  // MARK: Driving

  func start() {
    stack.start(at: now, into: &out)
    pump()
  }

  func receive(_ octets: [UInt8]) {
    stack.receive(octets.span, at: now, into: &out)
    pump()
  }

  func event(_ event: some HCIEvent) { receive(event.h4) }

  /// Advances time from deadline to deadline.
  func advance(_ duration: Duration) {
    let end = now + duration
    while let deadline = stack.nextDeadline, deadline <= end {
      now = max(now, deadline)
      stack.advance(to: now, into: &out)
      pump()
    }
    now = end
  }

  func perform(_ request: HostRequest) throws {
    defer { pump() }
    try stack.perform(request, at: now, into: &out)
  }

  /// Restores the kept state of the client of connection 0.
  func restore(_ state: GATTBondState) {
    stack.restore(state, on: ConnectionHandle(rawValue: 0), at: now, into: &out)
    pump()
  }

  /// Makes the host check a connection at its controller.
  func ask(about handle: UInt16 = 0) throws {
    try stack.askForSignalStrength(of: ConnectionHandle(rawValue: handle), at: now, into: &out)
    pump()
  }

  func shutDown() {
    stack.shutDown(at: now, into: &out)
    pump()
  }

  func loseController() {
    stack.loseController(at: now, into: &out)
    pump()
  }

  /// Answers a command that was left unanswered.
  func answer(_ opcode: CommandOpcode, _ parameters: [UInt8]) {
    outstanding = nil
    receive(
      HCICommandComplete {
        $0.opcode = opcode
        $0.returnParameters = parameters
      }.h4)
  }

  private func pump() {
    while true {
      events += out.events
      let octets = out.octets.copy()
      out.removeAll()
      guard !octets.isEmpty else { return }
      deframer.push(octets.span) { type, packet in
        let octets = packet.withUnsafeBytes { Array($0) }
        switch type {
        case .command: take(command: octets)
        case .acl: take(data: octets)
        default: violations.append("packet type \(type)")
        }
      }
      if deframer.skippedOctets > 0 { violations.append("stray octets") }
      let answers = self.answers
      self.answers = []
      for answer in answers { stack.receive(answer.span, at: now, into: &out) }
    }
  }

  // MARK: The controller

  private var answers: [[UInt8]] = []

  private func take(command octets: [UInt8]) {
    let opcode = CommandOpcode(rawValue: UInt16(octets[0]) | UInt16(octets[1]) << 8)
    let parameters = Array(octets[3...])
    // The only command that may come at any time, and has no answer (Core 5.4 Vol 4 Part E 7.3.40).
    if opcode == .hostNumberOfCompletedPackets { return commands.append(Sent(opcode: opcode, parameters: parameters)) }
    if let outstanding, opcode != .reset { violations.append("\(opcode) while \(outstanding) was not answered") }
    commands.append(Sent(opcode: opcode, parameters: parameters))
    outstanding = nil
    switch answer(to: opcode, parameters) {
    case .silence: outstanding = opcode
    case .status(let status): answers.append(HCICommandStatus(opcode, status).h4)
    case .complete(let returned):
      answers.append(
        HCICommandComplete {
          $0.opcode = opcode
          $0.returnParameters = returned
        }.h4)
    }
    if opcode == .reset {
      held = [:]
      partial = [:]
    }
    if opcode == .disconnect, script.disconnects {
      let handle = UInt16(parameters[0]) | UInt16(parameters[1]) << 8
      held[handle] = nil
      answers.append(disconnection(handle, .connectionTerminatedByLocalHost).h4)
    }
  }

  private func answer(to opcode: CommandOpcode, _ parameters: [UInt8]) -> ControllerScript.Answer {
    let answer = script.answer(to: opcode, parameters)
    switch opcode {
    case .reset: onAir = []
    case .leSetAdvertisingEnable: onAir = parameters[0] == 1 ? [0] : []
    case .leSetExtendedAdvertisingEnable:
      for set in stride(from: 2, to: parameters.count, by: 4).map({ parameters[$0] }) {
        if parameters[0] == 1 { onAir.insert(set) } else { onAir.remove(set) }
      }
    case .leSetAdvertisingParameters, .leSetExtendedAdvertisingParameters:
      let set = opcode == .leSetAdvertisingParameters ? 0 : parameters[0]
      guard onAir.contains(set), script.answers[opcode] == nil else { break }
      return .complete([ErrorCode.commandDisallowed.rawValue])
    default: break
    }
    return answer
  }

  private func take(data octets: [UInt8]) {
    let word = UInt16(octets[0]) | UInt16(octets[1]) << 8
    let packet = Data(
      handle: word & 0xFFF, boundary: PacketBoundary(rawValue: UInt8(word >> 12)), octets: Array(octets[4...]))
    packets.append(packet)
    let isClassic = packet.handle == ClassicBench.handle
    if packet.octets.count > (isClassic ? 200 : Int(script.bufferLength)) {
      violations.append("a packet of \(packet.octets.count) octets")
    }
    held[packet.handle, default: 0] += 1
    let total = held.filter { ($0.key == ClassicBench.handle) == isClassic }.values.reduce(0, +)
    if total > (isClassic ? 2 : Int(script.bufferCount)) { violations.append("more packets than buffers") }
    if packet.boundary == .continuing {
      partial[packet.handle, default: []] += packet.octets
    } else {
      if let rest = partial[packet.handle], !rest.isEmpty { violations.append("a frame within a frame") }
      partial[packet.handle] = packet.octets
    }
    if let frame = partial[packet.handle], frame.count >= 4,
      frame.count == Int(frame[0]) + Int(frame[1]) << 8 + 4
    {
      frames.append((packet.handle, frame))
      partial[packet.handle] = nil
    }
    if script.completesPackets {
      held[packet.handle, default: 0] -= 1
      answers.append(completion([(packet.handle, 1)]).h4)
    }
  }

  /// Frees all buffers, reported in one event.
  func completeAll() {
    let entries = held.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    held = [:]
    event(completion(entries))
  }

  private func completion(_ entries: [(handle: UInt16, count: Int)]) -> HCINumberOfCompletedPackets {
    HCINumberOfCompletedPackets {
      $0.completed = entries.map {
        CompletedPackets(ConnectionHandle(rawValue: $0.handle), count: UInt16($0.count))
      }
    }
  }

  private func disconnection(_ handle: UInt16, _ reason: ErrorCode) -> HCIDisconnectionComplete {
    HCIDisconnectionComplete {
      $0.connectionHandle.rawValue = handle
      $0.reason = reason
    }
  }

  // MARK: Links

  func connect(_ handle: UInt16 = 0, status: ErrorCode = .success) {
    onAir = []
    event(
      LEEnhancedConnectionComplete {
        $0.status = status
        $0.connectionHandle.rawValue = handle
        $0.role = .peripheral
        $0.peerAddressType = .random
        $0.peerAddress = .randomStatic(from: UInt64(handle) + 1)
        $0.interval.rawValue = 24
        $0.supervisionTimeout.rawValue = 500
      })
  }

  /// Stops advertising silently.
  func stopAdvertising() { onAir = [] }

  func disconnect(_ handle: UInt16 = 0, _ reason: ErrorCode = .remoteUserTerminatedConnection) {
    held[handle] = nil
    event(disconnection(handle, reason))
  }

  /// Sends a frame from the central, in packets of at most `length` octets.
  func send(_ payload: [UInt8], channel: UInt16, _ handle: UInt16 = 0, length: Int = 1021) {
    receive(Self.acl(payload, channel: channel, handle, length: length))
  }

  static func acl(_ payload: [UInt8], channel: UInt16, _ handle: UInt16 = 0, length: Int = 1021) -> [UInt8] {
    let frame = ControllerScript.word(UInt16(payload.count)) + ControllerScript.word(channel) + payload
    var octets: [UInt8] = []
    for start in stride(from: 0, to: frame.count, by: length) {
      let part = frame[start..<min(start + length, frame.count)]
      let word = handle | (start == 0 ? 0x2000 : 0x1000)
      octets += [0x02] + ControllerScript.word(word) + ControllerScript.word(UInt16(part.count)) + part
    }
    return octets
  }

  /// Sends an ATT PDU and returns the PDUs that the host then sends on that link.
  @discardableResult
  func att(_ pdu: some ATTPDU, _ handle: UInt16 = 0) -> [[UInt8]] {
    let before = frames.count
    send(pdu.encodedPDU, channel: 4, handle)
    return attPDUs(handle, from: before)
  }

  /// Returns the ATT PDUs that the host sent on a link.
  func attPDUs(_ handle: UInt16 = 0, from start: Int = 0) -> [[UInt8]] {
    frames[start...].filter { $0.handle == handle && $0.octets[2] == 4 && $0.octets[3] == 0 }
      .map { Array($0.octets[4...]) }
  }

  func valueHandle(_ index: CharacteristicIndex) -> UInt16 { stack.server.database[index].value }

  func subscribe(_ index: CharacteristicIndex, _ configuration: ClientConfiguration, _ handle: UInt16 = 0) throws {
    let descriptor = try #require(stack.server.database[index].configuration)
    let pdus = att(
      WriteRequest(handle: descriptor, value: [UInt8(configuration.rawValue), 0]), handle)
    #expect(pdus.first == [ATTOpcode.writeResponse.rawValue])
  }

  /// Returns whether a link's client reads the right value.
  func readsText(_ handle: UInt16 = 0) -> Bool {
    att(ReadRequest(handle: valueHandle(TestAccessory.text)), handle)
      .contains([ATTOpcode.readResponse.rawValue] + Array("text".utf8))
  }

  /// The connection that the host has checked last.
  var askedLink: UInt16? {
    commands.last { $0.opcode == .readRSSI }.map { UInt16($0.parameters[0]) | UInt16($0.parameters[1]) << 8 }
  }

  func opcodes() -> [CommandOpcode] { commands.map(\.opcode) }
}
