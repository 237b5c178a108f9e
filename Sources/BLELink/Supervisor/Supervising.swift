import BLECore
import BLEGAP
import BLEHCI

/// Detection of restarts of the controller and of losses on the line, by asking the controller. Only those questions are used whose answers
/// the specification defines, and that controllers are known to answer accordingly.
extension HostEngine {
  /// Handles everything that is due.
  mutating func supervise(into out: inout HostOutput) {
    let now = out.now
    if let due = supervisor.bringUpDue, due <= now { supervisor.bringUpDue = nil }
    for handle in supervisor.takeOverdue(at: now) where links.id(of: handle) == nil {
      unknownLinkSpoke(handle, into: &out)
    }
    guard supervisor.isDue(at: now), commands.isUp else { return }
    checkForgottenLinks(into: &out)
    for link in links.ids { checkDelivery(of: link, into: &out) }
    checkEncryption(into: &out)
    guard commands.isIdle, !isShuttingDown, let interval = watchInterval else { return }
    for link in links.ids where now - links[link].delivery.lastHeard >= interval {
      commands.addFirst([question(about: links[link].handle)])
    }
    askForRole()
    if commands.isIdle, now - supervisor.lastHeard >= interval { askForVitality() }
  }

  /// Asks whether the controller applies the settings of the role.
  mutating func askForRole() {
    supervisor.asksAgain = false
    guard supervisor.roleAnswers != .worthless, let question = role.question(round: supervisor.nextRound()) else {
      return
    }
    commands.add(question, for: .roleQuestion)
  }

  /// Returns the command that asks whether the controller knows a link: if not, it refuses (Core 5.4 Vol 4 Part E 7.8.47, Vol 1 Part F 2.2).
  /// A freshly booted Zephyr answers any question about handle 0, but only a link has a PHY, so the RSSI is read only if the
  /// controller cannot report the PHY. (The channel map would do too, but RootCanal aborts when it is read.)
  func question(about link: ConnectionHandle) -> CommandFlow<CommandPurpose>.Entry {
    guard controller.commands.contains(.leReadPHY) else {
      return CommandFlow.Entry(HCIReadRSSI { $0.connectionHandle = link }, for: .linkQuestion(link))
    }
    return CommandFlow.Entry(LEReadPHY { $0.connectionHandle = link }, for: .linkQuestion(link))
  }

  /// Asks about all links, except those for which a question is already queued.
  mutating func askForLinks() {
    for link in links.ids { ask(about: links[link].handle) }
  }

  /// Asks whether the controller knows a link, unless that question is already queued.
  mutating func ask(about link: ConnectionHandle) {
    guard !commands.contains(where: { $0 == .linkQuestion(link) }) else { return }
    commands.addFirst([question(about: link)])
  }

  /// Asks something that changes nothing. If the host has set a longer suggested data length, it reads that, because
  /// a reset restores 27 octets (Core 5.4 Vol 4 Part E 7.8.34). Otherwise, it asks what every controller answers.
  private mutating func askForVitality() {
    guard links.isEmpty, supervisor.settingAnswers != .worthless, controller.suggestedDataLength > DataLength.minimum,
      controller.commands.contains(.leReadSuggestedDefaultDataLength)
    else { return commands.add(HCIReadLocalVersionInformation(), for: .vitality) }
    commands.add(LEReadSuggestedDefaultDataLength(), for: .settingQuestion)
  }

  /// Handles the controller's suggested data length. If it is not the one that was set, the controller has restarted, or never returns the
  /// one that was set.
  mutating func settingQuestionAnswered(_ parameters: Span<UInt8>, into out: inout HostOutput) {
    let answer = try? LEReadSuggestedDefaultDataLength.ReturnParameters(decoding: parameters)
    guard answer.map({ Int($0.maximumTxOctets) }) != controller.suggestedDataLength else {
      return supervisor.settingAnswers = .confirmed
    }
    // If a link has been made in the meantime, the questions about it are more conclusive.
    guard links.isEmpty else { return }
    guard supervisor.settingAnswers != .doubted else { return supervisor.settingAnswers = .worthless }
    supervisor.settingAnswers = .doubted
    restart("it has lost its settings", into: &out)
  }

