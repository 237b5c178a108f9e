import BLECore
import BLEHCI
import Capture

extension PacketDecoder {
  /// Processes a packet that starts with its H4 type.
  mutating func receiveHCI(_ octets: Span<UInt8>, _ summary: inout PacketSummary) {
    summary.pdu = .record(0..<octets.count)
    guard octets.count > 0 else {
      summary.fault = .malformed
      return
    }
    switch H4PacketType(rawValue: octets[0]) {
    case .command: receiveCommand(octets, &summary)
    case .event: receiveEvent(octets, &summary)
    case .acl: receiveACL(octets, &summary)
    case .sync:
      receiveData(.sco, headLength: 4, octets, &summary)
      if octets.count >= 4, octets.count != 4 + Int(octets[3]) { summary.fault = .malformed }
    case .iso: receiveData(.iso, headLength: 5, octets, &summary)
    default: break
    }
  }

  private func receiveData(
    _ layer: PacketLayer, headLength: Int, _ octets: Span<UInt8>, _ summary: inout PacketSummary
  ) {
    summary.layer = layer
    guard octets.count >= headLength else {
      summary.fault = .malformed
      return
    }
    tellLink(octets.word(1), &summary)
    summary.value = headLength..<octets.count
  }

  private mutating func receiveCommand(_ octets: Span<UInt8>, _ summary: inout PacketSummary) {
    summary.layer = .command
    guard octets.count >= 4, octets.count == 4 + Int(octets[3]) else {
      if octets.count >= 3 { summary.opcode = octets.word(1) }
      summary.fault = .malformed
      return
    }
    let opcode = octets.word(1)
    summary.opcode = opcode
    if Self.hasHandle(opcode), octets.count >= 6 {
      summary.handle = octets.word(4) & 0x0FFF
      if let place = knownLink(Self.key(source: summary.source, handle: summary.handle ?? 0)) {
        summary.address = links[place].address
      }
    } else if opcode < 0x0C80, octets.count >= 10, Self.hasAddress(opcode) {
      summary.address = octets.address(4)
    }
    if commands.count >= Self.commandLimit { commands.removeAll() }
    commands[UInt64(summary.source) << 16 | UInt64(opcode)] = (summary.number, summary.nanoseconds)
  }

  /// Returns whether the parameters of a command start with a connection handle.
  private static func hasHandle(_ opcode: UInt16) -> Bool {
    switch opcode {
    case 0x0406, 0x040F, 0x0411, 0x0413, 0x0415, 0x041B...0x041D, 0x041F, 0x0428, 0x043D, 0x0801, 0x0803, 0x0804,
      0x0807, 0x0809, 0x080C, 0x080D, 0x0810, 0x0811, 0x0C08, 0x0C27, 0x0C28, 0x0C2D, 0x0C36, 0x0C37, 0x0C53, 0x0C5F,
      0x0C7B, 0x0C7C, 0x1401...0x1403, 0x1405...0x1408, 0x2013, 0x2015, 0x2016, 0x2019, 0x201A, 0x201B, 0x2020, 0x2021,
      0x2022, 0x2030, 0x2032:
      true
    default: false
    }
  }

  /// Returns whether the parameters of a command of BR/EDR start with the peer's address.
  private static func hasAddress(_ opcode: UInt16) -> Bool {
    switch opcode {
    case 0x0405, 0x0408...0x040E, 0x0419, 0x041A, 0x0429...0x0434, 0x043E, 0x0445, 0x080B, 0x0C0D, 0x0C12, 0x0C60: true
    default: false
    }
  }

  private mutating func receiveEvent(_ octets: Span<UInt8>, _ summary: inout PacketSummary) {
    summary.layer = .event
    guard octets.count >= 3, octets.count == 3 + Int(octets[2]) else {
      if octets.count >= 2 { summary.opcode = UInt16(octets[1]) }
      summary.fault = .malformed
      return
    }
    let code = EventCode(rawValue: octets[1])
    summary.opcode = UInt16(octets[1])
    let parameters = octets.extracting(3...)
    switch code {
    case .leMeta: receiveMeta(parameters, &summary)
    case .commandComplete where parameters.count >= 3:
      summary.status = parameters.count > 3 ? parameters[3] : nil
      answer(parameters.word(1), &summary)
    case .commandStatus where parameters.count >= 4:
      summary.status = parameters[0]
      answer(parameters.word(2), &summary)
    case .numberOfCompletedPackets:
      if parameters.count >= 3 { tellLink(parameters.word(1), &summary) }
    case .disconnectionComplete where parameters.count >= 4:
      summary.status = parameters[0]
      tellLink(parameters.word(1), &summary)
      if parameters[0] == 0 { end(Self.key(source: summary.source, handle: parameters.word(1) & 0x0FFF)) }
    case .encryptionChange, .encryptionChangeV2, .encryptionKeyRefreshComplete:
      guard parameters.count >= 3 else { break }
      summary.status = parameters[0]
      tellLink(parameters.word(1), &summary)
      if parameters[0] == 0, let place = knownLink(Self.key(source: summary.source, handle: summary.handle ?? 0)) {
        concludePairing(on: place)
      }
    case .readRemoteVersionInformationComplete:
      guard parameters.count >= 3 else { break }
      summary.status = parameters[0]
      tellLink(parameters.word(1), &summary)
    case .authenticatedPayloadTimeoutExpired:
      if parameters.count >= 2 { tellLink(parameters.word(0), &summary) }
    default: receiveClassicEvent(code, parameters, &summary)
    }
  }

