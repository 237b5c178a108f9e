import BLECore
import BLEGAP
import BLEHCI

/// How a host finds out that its controller has restarted, or that something between them was lost: it asks. Only such questions
/// are asked whose answers the specification fixes, and that controllers are known to give.
extension HostEngine {
  /// Does what is due.
  mutating func supervise(at now: Instant, into out: inout HostOutput) {
    if let due = supervisor.bringUpDue, due <= now { supervisor.bringUpDue = nil }
    for handle in supervisor.takeOverdue(at: now) where links.id(of: handle) == nil {
      unknownLinkSpoke(handle, into: &out)
    }
    guard supervisor.isDue(at: now), commands.isUp else { return }
    checkForgottenLinks(at: now, into: &out)
    for link in links.ids { checkDelivery(of: link, at: now, into: &out) }
    checkEncryption(at: now, into: &out)
    guard commands.isIdle, !isShuttingDown, let interval = watchInterval else { return }
    for link in links.ids where now - links[link].delivery.lastHeard >= interval {
      commands.addFirst([question(about: links[link].handle)])
    }
    askForRole()
    if commands.isIdle, now - supervisor.lastHeard >= interval { askForVitality() }
  }

  /// Asks whether the controller does what the role has told it.
  mutating func askForRole() {
    supervisor.asksAgain = false
    guard supervisor.roleAnswers != .worthless, let question = role.question(round: supervisor.nextRound()) else {
      return
    }
    commands.add(question, for: .roleQuestion)
  }

  /// Whether the controller has a link: what it does not know it refuses (Core 5.4 Vol 4 Part E 7.8.47, Vol 1 Part F 2.2). A freshly
  /// booted Zephyr answers for handle 0 whatever it is asked, but only a link has a PHY, so the RSSI is asked for only where the
  /// controller cannot say more. (The channel map would do too, but RootCanal aborts when it is asked for that.)
  func question(about link: ConnectionHandle) -> CommandFlow<CommandPurpose>.Entry {
    guard controller.commands.contains(.leReadPHY) else {
      return CommandFlow.Entry(HCIReadRSSI { $0.connectionHandle = link }, for: .linkQuestion(link))
    }
    return CommandFlow.Entry(LEReadPHY { $0.connectionHandle = link }, for: .linkQuestion(link))
  }

  /// Asks for all links that are not being asked for.
  mutating func askForLinks() {
    for link in links.ids { ask(about: links[link].handle) }
  }

  /// Asks whether the controller has a link, unless that is being asked.
  mutating func ask(about link: ConnectionHandle) {
    guard !commands.contains(where: { $0 == .linkQuestion(link) }) else { return }
    commands.addFirst([question(about: link)])
  }

  /// Asks something that changes nothing. If the controller was told to suggest long packets, it is asked what it suggests, because
  /// a reset makes that 27 octets again (Core 5.4 Vol 4 Part E 7.8.34). Otherwise, it is asked what any controller answers.
  private mutating func askForVitality() {
    guard links.isEmpty, supervisor.settingAnswers != .worthless, controller.suggestedDataLength > DataLength.minimum,
      controller.commands.contains(.leReadSuggestedDefaultDataLength)
    else { return commands.add(HCIReadLocalVersionInformation(), for: .vitality) }
    commands.add(LEReadSuggestedDefaultDataLength(), for: .settingQuestion)
  }

  /// The controller has said what data length it suggests. If that is not what it was told, it has restarted, or it never says what
  /// it was told.
  mutating func settingQuestionAnswered(_ parameters: Span<UInt8>, at now: Instant, into out: inout HostOutput) {
    let answer = try? LEReadSuggestedDefaultDataLength.ReturnParameters(decoding: parameters)
    guard answer.map({ Int($0.maximumTxOctets) }) != controller.suggestedDataLength else {
      return supervisor.settingAnswers = .confirmed
    }
    // If a link has come meanwhile, the questions about it tell more.
    guard links.isEmpty else { return }
    guard supervisor.settingAnswers != .doubted else { return supervisor.settingAnswers = .worthless }
    supervisor.settingAnswers = .doubted
    restart("it has lost its settings", at: now, into: &out)
  }

  /// Asks something at once, when nothing is being asked: the answer shows that the line is in order.
  mutating func askSomething() {
    guard commands.isUp, commands.isIdle else { return }
    if links.isEmpty { askForVitality() } else { askForLinks() }
  }

  // MARK: - Links

  mutating func linkQuestionAnswered(
    _ parameters: Span<UInt8>, to question: any HCICommand, of handle: ConnectionHandle, at now: Instant,
    into out: inout HostOutput
  ) {
    guard let link = links.id(of: handle) else { return }
    let status = ErrorCode(rawValue: parameters.count > 0 ? parameters[0] : ErrorCode.unspecifiedError.rawValue)
    let answer = question is LEReadPHY ? try? LEReadPHY.ReturnParameters(decoding: parameters) : nil
    let hasNoPHY = status == .success && answer?.txPHY == PHY.none
    if status == .unknownConnectionIdentifier || hasNoPHY {
      linkForgotten(handle, at: now, into: &out)
    } else {
      links[link].delivery.lastHeard = now
      checkForgottenLinks(at: now, into: &out)
    }
  }

  /// The controller does not know a link: the event of its end was lost, or the controller has restarted. Which it was the other
  /// links tell; without others everything begins anew, which costs nobody anything.
  mutating func linkForgotten(_ handle: ConnectionHandle, at now: Instant, into out: inout HostOutput) {
    supervisor.forgottenLinks.insert(handle)
    for link in links.ids
    where !supervisor.forgottenLinks.contains(links[link].handle) && links[link].delivery.lastHeard < now {
      ask(about: links[link].handle)
    }
    checkForgottenLinks(at: now, into: &out)
  }