  /// Asks something at once, unless a command is in progress: the answer shows that the line works.
  mutating func askSomething() {
    guard commands.isUp, commands.isIdle else { return }
    if links.isEmpty { askForVitality() } else { askForLinks() }
  }

  // MARK: - Links

  mutating func linkQuestionAnswered(
    _ parameters: Span<UInt8>, to question: any HCICommand, of handle: ConnectionHandle, into out: inout HostOutput
  ) {
    guard let link = links.id(of: handle) else { return }
    let status = ErrorCode(rawValue: parameters.count > 0 ? parameters[0] : ErrorCode.unspecifiedError.rawValue)
    let answer = question is LEReadPHY ? try? LEReadPHY.ReturnParameters(decoding: parameters) : nil
    let hasNoPHY = status == .success && answer?.txPHY == PHY.none
    if status == .unknownConnectionIdentifier || hasNoPHY {
      linkForgotten(handle, into: &out)
    } else {
      links[link].delivery.lastHeard = out.now
      checkForgottenLinks(into: &out)
    }
  }

  /// Handles that the controller does not know a link: its disconnection event was lost, or the controller has restarted. The other
  /// links show which; without others, the controller is initialized again, which does no harm.
  mutating func linkForgotten(_ handle: ConnectionHandle, into out: inout HostOutput) {
    supervisor.forgottenLinks.insert(handle)
    for link in links.ids
    where !supervisor.forgottenLinks.contains(links[link].handle) && links[link].delivery.lastHeard < out.now {
      ask(about: links[link].handle)
    }
    checkForgottenLinks(into: &out)
  }

  /// Ends links that the controller does not know, after all questions about links have been answered.
  private mutating func checkForgottenLinks(into out: inout HostOutput) {
    let isAsking = commands.contains { if case .linkQuestion = $0 { true } else { false } }
    guard !supervisor.forgottenLinks.isEmpty, !isAsking else { return }
    let forgotten = links.ids.filter { supervisor.forgottenLinks.contains(links[$0].handle) }
    supervisor.forgottenLinks = []
    guard !forgotten.isEmpty else { return }
    guard forgotten.count < links.count else {
      return restart("it no longer knows a connection", into: &out)
    }
    for link in forgotten {
      out.events.append(.fault(.linkForgotten(links[link].handle)))
      linkEnded(link, reason: .unspecifiedError, into: &out)
    }
  }

  // MARK: - Unknown links

  /// Handles data for an unknown connection, or one that should have been reported: either its connection event was lost on the line, or
  /// its end was reported before its last data. The controller is made to end it, because its peer gets no answers, and the
  /// controller's answer shows which case it is.
  mutating func unknownLinkSpoke(_ handle: ConnectionHandle, into out: inout HostOutput) {
    guard !supervisor.unknownLinks.contains(handle) else { return }
    if watchInterval != nil, commands.isUp { endUnknownLink(handle) }
    report(.unknownConnection(handle), into: &out)
  }

  mutating func endUnknownLink(_ handle: ConnectionHandle) {
    guard links.id(of: handle) == nil, supervisor.unknownLinks.insert(handle).inserted else { return }
    let command = HCIDisconnect {
      $0.connectionHandle = handle
      $0.reason = .remoteUserTerminatedConnection
    }
    commands.add(command, for: .unknownLink(handle))
  }

  /// Handles the controller's answer whether it has that connection. It is not known what else was lost, so without
  /// other links the controller is initialized again.
  mutating func unknownLinkAnswered(_ status: ErrorCode, of handle: ConnectionHandle, into out: inout HostOutput) {
    guard status == .success else {
      supervisor.unknownLinks.remove(handle)
      return
    }
    if links.isEmpty { restart("it has a connection that it had not reported", into: &out) }
  }

  /// Handles the end of an unknown connection.
  mutating func unknownLinkEnded(_ handle: ConnectionHandle, into out: inout HostOutput) {
    if supervisor.unknownLinks.remove(handle) == nil { report(.unknownConnection(handle), into: &out) }
    guard watchInterval != nil, commands.isUp else { return }
    if links.isEmpty {
      restart("it ended a connection that it had not reported", into: &out)
    } else {
      // That connection has ended legacy advertising.
      role.connectionCompleted(.success, handle)
      role.linkChecked(handle)
      takeRoleEvents(into: &out)
    }
  }

