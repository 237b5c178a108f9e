import BLECore
import BLEGAP
import BLEHCI

/// How a host notices that its controller has restarted silently, or that an event was lost on the line: it asks for something
/// whose answer tells.
extension HostStack {
  /// Asks a controller that has been silent for long enough.
  mutating func watchController(at now: Instant) {
    guard let watchInterval, commands.isUp, !isShuttingDown else {
      watchDeadline = nil
      return
    }
    let due = lastHeard + watchInterval
    guard due <= now else {
      watchDeadline = due
      return
    }
    watchDeadline = now + watchInterval
    guard commands.isIdle else { return }
    looks &+= 1
    commands.add(question)
  }

  /// What tells whether the controller is as it was left. A restart forgets connections and the suggested data length; the
  /// address of an advertiser cannot be set while it is connectable and on the air (Core 5.4 Vol 4 Part E 7.8.4, 7.8.52). Any
  /// other command at least has to be answered.
  var question: any HCICommand {
    if let connection = connections.first {
      var probe = HCIReadRSSI()
      probe.connectionHandle = connection.handle
      return probe
    }
    if let command = addressQuestion, questionsWorth[type(of: command).opcode] != false { return command }
    if suggestedDataLength > 27, controller.commands.contains(.leReadSuggestedDefaultDataLength) {
      return LEReadSuggestedDefaultDataLength()
    }
    return HCIReadLocalVersionInformation()
  }

  /// Setting the address of a connectable set that is on the air, of one set after the other.
  private var addressQuestion: (any HCICommand)? {
    guard let address, addressType == .random, let handles = advertiser?.connectableHandles, !handles.isEmpty else {
      return nil
    }
    guard controller.advertising.usesExtendedCommands else {
      var command = LESetRandomAddress()
      command.address = address
      return command
    }
    var command = LESetAdvertisingSetRandomAddress()
    command.advertisingHandle = handles[looks % handles.count]
    command.address = address
    return command
  }

  /// What bring-up suggests for the data length.
  private var suggestedDataLength: Int {
    guard controller.features.contains(.dataPacketLengthExtension),
      controller.commands.contains(.leWriteSuggestedDefaultDataLength)
    else { return 0 }
    return min(configuration.connection.dataLength, controller.maximumDataLength)
  }

  /// Whether the answer to a question says that the controller has restarted, or was told something else on the line than we
  /// said. It is believed of controllers that have answered otherwise or are known to, because some take an address at any
  /// time, and when they say it twice, because an event that explains it may be on its way.
  mutating func hasForgotten(_ question: any HCICommand, _ parameters: Span<UInt8>) -> Bool {
    guard watchInterval != nil, connections.isEmpty, let isAsItWas = isAsItWas(question, parameters) else {
      isAlarmed = false
      return false
    }
    let opcode = type(of: question).opcode
    guard !isAsItWas, questionsWorth[opcode] ?? (refusesAddresses && !(question is LEReadSuggestedDefaultDataLength))
    else {
      questionsWorth[opcode] = isAsItWas
      isAlarmed = false
      return false
    }
    isAlarmed.toggle()
    if isAlarmed { commands.add(self.question) }
    return !isAlarmed
  }

  /// Whether the controller is one of those that are known to take no address for an advertiser on the air.
  private var refusesAddresses: Bool {
    controller.manufacturer == .zephyr || controller.manufacturer == .nimble
  }

  /// Whether the controller is as it was left, by the answer to a question; nil when it does not say.
  private func isAsItWas(_ question: any HCICommand, _ parameters: Span<UInt8>) -> Bool? {
    switch question {
    case is LEReadSuggestedDefaultDataLength:
      guard let answer = try? LEReadSuggestedDefaultDataLength.returned(parameters), answer.status == .success else {
        return nil
      }
      return Int(answer.maximumTxOctets) == suggestedDataLength
    case is LESetRandomAddress:
      guard parameters.count > 0, advertiser?.connectableHandles.isEmpty == false else { return nil }
      return parameters[0] == ErrorCode.commandDisallowed.rawValue
    case let command as LESetAdvertisingSetRandomAddress:
      guard parameters.count > 0, advertiser?.connectableHandles.contains(command.advertisingHandle) == true else {
        return nil
      }
      return parameters[0] == ErrorCode.commandDisallowed.rawValue
    default: return nil
    }
  }

  /// Data has come for a connection that is not known: its beginning was lost on the line, or its end came before the last of
  /// its data. The controller is told to end it, whose central gets no answers, and the answer says which it was.
  mutating func strangerSpoke(_ handle: ConnectionHandle, into out: inout HostOutput) {
    guard !strangers.contains(handle) else { return }
    if watchInterval != nil, commands.isUp {
      strangers.insert(handle)
      disconnect(handle, reason: .remoteUserTerminatedConnection)
    }
    noteDisturbance(.unknownConnection(handle), into: &out)
  }

  /// The controller has said whether it has that connection. What else was lost with its beginning is not known, so without
  /// other links everything begins anew.
  mutating func strangerAnswered(
    _ handle: ConnectionHandle, _ parameters: Span<UInt8>, at now: Instant, into out: inout HostOutput
  ) {
    guard parameters.count > 0, parameters[0] == ErrorCode.success.rawValue else {
      strangers.remove(handle)
      return
    }
    if connections.isEmpty { restart("it has a connection that it had not told of", at: now, into: &out) }
  }

  /// A connection has ended that is not known.
  mutating func strangerLeft(_ handle: ConnectionHandle, at now: Instant, into out: inout HostOutput) {
    if strangers.remove(handle) == nil { noteDisturbance(.unknownConnection(handle), into: &out) }
    guard watchInterval != nil, commands.isUp else { return }
    if connections.isEmpty {
      restart("it ended a connection that it had not told of", at: now, into: &out)
    } else {
      // That connection has ended legacy advertising.
      advertiser?.connected()
      reportAdvertising(into: &out)
    }
  }

  /// Gives a controller the rest of the packet that it may be waiting for, because a length was damaged on the line: octets
  /// that begin no packet, as many as a command has at most, and more with each reset that is not answered. Controllers pass over those that they do not
  /// need.
  func fillUp(after resets: Int, into out: inout HostOutput) {
    guard watchInterval != nil, resets > 1 else { return }
    out.octets.append(Array(repeating: 0, count: min(4096, (resets - 1) * (3 + 255))))
  }
}