  /// Processes an event of BR/EDR: status, handle and address at their places (Core 5.4 Vol 4 Part E 7.7).
  private mutating func receiveClassicEvent(
    _ code: EventCode, _ parameters: Span<UInt8>, _ summary: inout PacketSummary
  ) {
    switch code {
    case .connectionComplete, .synchronousConnectionComplete:
      guard parameters.count >= 9 else { break }
      summary.status = parameters[0]
      summary.handle = parameters.word(1) & 0x0FFF
      summary.address = parameters.address(3)
      guard parameters[0] == 0 else { break }
      begin(
        Self.key(source: summary.source, handle: summary.handle ?? 0), source: summary.source,
        address: summary.address, isOnAir: false)
    case .authenticationComplete, .changeConnectionLinkKeyComplete, .linkKeyTypeChanged,
      .readRemoteSupportedFeaturesComplete, .qosSetupComplete, .modeChange, .readClockOffsetComplete,
      .connectionPacketTypeChanged, .readRemoteExtendedFeaturesComplete, .synchronousConnectionChanged, .sniffSubrating:
      guard parameters.count >= 3 else { break }
      summary.status = parameters[0]
      tellLink(parameters.word(1), &summary)
    case .flushOccurred, .maxSlotsChange, .qosViolation, .linkSupervisionTimeoutChanged, .enhancedFlushComplete:
      if parameters.count >= 2 { tellLink(parameters.word(0), &summary) }
    case .remoteNameRequestComplete, .roleChange, .simplePairingComplete:
      guard parameters.count >= 7 else { break }
      summary.status = parameters[0]
      summary.address = parameters.address(1)
    case .inquiryComplete: if parameters.count >= 1 { summary.status = parameters[0] }
    case .inquiryResult, .inquiryResultWithRSSI, .extendedInquiryResult:
      if parameters.count >= 7 { summary.address = parameters.address(1) }
    case .connectionRequest, .pinCodeRequest, .linkKeyRequest, .linkKeyNotification, .pageScanRepetitionModeChange,
      .ioCapabilityRequest, .ioCapabilityResponse, .userConfirmationRequest, .userPasskeyRequest,
      .remoteOOBDataRequest, .userPasskeyNotification, .keypressNotification, .remoteHostSupportedFeaturesNotification:
      if parameters.count >= 6 { summary.address = parameters.address(0) }
    default: break
    }
  }

  private mutating func answer(_ opcode: UInt16, _ summary: inout PacketSummary) {
    summary.command = opcode
    let key = UInt64(summary.source) << 16 | UInt64(opcode)
    guard let (number, nanoseconds) = commands.removeValue(forKey: key) else { return }
    summary.request = number
    summary.latency = summary.nanoseconds.elapsed(since: nanoseconds)
  }

  private func tellLink(_ handle: UInt16, _ summary: inout PacketSummary) {
    summary.handle = handle & 0x0FFF
    if let place = knownLink(Self.key(source: summary.source, handle: handle & 0x0FFF)) {
      summary.address = links[place].address
    }
  }

  private mutating func receiveMeta(_ parameters: Span<UInt8>, _ summary: inout PacketSummary) {
    guard parameters.count > 0 else {
      summary.fault = .malformed
      return
    }
    summary.opcode = 0x3E00 | UInt16(parameters[0])
    switch LESubevent(rawValue: parameters[0]) {
    case .leConnectionComplete, .leEnhancedConnectionComplete, .leEnhancedConnectionCompleteV2:
      guard parameters.count >= 12 else { break }
      summary.status = parameters[1]
      summary.handle = parameters.word(2) & 0x0FFF
      let address = parameters.address(6)
      summary.address = address
      if parameters[1] == 0 {
        begin(
          Self.key(source: summary.source, handle: summary.handle ?? 0), source: summary.source, address: address,
          isOnAir: false)
      }
    case .leConnectionUpdateComplete, .leReadRemoteFeaturesComplete, .lePHYUpdateComplete:
      guard parameters.count >= 4 else { break }
      summary.status = parameters[1]
      tellLink(parameters.word(2), &summary)
    case .leLongTermKeyRequest, .leRemoteConnectionParameterRequest, .leDataLengthChange, .leChannelSelectionAlgorithm:
      if parameters.count >= 3 { tellLink(parameters.word(1), &summary) }
    case .leAdvertisingReport, .leDirectedAdvertisingReport:
      if parameters.count >= 10 { summary.address = parameters.address(4) }
    case .leExtendedAdvertisingReport:
      if parameters.count >= 11 { summary.address = parameters.address(5) }
    case .leAdvertisingSetTerminated:
      guard parameters.count >= 5 else { break }
      summary.status = parameters[1]
      if parameters[1] == 0 { tellLink(parameters.word(3), &summary) }
    case .leReadLocalP256PublicKeyComplete, .leGenerateDHKeyComplete:
      if parameters.count >= 2 { summary.status = parameters[1] }
    default: break
    }
  }
}

extension Span<UInt8> {
  /// Returns a little-endian integer. Its octets must exist.
  func word(_ offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }

  /// Returns the six octets of an address, least significant first. They must exist.
  func address(_ offset: Int) -> UInt64 {
    var bits: UInt64 = 0
    for place in stride(from: offset + 5, through: offset, by: -1) { bits = bits << 8 | UInt64(self[place]) }
    return bits
  }

  /// Returns a copy of the existing octets from `start` on. `start` may be past the end.
  func array(from start: Int, atMost limit: Int = .max) -> [UInt8] {
    let rest = extracting(Swift.min(Swift.max(start, 0), count)...)
    return rest.extracting(first: Swift.min(Swift.max(limit, 0), rest.count)).withUnsafeBufferPointer { Array($0) }
  }
}
