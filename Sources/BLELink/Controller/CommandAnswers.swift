import BLECore
import BLEGAP
import BLEGATT
import BLEHCI

extension HostEngine {
  /// Sends the next command: first those of bring-up, then those of links, then those of the role.
  mutating func sendNextCommand(into out: inout HostOutput) {
    guard !isOver, hci.supervisor.bringUpDue == nil else { return }
    if hci.commands.isUp, hci.commands.waiting.isEmpty {
      guard let (command, subject) = role.nextCommand() else { return checkUpToDate(into: &out) }
      hci.commands.add(command, for: .role(subject))
    }
    hci.commands.send(into: &out.octets, at: out.now)
    if hci.supervisor.isOnLastChance { hci.commands.expectAnswer(by: out.now + ControllerSupervisor.lastChance) }
  }

  /// Handles an event that may answer a command.
  mutating func receiveAnswer(_ event: EventPacket, in packet: Span<UInt8>, into out: inout HostOutput) {
    switch hci.commands.receive(event, in: packet, at: out.now, into: &out.octets) {
    case .bringUp: bringUpAnswered(into: &out)
    case .answered(let command, let purpose, let parameters):
      hci.supervisor.isOnLastChance = false
      answered(command, purpose, packet.extracting(parameters), into: &out)
      takeRoleEvents(into: &out)
      if let fault = hci.lineAnswered() { out.events.append(.fault(fault)) }
    case .unexplainedGrant: carryOut(hci.suspectRestart("it announced itself"), into: &out)
    case .unexpected(.hostNumberOfCompletedPackets, let parameters):
      returnAnswered(packet.extracting(parameters), into: &out)
    // The late answer to a command that was considered lost.
    case .unexpected(let opcode, _) where opcode == hci.supervisor.lostCommand: hci.supervisor.lostCommand = nil
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
    case .role(let subject):
      role.answered(command, about: subject, parameters, at: out.now)
      if let complaint = role.takeComplaint() {
        carryOut(hci.settingRefused(complaint, hasLinks: !links.isEmpty), into: &out)
      }
    case .link(let handle, let part): linkAnswered(command, part, status, of: handle, into: &out)
    case .linkQuestion(let handle):
      guard ControllerInterface.knowsLink(parameters, after: command) else { return linkForgotten(handle, into: &out) }
      guard let link = links.id(of: handle) else { break }
      links[link].delivery.lastHeard = out.now
      carryOut(hci.checkForgottenLinks(among: supervisedLinks), into: &out)
    case .signalStrength(let handle):
      signalStrengthAnswered(parameters, of: handle, into: &out)
      if status == .unknownConnectionIdentifier { linkForgotten(handle, into: &out) }
    case .encryptionKeySize(let handle): encryptionKeySizeAnswered(parameters, of: handle, into: &out)
    case .roleQuestion:
      carryOut(hci.roleQuestionAnswered(command, status, role: &role, links: supervisedLinks), into: &out)
    case .settingQuestion:
      carryOut(hci.settingQuestionAnswered(parameters, hasLinks: !links.isEmpty), into: &out)
    case .unknownLink(let handle):
      carryOut(hci.unknownLinkAnswered(status, of: handle, hasLinks: !links.isEmpty), into: &out)
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
    case .disconnect where status == .commandDisallowed: hci.ask(about: supervisedLinks)
    case .disconnect:
      links[link].phase = .open
      scheduler.reopen(handle)
      reportRefusal(of: .disconnect, status, into: &out)
    case .encryption: encryptionRefused(command, status, of: handle, into: &out)
    case .other: reportRefusal(of: type(of: command).opcode, status, into: &out)
    }
  }

  /// Handles that the controller does not know a link.
  private mutating func linkForgotten(_ handle: ConnectionHandle, into out: inout HostOutput) {
    guard links.id(of: handle) != nil else { return }
    carryOut(hci.linkForgotten(handle, among: supervisedLinks, at: out.now), into: &out)
  }

  /// Handles the answer to the only command that is not answered unless it is wrong (Core 5.4 Vol 4 Part E 7.3.40).
  private mutating func returnAnswered(_ parameters: Span<UInt8>, into out: inout HostOutput) {
    switch parameters.count > 0 ? ErrorCode(rawValue: parameters[0]) : .unspecifiedError {
    case .success: break
    // Bumble's controller has flow control enabled, but does not count.
    case .unknownHCICommand: hci.hostBuffers.configure(count: 0)
    default:
      if !hci.hostBuffers.refused() { report(.unexpectedAnswer(.hostNumberOfCompletedPackets), into: &out) }
    }
  }

  private mutating func bringUpAnswered(into out: inout HostOutput) {
    if let failure = hci.commands.bringUp.failure { carryOut(hci.bringUpFailed(failure), into: &out) }
    if hci.commands.isUp { controllerIsUp(into: &out) }
    if let fault = hci.lineAnswered() { out.events.append(.fault(fault)) }
  }

  /// Handles the end of initialization: data may flow, and the role begins.
  private mutating func controllerIsUp(into out: inout HostOutput) {
    hci.begin(at: out.now)
    if let lack = role.lack(on: hci.profile) { return roleFailed(lack, into: &out) }
    scheduler.configure(packetLength: hci.profile.aclLength, packetCount: hci.profile.aclCount)
    scheduler.configureClassic(packetLength: hci.profile.classicACLLength, packetCount: hci.profile.classicACLCount)
    guard let identity = identity.takeUp(publicAddress: hci.profile.publicAddress) else {
      return fail(.noPublicAddress, into: &out)
    }
    out.events.append(.controllerReady(controller, address: identity.address, addressType: identity.type))
    role.renewAddresses(at: out.now, random: &random)
    role.controllerIsUp(controller, identity, at: out.now)
    if phase == .shuttingDown { role.stopAll() }
    takeRoleEvents(into: &out)
    if let failure = role.failure { roleFailed(failure, into: &out) }
  }

  /// Handles that the role cannot use the controller. A host that waits for controllers tries again after a pause, because the controller's
  /// answers may have been damaged on the line.
  private mutating func roleFailed(_ failure: ControllerFailure, into out: inout HostOutput) {
    guard watchInterval != nil, resetAttempts == .max else { return fail(failure, into: &out) }
    carryOut(.restart("\(failure)"), into: &out)
    hci.supervisor.bringUpDue = out.now + ControllerInterface.restartPause
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
    let isShuttingDown = phase == .shuttingDown
    guard isShuttingDown || hci.supervisor.asksAgain || !hci.supervisor.hasBeenUpToDate, role.isUpToDate else { return }
    if hci.supervisor.asksAgain {
      hci.askForRole(role)
      return hci.commands.send(into: &out.octets, at: out.now)
    }
    if isShuttingDown {
      if links.isEmpty { stop(into: &out) }
    } else {
      if let failure = role.failure { return roleFailed(failure, into: &out) }
      hci.supervisor.hasBeenUpToDate = true
      hci.supervisor.bringUpFailures = 0
      hci.supervisor.incident = nil
      hci.commands.isHealthy()
      role.becameUpToDate()
      takeRoleEvents(into: &out)
    }
  }
}