  /// Ends links that the controller does not know, once all have been asked for.
  private mutating func checkForgottenLinks(at now: Instant, into out: inout HostOutput) {
    let isAsking = commands.contains { if case .linkQuestion = $0 { true } else { false } }
    guard !supervisor.forgottenLinks.isEmpty, !isAsking else { return }
    let forgotten = links.ids.filter { supervisor.forgottenLinks.contains(links[$0].handle) }
    supervisor.forgottenLinks = []
    guard !forgotten.isEmpty else { return }
    guard forgotten.count < links.count else {
      return restart("it no longer knows a connection", at: now, into: &out)
    }
    for link in forgotten {
      out.events.append(.fault(.linkForgotten(links[link].handle)))
      linkEnded(link, reason: .unspecifiedError, at: now, into: &out)
    }
  }

  // MARK: - Links that are not known

  /// Data has come for a connection that is not known, or it was said to have been made: its beginning was lost on the line, or
  /// its end came before the last of its data. The controller is told to end it, because its peer gets no answers, and the
  /// answer says which it was.
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

  /// The controller has said whether it has that connection. What else was lost with its beginning is not known, so without
  /// other links everything begins anew.
  mutating func unknownLinkAnswered(
    _ status: ErrorCode, of handle: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) {
    guard status == .success else {
      supervisor.unknownLinks.remove(handle)
      return
    }
    if links.isEmpty { restart("it has a connection that it had not reported", at: now, into: &out) }
  }

  /// A connection has ended that is not known.
  mutating func unknownLinkEnded(_ handle: ConnectionHandle, at now: Instant, into out: inout HostOutput) {
    if supervisor.unknownLinks.remove(handle) == nil { report(.unknownConnection(handle), into: &out) }
    guard watchInterval != nil, commands.isUp else { return }
    if links.isEmpty {
      restart("it ended a connection that it had not reported", at: now, into: &out)
    } else {
      // That connection has ended legacy advertising.
      role.connectionCompleted(.success, handle)
      role.linkChecked(handle)
      takeRoleEvents(at: now, into: &out)
    }
  }

  /// How many handles are tried when there may be a link that was not told of. Controllers count them up from 0 or 1.
  private static var searchedHandles: UInt16 { 64 }

  private mutating func searchUnknownLinks() {
    for number in 0..<Self.searchedHandles {
      let handle = ConnectionHandle(rawValue: number)
      guard links.id(of: handle) == nil else { continue }
      commands.add(HCIReadRSSI { $0.connectionHandle = handle }, for: .linkSearch(handle))
    }
  }

  // MARK: - What the role has told

  /// The controller has said whether it does what the role has told it. Where it does not, it has restarted, or one packet was
  /// lost. Only some take what they should refuse, whatever they do: a controller that did is told again, and the answer to the
  /// same question then tells which it is.
  mutating func roleQuestionAnswered(
    _ question: any HCICommand, _ status: ErrorCode, at now: Instant, into out: inout HostOutput
  ) {
    guard let isConfirmed = role.isConfirmed(question, status) else { return }
    let before = supervisor.roleAnswers
    let packet = question.h4
    guard !isConfirmed else {
      supervisor.roleAnswers = .confirmed
      supervisor.bringUpFailures = 0
      guard case .doubted(packet, let hasLinks) = before else { return }
      guard hasLinks else { return restart("it has lost its settings", at: now, into: &out) }
      out.events.append(.fault(.settingsReapplied(type(of: question).opcode)))
      return
    }
    if case .doubted(packet, _) = before { return supervisor.roleAnswers = .worthless }
    let isDoubtful = status == .success
    guard isDoubtful || !links.isEmpty else { return restart("it has lost its settings", at: now, into: &out) }
    if isDoubtful {
      supervisor.roleAnswers = .doubted(question: packet, hasLinks: !links.isEmpty)
      supervisor.asksAgain = true
    } else {
      out.events.append(.fault(.settingsReapplied(type(of: question).opcode)))
    }
    role.reapply(after: question, status)
    guard !links.isEmpty else { return }
    askForLinks()
    searchUnknownLinks()
  }

  // MARK: - Packets under way

  /// How long after the peer has shown that it has a packet the controller may take to report it.
  private static var reportingLimit: Duration { .seconds(2) }
  /// How long a packet takes at most on a good link: until the peer listens, twice.
  private func lateness(of details: ConnectionDetails) -> Duration {
    max(Self.reportingLimit, details.interval * (details.latency + 1) * 2)
  }

  /// How long packets may stay in the controller without any being reported; longer where a peer out of range is waited for longer.
  private static var stallLimit: Duration { .seconds(8) }

  /// Makes good for packets that the controller has not reported completed although the peer has them, or that never came to it
  /// (Core 5.4 Vol 4 Part E 4.1.1, 7.7.19). When they are late the peer is asked for something: its answer shows that it has
  /// everything that was not lost. Where it does not answer, only the end of the link frees their buffers.
  private mutating func checkDelivery(of link: LinkID, at now: Instant, into out: inout HostOutput) {
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
      askPeer(link, at: now, into: &out)
    } else if now - record.since >= max(Self.stallLimit, links[link].details.timeout + Self.reportingLimit) {
      out.events.append(.fault(.stalled(handle)))
      disconnect(link, reason: .remoteUserTerminatedConnection)
    }
  }
}
