import BLECore
import BLEGAP
import BLEHCI

extension CentralStack {
  /// Takes an event that may be about commands.
  mutating func receiveAnswer(
    _ event: EventPacket, in packet: Span<UInt8>, at now: Instant, into out: inout CentralOutput
  ) {
    switch commands.receive(event, in: packet, at: now, into: &out.octets) {
    case .bringUp:
      if let failure = commands.bringUp.failure { fail(failure, into: &out) }
      if commands.isUp { controllerIsUp(into: &out) }
    case .answered(let command, let parameters):
      answered(command, packet.extracting(parameters), at: now, into: &out)
    case .unexplainedGrant: suspectRestart(at: now, into: &out)
    case .unexpected(let opcode, _): out.events.append(.fault(.unexpectedAnswer(opcode)))
    case .malformed: out.events.append(.fault(.malformedEvent(code: event.code.rawValue)))
    case nil: break
    }
  }

  private mutating func answered(
    _ command: any HCICommand, _ parameters: Span<UInt8>, at now: Instant, into out: inout CentralOutput
  ) {
    commands.settled()
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
    guard commands.isUp else { return }
    guard let link = links.first else { return restart("it announced itself", at: now, into: &out) }
    commands.probe(link.handle)
  }

  private mutating func scanningChanged(_ isOn: Bool, into out: inout CentralOutput) {
    guard isScanning != isOn else { return }
    isScanning = isOn
    out.events.append(.scanning(isOn))
  }

  private mutating func controllerIsUp(into out: inout CentralOutput) {
    controller = commands.bringUp.profile
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

  /// The controller does not answer.
  mutating func controllerFellSilent(_ remedy: CommandFlow.Remedy, at now: Instant, into out: inout CentralOutput) {
    switch remedy {
    case .resetAgain: bringUpAgain()
    case .restart(let reason): restart(reason, at: now, into: &out)
    case .giveUp(let failure): fail(failure, into: &out)
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
    commands.bringUpAgain()
    isConnecting = false
    isScanning = false
  }
}
