import BLECore
import BLEGAP
import BLEGATT
import BLEHCI

extension HostStack {
  /// Sends the next command of whoever has one: bring-up before everything, then the links', then advertising.
  mutating func sendNextCommand(at now: Instant, into out: inout HostOutput) {
    guard !isOver, currentCommand == nil, bringUpDue == nil, let next = nextCommand(into: &out) else { return }
    currentCommand = next
    queue.enqueue(next.command)
    queue.send(into: &out.octets, at: now)
  }

  private mutating func nextCommand(
    into out: inout HostOutput
  ) -> (command: any HCICommand, origin: CommandOrigin)? {
    if !bringUp.isDone {
      return bringUp.nextCommand().map { ($0, .bringUp) }
    }
    if !pendingCommands.isEmpty { return (pendingCommands.removeFirst(), .stack) }
    if let command = advertiser?.nextCommand() { return (command, .advertiser) }
    reportSettled(into: &out)
    return nil
  }

  /// Takes an event that is about commands; false when it is about something else.
  mutating func receiveAnswer(
    _ event: EventPacket, in packet: Span<UInt8>, at now: Instant, into out: inout HostOutput
  ) -> Bool {
    guard let answer = queue.receive(event, in: packet) else { return false }
    switch answer {
    case .complete(_, let parameters): answered(packet.extracting(parameters), at: now, into: &out)
    case .status(_, let status):
      // A refusal by Command Status says as much as one by Command Complete.
      answered([status.rawValue].span, at: now, into: &out)
    case .granted: queue.send(into: &out.octets, at: now)
    case .unexplainedGrant: suspectRestart(at: now, into: &out)
    case .unexpected(.hostNumberOfCompletedPackets): returnAnswered(event, in: packet, into: &out)
    case .unexpected where isResetting: break
    case .unexpected(let opcode): noteDisturbance(.unexpectedAnswer(opcode), into: &out)
    case .malformed: noteDisturbance(.malformedEvent(code: event.code.rawValue), into: &out)
    }
    return true
  }

  /// Whether the controller has been told to reset and has not answered. What it says before it was said before the reset
  /// (Core 5.4 Vol 4 Part E 7.3.2), perhaps to another host.
  var isResetting: Bool { queue.outstanding == .reset }

  /// The one command without an answer was answered, which it is only when it was wrong (Core 5.4 Vol 4 Part E 7.3.40).
  private mutating func returnAnswered(_ event: EventPacket, in packet: Span<UInt8>, into out: inout HostOutput) {
    // The status stands behind the opcode of Command Complete, and first in Command Status (7.7.14, 7.7.15).
    let place = event.parameters.lowerBound + (event.code == .commandComplete ? 3 : 0)
    let status = place < packet.count ? ErrorCode(rawValue: packet[place]) : .unspecifiedError
    switch status {
    case .success: break
    // Bumble's controller has flow control switched on and does not count.
    case .unknownHCICommand: hostBuffers.configure(count: 0)
    default:
      if !hostBuffers.refused() { noteDisturbance(.unexpectedAnswer(.hostNumberOfCompletedPackets), into: &out) }
    }
  }

  private mutating func answered(_ parameters: Span<UInt8>, at now: Instant, into out: inout HostOutput) {
    guard let (command, origin) = currentCommand else { return }
    currentCommand = nil
    switch origin {
    case .bringUp:
      resetsWithoutAnswer = 0
      bringUp.answered(command, parameters)
      if let failure = bringUp.failure { bringUpFailed(failure, at: now, into: &out) }
      if bringUp.isDone {
        watchDeadline = watchInterval.map { now + $0 }
        controllerIsUp(into: &out)
      }
    case .advertiser:
      advertiser?.answered(command, parameters, at: now)
      let refused = advertiser?.events.compactMap { if case .refused(let set, _, _) = $0 { set } else { nil } }.first
      reportAdvertising(into: &out)
      if let refused { advertisingRefused(refused, at: now, into: &out) }
    case .stack:
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
    lineAnswered(into: &out)
  }

  /// A refusal may be the answer to a command that the line has damaged, and is the end only when it comes again and again.
  private mutating func bringUpFailed(_ failure: ControllerFailure, at now: Instant, into out: inout HostOutput) {
    bringUpFailures += 1
    guard watchInterval != nil, bringUpFailures < 3 else { return fail(failure, into: &out) }
    restart("\(failure)", at: now, into: &out)
  }

  /// The same for a set: without links everything begins anew, because more than this command may be damaged.
  private mutating func advertisingRefused(_ set: String, at now: Instant, into out: inout HostOutput) {
    guard watchInterval != nil, bringUpFailures < 2 else { return }
    bringUpFailures += 1
    if connections.isEmpty {
      restart("it refused the advertising set \(set)", at: now, into: &out)
    } else {
      _ = advertiser?.setWanted(true, set: set)
    }
  }

  /// The controller has answered everything: data may flow, and advertising begins.
  private mutating func controllerIsUp(into out: inout HostOutput) {
    controller = bringUp.profile
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
      silences = 0
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

  /// A reset that is not answered is tried once more: the first one may have been the tail of a packet that a program before us
  /// left half-sent. Any other silence is answered with a reset, unless the controller falls silent again and again before it is on
  /// the air.
  mutating func commandTimedOut(_ timeout: CommandTimeout, at now: Instant, into out: inout HostOutput) {
    let opcode =
      switch timeout {
      case .noAnswer(let opcode), .noGrant(let opcode): opcode
      }
    guard opcode == .reset else {
      silences += 1
      guard silences <= resetAttempts else { return fail(.silent(opcode, after: queue.timeout), into: &out) }
      return restart("it did not answer \(opcode)", at: now, into: &out)
    }
    resetsWithoutAnswer += 1
    guard resetsWithoutAnswer < resetAttempts else {
      return fail(.silent(opcode, after: queue.timeout * resetsWithoutAnswer), into: &out)
    }
    bringUpAgain()
    if resetsWithoutAnswer > 1 { fillUp(into: &out) }
  }

  /// How long a command may take that was under way when the controller seemed to restart.
  static var suspiciousLimit: Duration { .milliseconds(100) }

  /// A controller that grants commands out of the blue may have restarted. While it is brought up, or without links, it is
  /// brought up from the start, which costs nobody anything, unless it does so every time; with links it is asked for one of
  /// them first.
  private mutating func suspectRestart(at now: Instant, into out: inout HostOutput) {
    guard bringUp.isDone else {
      guard incident?.restarts ?? 0 < Self.promptRestarts else { return }
      return restart("it announced itself while it was brought up", at: now, into: &out)
    }
    queue.expectAnswer(by: now + Self.suspiciousLimit)
    guard let connection = connections.first else {
      return restart("it announced itself", at: now, into: &out)
    }
    guard !pendingCommands.contains(where: { $0 is HCIReadRSSI }) else { return }
    var probe = HCIReadRSSI()
    probe.connectionHandle = connection.handle
    pendingCommands.append(probe)
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
    queue.reset()
    hostBuffers.configure(count: 0)
    currentCommand = nil
    pendingCommands = []
    advertiser = nil
    watchDeadline = nil
    strangers = []
    isAlarmed = false
    questionsWorth = questionsWorth.filter(\.value)
    hasReportedReady = false
    bringUp = BringUp(configuration.bringUp)
  }
}
