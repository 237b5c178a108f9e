import BLECore
import BLEHCI

/// A controller on the air. It receives its host's packets and sends packets to the host.
final class VirtualController {
  let id: ControllerID
  let configuration: ControllerConfiguration
  unowned let air: Air
  /// The answer to Read BD_ADDR. A reset does not change it.
  var publicAddress: DeviceAddress
  var state: ControllerState {
    didSet {
      guard state.isListening != isListener else { return }
      isListener.toggle()
      air.note(self, listens: isListener)
    }
  }
  /// The BR/EDR side; nil on LE-only controllers.
  private(set) var classic: ClassicController?
  /// Whether the air lists this controller as a listener.
  private var isListener = false
  var random: SplitMix64
  /// Incremented whenever something with timeline entries starts or stops.
  var lastEpoch: UInt32 = 0

  /// The links by ascending handle at this controller.
  private(set) var connections: [(link: Link, side: LinkSide)] = []
  /// The host's packets that have completed but are not yet reported, by connection.
  var completed: [CompletedPackets] = []
  /// The end of the last use of the radio, or its expected end.
  var radioFreeFrom: Instant = .zero
  var hostBuffers = HostBuffers()
  /// The controller's buffers that are lost until a reset.
  var lostBuffers = 0
  /// Whether the host has reset the controller since boot.
  private var hasBeenReset = false
  /// The random addresses of advertising sets by the sets' places, on controllers that keep them over a reset.
  var setAddresses: [Int: DeviceAddress] = [:]
  var hostFaults: [HostFault] = []
  /// The number of connection events missed as a peripheral because the receive window opened too late.
  var missedAnchors = 0

  var impairment = ControllerImpairment() {
    didSet { noteOutput() }
  }

  private var deframer: H4Deframer
  /// Octets for the host.
  private var output = OctetBuffer(minimumCapacity: 256) {
    didSet { noteOutput() }
  }
  /// Octets taken from `output` that reach the host later.
  private var delayed = DelayedOutput() {
    didSet { noteOutput() }
  }
  /// Whether the air lists this controller as having octets for its host.
  private var isTalker = false
  /// Packets sent while a command is being answered, to follow the answer.
  private var followUp = OctetBuffer(minimumCapacity: 64)
  private var isAnswering = false
  /// The number of answers that the host has not yet received.
  private var unreadAnswers = 0
  /// Whether the host's input has caused an assertion.
  private var hasFailed = false
  /// Whether it has been halted since an assertion.
  private var isHalted = false {
    didSet { noteOutput() }
  }

  init(id: ControllerID, configuration: ControllerConfiguration, air: Air) {
    self.id = id
    self.configuration = configuration
    self.air = air
    publicAddress = configuration.publicAddress
    // Packets longer than the host may send are still framed, so that they can be reported.
    deframer = H4Deframer(side: .controller, maximumDataLength: max(4096, Int(configuration.aclDataLength)))
    state = ControllerState(configuration: configuration)
    random = SplitMix64(seed: air.configuration.seed, stream: UInt64(id.rawValue))
    classic = configuration.classic.map { ClassicController($0, of: self) }
  }

  func powerOn() {
    if configuration.announcesBoot { HCICommandComplete { $0.commandPackets = 1 }.encodeH4(into: &output) }
  }

  func nextEpoch() -> UInt32 {
    lastEpoch &+= 1
    return lastEpoch
  }

  // MARK: From the host

  func receive(_ octets: Span<UInt8>) {
    guard !impairment.isHung, !isHalted else { return }
    var offset = 0
    while !hasFailed, let frame = deframer.next(in: octets, at: &offset) {
      switch frame.place {
      case .given(let range): receive(frame.type, octets.extracting(range))
      case .collected(let packet): receive(frame.type, packet.span)
      }
    }
    if deframer.hasSkipped {
      note(.strayOctets(deframer.takeSkipped()))
      if configuration.has(.assertsPacketType) { hasFailed = true }
    }
    if hasFailed { stopAfterAssertion() }
  }

  /// Fails with an assertion caused by the host's input. The rest of the input is lost.
  func failAssertion() { hasFailed = true }

  private func stopAfterAssertion() {
    hasFailed = false
    switch configuration.afterAssertion {
    case .restart: restart(announcing: configuration.announcesBoot ? .nop : .silently)
    case .halt:
      restart(announcing: .silently)
      isHalted = true
    }
  }

  private func receive(_ type: H4PacketType, _ packet: Span<UInt8>) {
    switch type {
    case .command: receiveCommand(packet)
    case .acl: receiveData(packet)
    default:
      note(.unexpectedPacketType(type))
      if configuration.has(.assertsPacketType) { failAssertion() }
    }
  }

  func note(_ fault: HostFault) {
    if hostFaults.count == 64 { hostFaults.removeFirst() }
    hostFaults.append(fault)
  }

  /// Answers a command once, before any event that results from it (Core 5.4 Vol 4 Part E 4.4, 4.5).
  private func receiveCommand(_ packet: Span<UInt8>) {
    guard let command = try? CommandPacket(packet) else { return }
    if configuration.fatalCommands.contains(command.opcode) { return failAssertion() }
    let isFree = command.opcode == .reset || command.opcode == .hostNumberOfCompletedPackets
    if unreadAnswers > 0, !isFree {
      note(.commandBeforeAnswer(command.opcode))
      if configuration.has(.assertsOneCommand) { return failAssertion() }
      if let room = configuration.commandBuffers, unreadAnswers >= room { return }
    }
    isAnswering = true
    let answer = answer(to: command.opcode, packet.extracting(command.parameters))
    isAnswering = false
    switch answer {
    case .complete(let event): event.encodeH4(into: &output)
    case .status(let status): HCICommandStatus(command.opcode, status).encodeH4(into: &output)
    case .silence: break
    }
    if !isFree { unreadAnswers += 1 }
    followUp.withSpan { output.append($0) }
    followUp.removeAll()
  }