  /// The number of handles to try if there may be an unreported link. Controllers assign them from 0 or 1 upward.
  private static var searchedHandles: UInt16 { 64 }

  private mutating func searchUnknownLinks() {
    for number in 0..<Self.searchedHandles {
      let handle = ConnectionHandle(rawValue: number)
      guard links.id(of: handle) == nil else { continue }
      commands.add(HCIReadRSSI { $0.connectionHandle = handle }, for: .linkSearch(handle))
    }
  }

  // MARK: - Settings of the role

  /// Handles the controller's answer whether it applies the settings of the role. If it does not, it has restarted, or one packet was
  /// lost. But some controllers always accept what they should refuse: if a controller did so, the settings are applied again, and its
  /// answers to the repeated question show which it is.
  mutating func roleQuestionAnswered(_ question: any HCICommand, _ status: ErrorCode, into out: inout HostOutput) {
    guard let isConfirmed = role.isConfirmed(question, status) else { return }
    let before = supervisor.roleAnswers
    let packet = question.h4
    guard !isConfirmed else {
      supervisor.roleAnswers = .confirmed
      supervisor.bringUpFailures = 0
      guard case .doubted(packet, let hasLinks, _) = before else { return }
      guard hasLinks else { return restart("it has lost its settings", into: &out) }
      out.events.append(.fault(.settingsReapplied(type(of: question).opcode)))
      return
    }
    var doubts = 0
    if case .doubted(packet, _, let times) = before { doubts = times }
    guard doubts < ControllerSupervisor.doubts else { return supervisor.roleAnswers = .worthless }
    let isDoubtful = status == .success
    guard isDoubtful || !links.isEmpty else { return restart("it has lost its settings", into: &out) }
    if isDoubtful {
      supervisor.roleAnswers = .doubted(question: packet, hasLinks: !links.isEmpty, times: doubts + 1)
      supervisor.asksAgain = true
    } else {
      out.events.append(.fault(.settingsReapplied(type(of: question).opcode)))
    }
    role.reapply(after: question, status)
    guard !links.isEmpty else { return }
    askForLinks()
    searchUnknownLinks()
  }

  // MARK: - Outstanding packets

  /// How long the controller may take to report a packet as completed after the peer has proven that it has received it.
  private static var reportingLimit: Duration { .seconds(2) }
  /// Returns the maximum time that a packet takes on a good link: twice the time until the peer listens.
  private func lateness(of details: ConnectionDetails) -> Duration {
    max(Self.reportingLimit, details.interval * (details.latency + 1) * 2)
  }

  /// How long packets may stay in the controller without any being reported; longer if the supervision timeout is longer.
  private static var stallLimit: Duration { .seconds(8) }

  /// Handles packets that the controller has not reported as completed, although the peer has them, or they never reached the controller
  /// (Core 5.4 Vol 4 Part E 4.1.1, 7.7.19). If they are late, the peer is asked for something: its answer proves that everything
  /// sent before has arrived or was lost, so those packets are written off. If it does not answer, only ending the link frees the buffers.
  private mutating func checkDelivery(of link: LinkID, into out: inout HostOutput) {
    let now = out.now
    guard !links[link].isClosing else { return }
    let handle = links[link].handle
    let completed = scheduler.completedPackets(handle)
    guard scheduler.outstandingPackets(handle) > 0, completed == links[link].delivery.completed else {
      links[link].delivery.completed = completed
      links[link].delivery.since = now
      return
    }
    let record = links[link].delivery
    if completed < record.proven, now - max(record.since, record.provenAt) >= Self.reportingLimit {
      let missed = scheduler.writeOff(handle, through: record.proven)
      out.events.append(.fault(.completionsMissed(handle, missed)))
    } else if now - record.since < Self.stallLimit, now - record.since >= lateness(of: links[link].details) {
      askPeer(link, into: &out)
    } else if now - record.since >= max(Self.stallLimit, links[link].details.timeout + Self.reportingLimit) {
      out.events.append(.fault(.stalled(handle)))
      disconnect(link, reason: .remoteUserTerminatedConnection)
    }
  }
}
