import BLECore
import BLEGAP
import BLEGATT
import BLEHCI

extension HostStack {
  /// Sends the next command of whoever has one: bring-up before everything, then the links', then advertising.
  mutating func sendNextCommand(at now: Instant, into out: inout HostOutput) {
    guard !isOver, bringUpDue == nil else { return }
    if commands.isUp, commands.waiting.isEmpty {
      guard let command = advertiser?.nextCommand() else { return reportSettled(into: &out) }
      commands.add(command)
    }
    commands.send(into: &out.octets, at: now)
  }

  /// Takes an event that may be about commands.
  mutating func receiveAnswer(
    _ event: EventPacket, in packet: Span<UInt8>, at now: Instant, into out: inout HostOutput
  ) {
    switch commands.receive(event, in: packet, at: now, into: &out.octets) {
    case .bringUp: bringUpAnswered(at: now, into: &out)
    case .answered(let command, let parameters):
      answered(command, packet.extracting(parameters), at: now, into: &out)
    case .unexplainedGrant: suspectRestart(at: now, into: &out)
    case .unexpected(.hostNumberOfCompletedPackets, let parameters):
      returnAnswered(packet.extracting(parameters), into: &out)
    case .unexpected(let opcode, _): noteDisturbance(.unexpectedAnswer(opcode), into: &out)
    case .malformed: noteDisturbance(.malformedEvent(code: event.code.rawValue), into: &out)
    case nil: break
    }
  }

  /// The one command without an answer was answered, which it is only when it was wrong (Core 5.4 Vol 4 Part E 7.3.40).
  private mutating func returnAnswered(_ parameters: Span<UInt8>, into out: inout HostOutput) {
    switch parameters.count > 0 ? ErrorCode(rawValue: parameters[0]) : .unspecifiedError {
    case .success: break
    // Bumble's controller has flow control switched on and does not count.
    case .unknownHCICommand: hostBuffers.configure(count: 0)
    default:
      if !hostBuffers.refused() { noteDisturbance(.unexpectedAnswer(.hostNumberOfCompletedPackets), into: &out) }
    }
  }

  private mutating func bringUpAnswered(at now: Instant, into out: inout HostOutput) {
    if let failure = commands.bringUp.failure { bringUpFailed(failure, at: now, into: &out) }
    if commands.isUp {
      watchDeadline = watchInterval.map { now + $0 }
      controllerIsUp(into: &out)
    }
    lineAnswered(into: &out)
  }

  private mutating func answered(
    _ command: any HCICommand, _ parameters: Span<UInt8>, at now: Instant, into out: inout HostOutput
  ) {
    if advertiser?.awaitsAnswer == true {
      advertiser?.answered(command, parameters, at: now)
      let refused = advertiser?.events.compactMap { if case .refused(let set, _, _) = $0 { set } else { nil } }.first
      reportAdvertising(into: &out)
      if let refused { advertisingRefused(refused, at: now, into: &out) }
    } else {
      linkAnswered(command, parameters, at: now, into: &out)
    }
    lineAnswered(into: &out)
  }

  private mutating func linkAnswered(
    _ command: any HCICommand, _ parameters: Span<UInt8>, at now: Instant, into out: inout HostOutput
  ) {
    if let request = command as? LEConnectionUpdate, parameters.count > 0 {
      parameterRequestBegan(ErrorCode(rawValue: parameters[0]), on: request.connectionHandle, at: now, into: &out)
    }
    // A link of which the controller knows nothing is the sign that it restarted under us, unless we too know by now that
    // it has ended.
    if let probe = command as? HCIReadRSSI, index(of: probe.connectionHandle) != nil, parameters.count > 0,
      parameters[0] == ErrorCode.unknownConnectionIdentifier.rawValue
    {
      restart("it no longer knows a connection", at: now, into: &out)
    } else if hasForgotten(command, parameters) {
      restart("it has forgotten what it was told", at: now, into: &out)
    } else if let command = command as? HCIDisconnect, strangers.contains(command.connectionHandle) {
      strangerAnswered(command.connectionHandle, parameters, at: now, into: &out)
    }
  }

  /// A refusal may be the answer to a command that the line has damaged, and is the end only when it comes again and again.
  private mutating func bringUpFailed(_ failure: ControllerFailure, at now: Instant, into out: inout HostOutput) {
    bringUpFailures += 1
    guard watchInterval != nil, bringUpFailures < 3 else { return fail(failure, into: &out) }
    restart("\(failure)", at: now, into: &out)
  }