  private func answer(to opcode: CommandOpcode, _ parameters: Span<UInt8>) -> CommandAnswer {
    guard configuration.knows(opcode), let entry = CommandTable.entries[opcode] else {
      note(.unknownCommand(opcode))
      guard configuration.has(.completesUnknownCommands) else { return .status(.unknownHCICommand) }
      return .complete(
        HCICommandComplete {
          $0.opcode = opcode
          $0.returnParameters = [UInt8(ErrorCode.unknownHCICommand.rawValue)]
        })
    }
    return entry.run(self, parameters)
  }

  /// Handles HCI Reset.
  func resetByHost() {
    reset()
    hasBeenReset = true
  }

  /// Resets all state that HCI Reset covers (Core 5.4 Vol 4 Part E 7.3.2).
  private func reset() {
    air.abandonLinks(of: self)
    connections.removeAll()
    classic?.reset()
    hostBuffers = HostBuffers()
    completed.removeAll()
    lostBuffers = 0
    state = ControllerState(configuration: configuration)
  }

  /// Restarts without a command, as after power on.
  func restart(announcing notice: RestartNotice) {
    reset()
    hasBeenReset = false
    isHalted = false
    unreadAnswers = 0
    setAddresses.removeAll()
    publicAddress = configuration.publicAddress
    deframer.reset()
    output.removeAll()
    followUp.removeAll()
    delayed = DelayedOutput()
    switch notice {
    case .silently: break
    case .nop: send(HCICommandComplete { $0.commandPackets = 1 })
    case .hardwareError(let code): send(HCIHardwareError { $0.hardwareCode = code })
    case .zephyrAssertion(let file, let line): send(ZephyrAssertion(file: file, line: line).event)
    }
  }

  // MARK: To the host

  /// Sends `event` to the host, unless the host has masked it.
  func send<Event: HCIEvent>(_ event: Event) {
    if isWanted(Event.code) { say(event) }
  }

  /// Sends `event` to the host, unless the host has masked it.
  func send<Event: LEMetaEvent>(_ event: Event) {
    if isWanted(subevent: Event.subevent) { say(event) }
  }

  private func say(_ event: some HCIEvent) {
    if isAnswering { event.encodeH4(into: &followUp) } else { event.encodeH4(into: &output) }
  }

  var hasOutput: Bool { !impairment.isHung && !isHalted && (!output.isEmpty || !delayed.arrived.isEmpty) }

  private func noteOutput() {
    guard hasOutput != isTalker else { return }
    isTalker.toggle()
    air.note(self, hasOutput: isTalker)
  }

  func drain(into buffer: inout OctetBuffer) {
    guard hasOutput else { return }
    unreadAnswers = 0
    if !delayed.arrived.isEmpty { delayed.takeArrived(into: &buffer) }
    output.withSpan { buffer.append($0) }
    output.removeAll()
  }

  /// Delays the controller's latest output if the host receives everything late.
  func delayOutput() {
    guard impairment.latency > .zero || delayed.isWaiting, !output.isEmpty else { return }
    let arrival = delayed.append(output.copy(), at: air.now + impairment.latency)
    output.removeAll()
    air.timeline.schedule(.hostDelivery(id), at: arrival)
  }

  func deliverDelayed() { delayed.arrive(at: air.now) }

  /// Sends an ACL packet to the host.
  func sendData(handle: UInt16, isStart: Bool, _ octets: ArraySlice<UInt8>) {
    let boundary: PacketBoundary = isStart ? .firstFromController : .continuing
    output.append(H4PacketType.acl.rawValue)
    output.append(littleEndian: handle | UInt16(boundary.rawValue) << 12)
    output.append(littleEndian: UInt16(octets.count))
    output.append(octets)
  }

  // MARK: Connections

  func connection(_ handle: ConnectionHandle) -> (link: Link, end: LinkEnd)? {
    for (link, side) in connections where link[side].handle == handle.rawValue { return (link, link[side]) }
    return nil
  }

  /// Returns whether queries about this connection, which does not exist, succeed with zeros.
  func answersWithZeros(about handle: ConnectionHandle) -> Bool {
    !hasBeenReset && handle == .zero && configuration.has(.knowsFirstHandleBeforeReset) && connection(handle) == nil
  }

  /// Returns the lowest unused handle.
  func freeHandle() -> UInt16 {
    var handle = configuration.firstConnectionHandle
    guard let classic else {
      for (link, side) in connections where link[side].handle == handle { handle += 1 }
      return handle
    }
    let used = Set(connections.map { $0.link[$0.side].handle } + classic.links.map { $0.link[$0.place].handle })
    while used.contains(handle) { handle += 1 }
    return handle
  }

  func add(_ link: Link, at side: LinkSide) {
    let place = connections.firstIndex { $0.link[$0.side].handle > link[side].handle } ?? connections.endIndex
    connections.insert((link, side), at: place)
  }

  func remove(_ end: LinkEnd) { connections.removeAll { $0.link[$0.side] === end } }

  /// The number of the host's packets in the controller's buffers.
  var heldPackets: Int { connections.reduce(0) { $0 + $1.link[$1.side].heldPackets } }
}
