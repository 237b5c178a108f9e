import BLECore
import BLEGAP
import BLEHCI

extension CentralStack {
  /// Sends the next command: bring-up before everything, then what wishes and links want.
  mutating func sendNextCommand(at now: Instant, into out: inout CentralOutput) {
    guard !hasFailed, currentCommand == nil, let command = nextCommand() else { return }
    currentCommand = command
    queue.enqueue(command)
    queue.send(into: &out.octets, at: now)
  }

  private mutating func nextCommand() -> (any HCICommand)? {
    guard bringUp.isDone else { return bringUp.nextCommand() }
    return pendingCommands.isEmpty ? nil : pendingCommands.removeFirst()
  }

  /// Takes an event that may be about commands.
  mutating func receiveAnswer(
    _ event: EventPacket, in packet: Span<UInt8>, at now: Instant, into out: inout CentralOutput
  ) {
    switch queue.receive(event, in: packet) {
    case .complete(_, let parameters): answered(packet.extracting(parameters), at: now, into: &out)
    case .status(_, let status): answered([status.rawValue].span, at: now, into: &out)
    case .granted: queue.send(into: &out.octets, at: now)
    case .unexplainedGrant: suspectRestart(at: now, into: &out)
    case .unexpected where isResetting: break
    case .unexpected(let opcode): out.events.append(.fault(.unexpectedAnswer(opcode)))
    case .malformed: out.events.append(.fault(.malformedEvent(code: event.code.rawValue)))
    case nil: break
    }
  }

  /// Whether the controller has been told to reset and has not answered. What it says before it was said before the reset
  /// (Core 5.4 Vol 4 Part E 7.3.2), perhaps to another host.
  var isResetting: Bool { queue.outstanding == .reset }

  private mutating func answered(_ parameters: Span<UInt8>, at now: Instant, into out: inout CentralOutput) {
    guard let command = currentCommand else { return }
    currentCommand = nil
    guard bringUp.isDone else {
      resetsWithoutAnswer = 0
      bringUp.answered(command, parameters)
      if let failure = bringUp.failure { fail(failure, into: &out) }
      if bringUp.isDone { controllerIsUp(into: &out) }
      return
    }
    silences = 0
    let status = ErrorCode(rawValue: parameters.count > 0 ? parameters[0] : ErrorCode.unspecifiedError.rawValue)
    guard status == .success else { return refused(command, status, at: now, into: &out) }
    switch command {
    case let enable as LESetScanEnable: scanningChanged(enable.enable, into: &out)
    case let enable as LESetExtendedScanEnable: scanningChanged(enable.enable, into: &out)
    default: break
    }
  }

  private mutating func refused(
    _ command: any HCICommand, _ status: ErrorCode, at now: Instant, into out: inout CentralOutput
  ) {
    if status == .unknownConnectionIdentifier, let handle = Self.connection(of: command), index(of: handle) != nil {
      return restart("it no longer knows a connection", at: now, into: &out)
    }
    switch command {
    case is LECreateConnection, is LEExtendedCreateConnection:
      isConnecting = false
      out.events.append(.connectionFailed(status))
    default: out.events.append(.refused(type(of: command).opcode, status))
    }
  }

  /// The connection that a command is about whose refusal says that there is none. The end of one that the controller knew would
  /// have been told before (Core 5.4 Vol 4 Part E 7.7.5).
  private static func connection(of command: any HCICommand) -> ConnectionHandle? {
    switch command {
    case let command as HCIDisconnect: command.connectionHandle
    case let command as HCIReadRSSI: command.connectionHandle
    default: nil
    }
  }

  /// A controller that grants commands out of the blue may have restarted. Without links it is brought up again, which costs
  /// nobody anything; with links it is asked for one of them first.
  private mutating func suspectRestart(at now: Instant, into out: inout CentralOutput) {
    guard bringUp.isDone else { return }
    guard let link = links.first else { return restart("it announced itself", at: now, into: &out) }
    guard !pendingCommands.contains(where: { $0 is HCIReadRSSI }) else { return }
    pendingCommands.append(HCIReadRSSI { $0.connectionHandle = link.handle })
  }

  private mutating func scanningChanged(_ isOn: Bool, into out: inout CentralOutput) {
    guard isScanning != isOn else { return }
    isScanning = isOn
    out.events.append(.scanning(isOn))
  }

  private mutating func controllerIsUp(into out: inout CentralOutput) {
    controller = bringUp.profile
    scheduler.configure(packetLength: controller.aclLength, packetCount: controller.aclCount)
    let own = configuration.randomAddress ?? controller.publicAddress
    guard own != .zero else { return fail(.noPublicAddress, into: &out) }
    address = own
    out.events.append(
      .controllerReady(
        controller, address: own, addressType: configuration.randomAddress == nil ? .publicDevice : .random))
  }

  private mutating func fail(_ failure: ControllerFailure, into out: inout CentralOutput) {
    guard !hasFailed else { return }
    hasFailed = true
    out.events.append(.controllerFailed(failure))
  }

  /// A reset that is not answered is tried again, because the first one may have been the tail of a packet that was left half-sent;
  /// any other silence is answered with a reset.
  mutating func commandTimedOut(_ timeout: CommandTimeout, at now: Instant, into out: inout CentralOutput) {
    let opcode =
      switch timeout {
      case .noAnswer(let opcode), .noGrant(let opcode): opcode
      }
    if opcode == .reset {
      resetsWithoutAnswer += 1
      guard resetsWithoutAnswer < resetAttempts else {
        return fail(.silent(opcode, after: queue.timeout * resetsWithoutAnswer), into: &out)
      }
      bringUpAgain()
    } else {
      silences += 1
      guard silences <= resetAttempts else { return fail(.silent(opcode, after: queue.timeout), into: &out) }
      restart("it did not answer \(opcode)", at: now, into: &out)
    }
  }

  /// Brings the controller up again after a fault of its own: all links are gone.
  mutating func restart(_ reason: String, at now: Instant, into out: inout CentralOutput) {
    out.events.append(.fault(.controllerRestarted(reason)))
    for link in links { linkEnded(link.handle, reason: .hardwareFailure, into: &out) }
    if isConnecting { out.events.append(.connectionFailed(.hardwareFailure)) }
    if isScanning { out.events.append(.scanning(false)) }
    bringUpAgain()
  }

  private mutating func bringUpAgain() {
    queue.reset()
    currentCommand = nil
    pendingCommands = []
    isConnecting = false
    isScanning = false
    bringUp = BringUp(configuration.bringUp)
  }
}
