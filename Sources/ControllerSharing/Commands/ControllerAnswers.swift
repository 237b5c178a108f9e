import BLECore
import BLEHCI

extension SharedController {
  /// The time limit for the command in progress when the controller seems to have restarted.
  private static var suspiciousLimit: Duration { .milliseconds(100) }

  /// Processes an event about commands, and passes it to the host that sent the command.
  mutating func receiveAnswer(
    _ event: EventPacket, in packet: Span<UInt8>, at now: Instant, into line: inout OctetBuffer
  ) {
    switch queue.receive(event, in: packet) {
    case .complete(let opcode, let place):
      let returned = Array(packet.extracting(place).h4(.event).dropFirst())
      answered(returned, at: now, into: &line) { returned in
        HCICommandComplete { event in
          event.opcode = opcode
          event.returnParameters = returned
        }.h4
      }
    case .status(let opcode, let status):
      answered([status.rawValue], at: now, into: &line) { _ in HCICommandStatus(opcode, status).h4 }
    case .granted: queue.send(into: &line, at: now)
    case .unexplainedGrant:
      // A controller that announces that it accepts commands has restarted. A host with connections first asks about one of them.
      isSuspect = true
      queue.expectAnswer(by: now + Self.suspiciousLimit)
      tellAll(packet.h4(.event))
    case .unexpected, .malformed, nil: break
    }
  }

  /// Processes the answer to the command in progress. `returned` are its return parameters, status included. `event` creates the answer
  /// for a host. It always permits another command, because the commands are queued here.
  private mutating func answered(
    _ returned: [UInt8], at now: Instant, into line: inout OctetBuffer, event: ([UInt8]) -> [UInt8]
  ) {
    guard let ended = current else { return }
    current = nil
    isOnLastChance = false
    let status = ErrorCode(rawValue: returned.first ?? ErrorCode.unspecifiedError.rawValue)
    if ended.command.opcode == .reset { return resetAnswered(status, event(returned)) }
    learn(ended, status, returned)
    if ended.isInternal, status == .unknownAdvertisingIdentifier {
      // A set does not disappear by itself, so the controller has restarted.
      return resetController(at: now, into: &line)
    }
    guard let seat = ended.asker else { return }
    guard status == .success else { return answer(seat, event(returned)) }
    lack = nil
    let rewritten = rewrite(returned, to: ended.command.opcode, for: seat) ?? returned
    if doubts(ended.command.opcode) {
      hosts[seat].waiting.insert(ended.command, at: 0)
    } else {
      answer(seat, event(rewritten))
    }
  }

  /// Gives a host the answer to its command, even if a fault event precedes it.
  private mutating func answer(_ seat: Seat, _ event: [UInt8]) { hosts[seat].output += event }

  /// Returns whether to repeat the command, because the controller seems to lack something: the line may have damaged the answer. The
  /// same result twice in a row is final.
  private mutating func doubts(_ opcode: CommandOpcode) -> Bool {
    guard let lack else {
      doubt[opcode] = nil
      return false
    }
    guard doubt[opcode] != lack else {
      refusal = SharingRefusal(hosts: hosts.count, lack: lack)
      return false
    }
    doubt[opcode] = lack
    return true
  }

  /// Records what an answer says about sets and connections, and about whether the controller has restarted.
  private mutating func learn(_ ended: CommandUnderWay, _ status: ErrorCode, _ returned: [UInt8]) {
    switch ended.command.opcode {
    case .leSetExtendedAdvertisingParameters where status != .success && ended.makesSet,
      .leRemoveAdvertisingSet where status == .success || ended.isInternal:
      sets.removeAll { $0.handle == ended.advertisingHandle }
    case .disconnect where status != .success && ended.isInternal:
      let parameters = ended.command.packet.span.extracting(HostCommand.parameters...)
      guard let command = try? HCIDisconnect.decodePrefix(of: parameters).value else { break }
      links.removeAll { $0.handle == command.connectionHandle && $0.owner == .nobody }
    case .leReadPHY where status == .success:
      // A controller that has just started may answer for a link that it does not have, but without a PHY.
      let phy = try? LEReadPHY.returned(returned.span).txPHY
      if let phy, phy != .none { isSuspect = false }
    default: break
    }
  }

  /// Returns the return parameters for a host where they differ from those of the whole controller; nil if they do not.
  private mutating func rewrite(_ returned: [UInt8], to opcode: CommandOpcode, for seat: Seat) -> [UInt8]? {
    do throws(LayoutFault) {
      switch opcode {
      case .readLocalSupportedCommands:
        var answer = try HCIReadLocalSupportedCommands.returned(returned.span)
        if let missing = CommandOpcode.neededForSharing.first(where: { !answer.supportedCommands.contains($0) }) {
          lack = .extendedAdvertising(missing)
        }
        let shared = answer.supportedCommands.known.filter { $0.sharing != .unknown || $0 == .reset }
        answer.supportedCommands = SupportedCommands(shared)
        return answer.encoded
      case .leReadLocalSupportedFeatures:
        let answer = try LEReadLocalSupportedFeatures.returned(returned.span)
        if !answer.features.contains(.extendedAdvertising) { lack = .extendedAdvertising(nil) }
        return nil
      case .leReadBufferSize:
        var answer = try LEReadBufferSize.returned(returned.span)
        answer.totalACLDataPackets = UInt8(clamping: share(of: Int(answer.totalACLDataPackets), for: seat))
        return answer.encoded
      case .leReadBufferSizeV2:
        var answer = try LEReadBufferSizeV2.returned(returned.span)
        answer.totalACLDataPackets = UInt8(clamping: share(of: Int(answer.totalACLDataPackets), for: seat))
        return answer.encoded
      case .readBufferSize:
        var answer = try HCIReadBufferSize.returned(returned.span)
        answer.totalACLDataPackets = UInt16(clamping: share(of: Int(answer.totalACLDataPackets), for: seat))
        return answer.encoded
      case .leReadNumberOfSupportedAdvertisingSets:
        var answer = try LEReadNumberOfSupportedAdvertisingSets.returned(returned.span)
        let needed = hosts.reduce(0) { $0 + $1.setsNeeded }
        if Int(answer.count) < needed { lack = .advertisingSets(Int(answer.count), needed: needed) }
        answer.count = UInt8(clamping: hosts[seat].setsNeeded)
        return answer.encoded
      case .leReadSuggestedDefaultDataLength:
        let answer = try LEReadSuggestedDefaultDataLength.returned(returned.span)
        return settings.suggestion(answer, for: seat).encoded
      default: return nil
      }
    } catch {
      // The host notices by itself that the answer does not fit.
      return nil
    }
  }

  // MARK: - Buffers

  /// Returns a host's share of the controller's buffers. All shares are equal, and the first hosts get what is left over. A count of zero
  /// means that another command reports the buffers.
  private mutating func share(of count: Int, for seat: Seat) -> Int {
    guard count > 0 else { return 0 }
    bufferCount = count
    if count < hosts.count { lack = .buffers(count) }
    return share(of: seat)
  }

  /// Returns a host's share of the controller's buffers.
  func share(of seat: Seat) -> Int {
    bufferCount / hosts.count + (seat < bufferCount % hosts.count ? 1 : 0)
  }
}