  /// The same for a set: without links everything begins anew, because more than this command may be damaged.
  private mutating func advertisingRefused(_ set: String, at now: Instant, into out: inout HostOutput) {
    guard watchInterval != nil, bringUpFailures < 2, advertiser?.triesAgain(set: set) != true else { return }
    bringUpFailures += 1
    if connections.isEmpty {
      restart("it refused the advertising set \(set)", at: now, into: &out)
    } else {
      _ = advertiser?.setWanted(true, set: set)
    }
  }

  /// The controller has answered everything: data may flow, and advertising begins.
  private mutating func controllerIsUp(into out: inout HostOutput) {
    controller = commands.bringUp.profile
    scheduler.configure(packetLength: controller.aclLength, packetCount: controller.aclCount)
    hostBuffers.configure(count: controller.hostBufferCount)
    let random = configuration.identity.randomAddress(seed: configuration.seed)
    let own = random ?? controller.publicAddress
    guard own != .zero else { return fail(.noPublicAddress, into: &out) }
    (address, addressType) = (own, random == nil ? .publicDevice : .random)
    out.events.append(.controllerReady(controller, address: own, addressType: addressType))
    var advertiser = Advertiser(
      configuration.advertising, capabilities: controller.advertising,
      addressType: random == nil ? .publicDevice : .random, address: own)
    for (set, isOn) in advertisingWishes { _ = advertiser.setWanted(isOn, set: set) }
    if isShuttingDown { advertiser.stopAll() }
    let hasNone = advertiser.availableSets.isEmpty && !configuration.advertising.isEmpty
    self.advertiser = advertiser
    let reasons = reportAdvertising(into: &out)
    if hasNone { fail(.noAdvertising(reasons), into: &out) }
  }

  /// Hands on what the advertiser reports; returns why sets cannot be carried.
  @discardableResult
  mutating func reportAdvertising(into out: inout HostOutput) -> [String] {
    guard let events = advertiser?.events, !events.isEmpty else { return [] }
    advertiser?.events = []
    out.events += events.map { .advertising($0) }
    return events.compactMap { event in
      guard case .unavailable(let set, let reason) = event else { return nil }
      return "set \(set): \(reason)"
    }
  }

  /// Reports the first time that everything wanted is on the air, and the end of a shutdown.
  private mutating func reportSettled(into out: inout HostOutput) {
    guard let advertiser, advertiser.isSettled else { return }
    if isShuttingDown {
      if connections.isEmpty {
        hasStopped = true
        out.events.append(.stopped)
      }
    } else if !hasReportedReady {
      hasReportedReady = true
      commands.settled()
      bringUpFailures = 0
      incident = nil
      out.events.append(.advertisingReady(sets: advertiser.activeSets))
    }
  }

  mutating func fail(_ failure: ControllerFailure, into out: inout HostOutput) {
    guard !hasFailed else { return }
    hasFailed = true
    out.events.append(.controllerFailed(failure))
  }

  /// The controller does not answer.
  mutating func controllerFellSilent(_ remedy: CommandFlow.Remedy, at now: Instant, into out: inout HostOutput) {
    switch remedy {
    case .resetAgain(let resets):
      bringUpAgain()
      fillUp(after: resets, into: &out)
    case .restart(let reason): restart(reason, at: now, into: &out)
    case .giveUp(let failure): fail(failure, into: &out)
    }
  }

  /// A controller that grants commands out of the blue may have restarted. While it is brought up, or without links, it is
  /// brought up from the start, which costs nobody anything, unless it does so every time; with links it is asked for one of
  /// them first.
  private mutating func suspectRestart(at now: Instant, into out: inout HostOutput) {
    guard commands.isUp else {
      guard incident?.restarts ?? 0 < Self.promptRestarts else { return }
      return restart("it announced itself while it was brought up", at: now, into: &out)
    }
    guard let connection = connections.first else {
      return restart("it announced itself", at: now, into: &out)
    }
    commands.probe(connection.handle)
  }

  /// Brings the controller up again after a fault of its own: all links are gone.
  mutating func restart(_ reason: String, at now: Instant, into out: inout HostOutput) {
    let isHopeful = noteRestart(reason, at: now, into: &out)
    for connection in connections {
      linkEnded(connection.handle, reason: .hardwareFailure, at: now, into: &out)
    }
    bringUpAgain()
    if !isHopeful { fail(.unstable(reason), into: &out) }
  }

  mutating func bringUpAgain() {
    commands.bringUpAgain()
    hostBuffers.configure(count: 0)
    advertiser = nil
    watchDeadline = nil
    strangers = []
    isAlarmed = false
    questionsWorth = questionsWorth.filter(\.value)
    hasReportedReady = false
  }
}
