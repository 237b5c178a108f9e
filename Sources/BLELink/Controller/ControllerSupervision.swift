import BLECore
import BLEGAP
import BLEHCI

/// Detection of restarts of the controller and of losses on the line, by asking the controller. Only those questions are used whose answers
/// the specification defines, and that controllers are known to answer accordingly.
extension ControllerInterface {
  // MARK: - Questions

  /// Asks about each link of which the controller has reported nothing for an interval, and about the settings of the role. If that gives no
  /// question, it asks one that every controller answers.
  mutating func askWhatIsDue(_ links: [SupervisedLink], role: some HostRole, at now: Instant) {
    guard commands.isIdle, let interval = supervisor.interval else { return }
    for link in links where now - link.lastHeard >= interval { commands.addFirst([question(about: link)]) }
    askForRole(role)
    if commands.isIdle, now - supervisor.lastHeard >= interval { askForVitality(hasLinks: !links.isEmpty) }
  }

  /// Asks whether the controller applies the settings of the role.
  mutating func askForRole(_ role: some HostRole) {
    supervisor.asksAgain = false
    guard supervisor.roleAnswers != .worthless, let question = role.question(round: supervisor.nextRound()) else {
      return
    }
    commands.add(question, for: .roleQuestion)
  }

  /// Returns the command that asks whether the controller knows a link: if not, it refuses (Core 5.4 Vol 4 Part E 7.8.47, Vol 1 Part F 2.2).
  /// A freshly booted Zephyr answers any question about handle 0, but only a link has a PHY, so the RSSI is read only if the
  /// controller cannot report the PHY. (The channel map would do too, but RootCanal aborts when it is read.)
  func question(about link: SupervisedLink) -> CommandFlow<CommandPurpose>.Entry {
    let handle = link.handle
    guard !link.isClassic, profile.commands.contains(.leReadPHY) else {
      return CommandFlow.Entry(HCIReadRSSI { $0.connectionHandle = handle }, for: .linkQuestion(handle))
    }
    return CommandFlow.Entry(LEReadPHY { $0.connectionHandle = handle }, for: .linkQuestion(handle))
  }

  /// Asks about links, except those for which a question is already queued.
  mutating func ask(about links: [SupervisedLink]) {
    for link in links where !commands.contains(where: { $0 == .linkQuestion(link.handle) }) {
      commands.addFirst([question(about: link)])
    }
  }

  /// Asks something that changes nothing. If the host has set a longer suggested data length, it reads that, because
  /// a reset restores 27 octets (Core 5.4 Vol 4 Part E 7.8.34). Otherwise, it asks what every controller answers.
  private mutating func askForVitality(hasLinks: Bool) {
    guard !hasLinks, supervisor.settingAnswers != .worthless, profile.suggestedDataLength > DataLength.minimum,
      profile.commands.contains(.leReadSuggestedDefaultDataLength)
    else { return commands.add(HCIReadLocalVersionInformation(), for: .vitality) }
    commands.add(LEReadSuggestedDefaultDataLength(), for: .settingQuestion)
  }

  /// Asks something at once, unless a command is in progress: the answer shows that the line works.
  mutating func askSomething(_ links: [SupervisedLink]) {
    guard commands.isUp, commands.isIdle else { return }
    if links.isEmpty { askForVitality(hasLinks: false) } else { ask(about: links) }
  }

  /// Handles the controller's suggested data length. If it is not the one that was set, the controller has restarted, or never returns the
  /// one that was set.
  mutating func settingQuestionAnswered(_ parameters: Span<UInt8>, hasLinks: Bool) -> ControllerAction? {
    let answer = try? LEReadSuggestedDefaultDataLength.ReturnParameters(decoding: parameters)
    guard answer.map({ Int($0.maximumTxOctets) }) != profile.suggestedDataLength else {
      supervisor.settingAnswers = .confirmed
      return nil
    }
    // If a link has been made in the meantime, the questions about it are more conclusive.
    guard !hasLinks else { return nil }
    guard supervisor.settingAnswers != .doubted else {
      supervisor.settingAnswers = .worthless
      return nil
    }
    supervisor.settingAnswers = .doubted
    return .restart("it has lost its settings")
  }

  // MARK: - Links

