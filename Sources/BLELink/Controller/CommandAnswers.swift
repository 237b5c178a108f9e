import BLECore
import BLEGAP
import BLEGATT
import BLEHCI

extension HostEngine {
  /// Sends the next command: first those of bring-up, then those of links, then those of the role.
  mutating func sendNextCommand(into out: inout HostOutput) {
    guard !isOver, supervisor.bringUpDue == nil else { return }
    if commands.isUp, commands.waiting.isEmpty {
      guard let command = role.nextCommand() else { return checkUpToDate(into: &out) }
      commands.add(command, for: .role)
    }
    commands.send(into: &out.octets, at: out.now)
    if supervisor.isTryingOn { commands.expectAnswer(by: out.now + ControllerSupervisor.lastChance) }
  }

  /// Handles an event that may answer a command.
  mutating func receiveAnswer(_ event: EventPacket, in packet: Span<UInt8>, into out: inout HostOutput) {
    switch commands.receive(event, in: packet, at: out.now, into: &out.octets) {
    case .bringUp: bringUpAnswered(into: &out)
    case .answered(let command, let purpose, let parameters):
      supervisor.isTryingOn = false
      answered(command, purpose, packet.extracting(parameters), into: &out)
      takeRoleEvents(into: &out)
      lineAnswered(into: &out)
    case .unexplainedGrant: suspectRestart("it announced itself", into: &out)
    case .unexpected(.hostNumberOfCompletedPackets, let parameters):
      returnAnswered(packet.extracting(parameters), into: &out)
    // The late answer to a command that was considered lost.
    case .unexpected(let opcode, _) where opcode == supervisor.lostCommand: supervisor.lostCommand = nil
    case .unexpected(let opcode, _): report(.unexpectedAnswer(opcode), into: &out)
    case .malformed: report(.malformedEvent(code: event.code.rawValue), into: &out)
    case nil: break
    }
  }

  private mutating func answered(
    _ command: any HCICommand, _ purpose: CommandPurpose?, _ parameters: Span<UInt8>, into out: inout HostOutput
  ) {
    let status = ErrorCode(rawValue: parameters.count > 0 ? parameters[0] : ErrorCode.unspecifiedError.rawValue)
    switch purpose {
    case .role:
      role.answered(command, parameters, at: out.now)
      if let complaint = role.takeComplaint() { complained(complaint, into: &out) }
    case .link(let handle, let part): linkAnswered(command, part, status, of: handle, into: &out)
    case .linkQuestion(let handle): linkQuestionAnswered(parameters, to: command, of: handle, into: &out)
    case .signalStrength(let handle):
      signalStrengthAnswered(parameters, of: handle, into: &out)
      guard status == .unknownConnectionIdentifier, links.id(of: handle) != nil else { return }
      linkForgotten(handle, into: &out)
    case .roleQuestion: roleQuestionAnswered(command, status, into: &out)
    case .settingQuestion: settingQuestionAnswered(parameters, into: &out)
    case .unknownLink(let handle): unknownLinkAnswered(status, of: handle, into: &out)
    case .linkSearch(let handle): if status == .success { endUnknownLink(handle) }
    case .vitality, nil: break
    }
  }

  private mutating func linkAnswered(
    _ command: any HCICommand, _ part: CommandPurpose.LinkCommand, _ status: ErrorCode, of handle: ConnectionHandle,
    into out: inout HostOutput
  ) {
    guard status != .success, let link = links.id(of: handle) else { return }
    switch part {
    case .parameters: parameterCommandAnswered(status, on: handle, into: &out)
    // If the controller knew the link, it would have reported its end before (Core 5.4 Vol 4 Part E 7.7.5).
    case .disconnect where status == .unknownConnectionIdentifier: linkForgotten(handle, into: &out)
    // Zephyr answers like this for a link that it does not have (Vol 1 Part F 2.12); a question about the links makes it clear.
    case .disconnect where status == .commandDisallowed: askForLinks()
    case .disconnect:
      links[link].isClosing = false
      scheduler.reopen(handle)
      reportRefusal(of: .disconnect, status, into: &out)
    case .encryption: encryptionRefused(command, status, of: handle, into: &out)
    case .other: reportRefusal(of: type(of: command).opcode, status, into: &out)
    }
  }

