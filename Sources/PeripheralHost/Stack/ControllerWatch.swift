import BLECore
import BLEGAP
import BLEHCI

/// How a host notices that its controller has restarted silently, or that an event was lost on the line: it asks for something
/// whose answer tells.
extension HostStack {
  /// Asks a controller that has been silent for long enough.
  mutating func watchController(at now: Instant) {
    guard let watchInterval, bringUp.isDone, !isShuttingDown else {
      watchDeadline = nil
      return
    }
    let due = lastHeard + watchInterval
    guard due <= now else {
      watchDeadline = due
      return
    }
    watchDeadline = now + watchInterval
    guard currentCommand == nil, pendingCommands.isEmpty else { return }
    pendingCommands.append(question)
  }

  /// A connection is forgotten by a restart, and so is the suggested data length; the random address cannot be set while
  /// legacy advertising is on (Core 5.4 Vol 4 Part E 7.8.4). Any other command at least has to be answered.
  private var question: any HCICommand {
    if let connection = connections.first {
      var probe = HCIReadRSSI()
      probe.connectionHandle = connection.handle
      return probe
    }
    if suggestedDataLength > 27, controller.commands.contains(.leReadSuggestedDefaultDataLength) {
      return LEReadSuggestedDefaultDataLength()
    }
    if isAdvertisingLegacy, let address, addressType == .random {
      var command = LESetRandomAddress()
      command.address = address
      return command
    }
    return HCIReadLocalVersionInformation()
  }

  /// What bring-up suggests for the data length.
  private var suggestedDataLength: Int {
    guard controller.features.contains(.dataPacketLengthExtension),
      controller.commands.contains(.leWriteSuggestedDefaultDataLength)
    else { return 0 }
    return min(configuration.connection.dataLength, controller.maximumDataLength)
  }

  private var isAdvertisingLegacy: Bool { !controller.advertising.usesExtendedCommands && !activeSets.isEmpty }

  /// Whether the answer to a question says that the controller has restarted. It is believed once the controller has answered
  /// otherwise: some take a random address at any time.
  mutating func hasForgotten(_ question: any HCICommand, _ parameters: Span<UInt8>) -> Bool {
    guard watchInterval != nil else { return false }
    let isAsItWas: Bool
    switch question {
    case is LEReadSuggestedDefaultDataLength:
      guard let answer = try? LEReadSuggestedDefaultDataLength.returned(parameters), answer.status == .success else {
        return false
      }
      isAsItWas = Int(answer.maximumTxOctets) == suggestedDataLength
    case is LESetRandomAddress:
      guard parameters.count > 0, isAdvertisingLegacy else { return false }
      isAsItWas = parameters[0] == ErrorCode.commandDisallowed.rawValue
    default: return false
    }
    if isAsItWas { isWatchBorneOut = true }
    return isWatchBorneOut && !isAsItWas
  }

  /// A link has ended whose beginning was lost on the line. What else was lost is not known.
  mutating func unknownLinkEnded(at now: Instant, into out: inout HostOutput) {
    guard watchInterval != nil, bringUp.isDone else { return }
    if connections.isEmpty {
      restart("it ended a connection that it had not told of", at: now, into: &out)
    } else {
      // That connection has ended legacy advertising.
      advertiser?.connected()
      reportAdvertising(into: &out)
    }
  }

  /// Data has come for a link whose beginning was lost on the line. The central gets no answers, so it is let go.
  mutating func unknownLinkSpoke(_ handle: ConnectionHandle) {
    guard watchInterval != nil, bringUp.isDone else { return }
    guard !pendingCommands.contains(where: { ($0 as? HCIDisconnect)?.connectionHandle == handle }),
      (currentCommand?.command as? HCIDisconnect)?.connectionHandle != handle
    else { return }
    disconnect(handle, reason: .remoteUserTerminatedConnection)
  }

  /// Gives a controller the rest of the packet that it may be waiting for, because a length was damaged on the line: octets
  /// that begin no packet, as many as a command has at most, and more each time. Controllers pass over those that they do not
  /// need.
  func fillUp(into out: inout HostOutput) {
    guard watchInterval != nil else { return }
    out.octets.append(Array(repeating: 0, count: min(4096, (resetsWithoutAnswer - 1) * (3 + 255))))
  }
}