  /// Returns whether the answer to a question shows that the controller knows the link.
  static func knowsLink(_ parameters: Span<UInt8>, after question: any HCICommand) -> Bool {
    let status = ErrorCode(rawValue: parameters.count > 0 ? parameters[0] : ErrorCode.unspecifiedError.rawValue)
    let answer = question is LEReadPHY ? try? LEReadPHY.ReturnParameters(decoding: parameters) : nil
    let hasNoPHY = status == .success && answer?.txPHY == PHY.none
    return status != .unknownConnectionIdentifier && !hasNoPHY
  }

  /// Handles that the controller does not know a link: its disconnection event was lost, or the controller has restarted. The other
  /// links show which; without others, the controller is initialized again, which does no harm.
  mutating func linkForgotten(
    _ handle: ConnectionHandle, among links: [SupervisedLink], at now: Instant
  ) -> ControllerAction? {
    supervisor.forgottenLinks.insert(handle)
    ask(about: links.filter { !supervisor.forgottenLinks.contains($0.handle) && $0.lastHeard < now })
    return checkForgottenLinks(among: links)
  }

  /// Ends links that the controller does not know, after all questions about links have been answered.
  mutating func checkForgottenLinks(among links: [SupervisedLink]) -> ControllerAction? {
    let isAsking = commands.contains { if case .linkQuestion = $0 { true } else { false } }
    guard !supervisor.forgottenLinks.isEmpty, !isAsking else { return nil }
    let forgotten = links.map(\.handle).filter(supervisor.forgottenLinks.contains)
    supervisor.forgottenLinks = []
    guard !forgotten.isEmpty else { return nil }
    guard forgotten.count < links.count else { return .restart("it no longer knows a connection") }
    return .endLinks(forgotten)
  }

  // MARK: - Unknown links

  /// Ends a link that the controller has not reported.
  mutating func endUnknownLink(_ handle: ConnectionHandle) {
    guard supervisor.unknownLinks.insert(handle).inserted else { return }
    let command = HCIDisconnect {
      $0.connectionHandle = handle
      $0.reason = .remoteUserTerminatedConnection
    }
    commands.add(command, for: .unknownLink(handle))
  }

  /// Handles the controller's answer whether it has that connection. It is not known what else was lost, so without
  /// other links the controller is initialized again.
  mutating func unknownLinkAnswered(
    _ status: ErrorCode, of handle: ConnectionHandle, hasLinks: Bool
  ) -> ControllerAction? {
    guard status == .success else {
      supervisor.unknownLinks.remove(handle)
      return nil
    }
    return hasLinks ? nil : .restart("it has a connection that it had not reported")
  }

  // MARK: - Settings of the role

  /// Handles the controller's answer whether it applies the settings of the role. If it does not, it has restarted, or one packet was
  /// lost. But some controllers always accept what they should refuse: if a controller did so, the settings are applied again, and its
  /// answers to the repeated question show which it is.
  mutating func roleQuestionAnswered(
    _ question: any HCICommand, _ status: ErrorCode, role: inout some HostRole, links: [SupervisedLink]
  ) -> ControllerAction? {
    guard let isConfirmed = role.isConfirmed(question, status) else { return nil }
    let before = supervisor.roleAnswers
    let packet = question.h4
    let reapplied = ControllerAction.report(.settingsReapplied(type(of: question).opcode))
    guard !isConfirmed else {
      supervisor.roleAnswers = .confirmed
      supervisor.bringUpFailures = 0
      guard case .doubted(packet, let hadLinks, _) = before else { return nil }
      return hadLinks ? reapplied : .restart("it has lost its settings")
    }
    var doubts = 0
    if case .doubted(packet, _, let times) = before { doubts = times }
    guard doubts < ControllerSupervisor.doubts else {
      supervisor.roleAnswers = .worthless
      return nil
    }
    let isDoubtful = status == .success
    guard isDoubtful || !links.isEmpty else { return .restart("it has lost its settings") }
    if isDoubtful {
      supervisor.roleAnswers = .doubted(question: packet, hasLinks: !links.isEmpty, times: doubts + 1)
      supervisor.asksAgain = true
    }
    role.reapply(after: question, status)
    ask(about: links)
    return isDoubtful ? nil : reapplied
  }
}