  /// Handles the answer to the only command that is not answered unless it is wrong (Core 5.4 Vol 4 Part E 7.3.40).
  private mutating func returnAnswered(_ parameters: Span<UInt8>, into out: inout HostOutput) {
    switch parameters.count > 0 ? ErrorCode(rawValue: parameters[0]) : .unspecifiedError {
    case .success: break
    // Bumble's controller has flow control enabled, but does not count.
    case .unknownHCICommand: hostBuffers.configure(count: 0)
    default:
      if !hostBuffers.refused() { report(.unexpectedAnswer(.hostNumberOfCompletedPackets), into: &out) }
    }
  }

  private mutating func bringUpAnswered(into out: inout HostOutput) {
    if let failure = commands.bringUp.failure { bringUpFailed(failure, into: &out) }
    if commands.isUp {
      supervisor.begin(at: out.now)
      controllerIsUp(into: &out)
    }
    lineAnswered(into: &out)
  }

  /// Handles the end of initialization: data may flow, and the role begins.
  private mutating func controllerIsUp(into out: inout HostOutput) {
    controller = commands.bringUp.profile
    scheduler.configure(packetLength: controller.aclLength, packetCount: controller.aclCount)
    hostBuffers.configure(count: controller.hostBufferCount)
    deframer.maximumDataLength = controller.hostBufferLength
    let own = newIdentity ?? randomAddress ?? controller.publicAddress
    guard own != .zero else { return fail(.noPublicAddress, into: &out) }
    let identity = TypedAddress(address: own, isRandom: newIdentity ?? randomAddress != nil)
    self.identity = identity
    out.events.append(.controllerReady(controller, address: own, addressType: identity.type))
    role.renewAddresses(at: out.now, random: &random)
    role.controllerIsUp(controller, identity, at: out.now)
    if isShuttingDown { role.stopAll() }
    takeRoleEvents(into: &out)
    if let failure = role.failure { roleFailed(failure, into: &out) }
  }

  /// Handles that the role cannot use the controller. A host that waits for controllers tries again after a pause, because the controller's
  /// answers may have been damaged on the line.
  private mutating func roleFailed(_ failure: ControllerFailure, into out: inout HostOutput) {
    guard watchInterval != nil, resetAttempts == .max else { return fail(failure, into: &out) }
    restart("\(failure)", into: &out)
    supervisor.bringUpDue = out.now + Self.restartPause
  }

  /// Passes on the events of the role.
  package mutating func takeRoleEvents(into out: inout HostOutput) {
    guard !role.events.isEmpty else { return }
    for case .advertising(let event) in role.events {
      switch event {
      case .started(let set, let interval): application.advertisingChanged(set, interval: interval, at: out.now)
      case .stopped(let set): application.advertisingChanged(set, interval: nil, at: out.now)
      case .limitReached, .powered, .refused, .unavailable, .unfiltered: break
      }
    }
    out.events += role.events
    role.events.removeAll(keepingCapacity: true)
  }

  /// Checks whether the controller has applied all settings for the first time, and whether a shutdown is complete.
  private mutating func checkUpToDate(into out: inout HostOutput) {
    // This is checked first, because it runs at every turn, and the check of the role is expensive.
    guard isShuttingDown || supervisor.asksAgain || !supervisor.hasBeenUpToDate, role.isUpToDate else { return }
    if supervisor.asksAgain {
      askForRole()
      return commands.send(into: &out.octets, at: out.now)
    }
    if isShuttingDown {
      guard links.isEmpty else { return }
      hasStopped = true
      out.events.append(.stopped)
    } else {
      if let failure = role.failure { return roleFailed(failure, into: &out) }
      supervisor.hasBeenUpToDate = true
      supervisor.bringUpFailures = 0
      supervisor.incident = nil
      commands.isHealthy()
      role.becameUpToDate()
      takeRoleEvents(into: &out)
    }
  }

  mutating func fail(_ failure: ControllerFailure, into out: inout HostOutput) {
    guard !hasFailed else { return }
    hasFailed = true
    out.events.append(.controllerFailed(failure))
  }
}
