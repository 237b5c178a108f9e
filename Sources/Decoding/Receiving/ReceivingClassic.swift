import BLECore
import BLEL2CAP
import BLESDP
import Capture

/// Connection-oriented channels of BR/EDR, and the protocols on them.
extension PacketDecoder {
  /// Processes the payload of a frame on a channel of BR/EDR. `summary.pdu` starts with it.
  mutating func receiveClassic(
    _ payload: Span<UInt8>, _ frames: ClassicFrames, _ key: UInt32, on place: Int, _ summary: inout PacketSummary
  ) {
    guard frames.hasControl else { return receiveClassicSDU(payload, key, on: place, &summary) }
    if frames.isExtended {
      receiveControlled(ControlledHead<ExtendedControl>.self, payload, frames, key, on: place, &summary)
    } else {
      receiveControlled(ControlledHead<EnhancedControl>.self, payload, frames, key, on: place, &summary)
    }
  }

  /// Processes an I-frame or S-frame.
  private mutating func receiveControlled<Control: FrameControl>(
    _: ControlledHead<Control>.Type, _ payload: Span<UInt8>, _ frames: ClassicFrames, _ key: UInt32, on place: Int,
    _ summary: inout PacketSummary
  ) {
    let tail = frames.hasCheck ? FrameCheckSequence.octetCount : 0
    guard payload.count >= tail,
      let (head, size) = try? ControlledHead<Control>.decodePrefix(of: payload.extracting(..<(payload.count - tail)))
    else {
      summary.fault = .malformed
      return
    }
    guard head.control.isInformation else { return }
    let content = payload.extracting(size..<(payload.count - tail))
    guard head.control.segment != .unsegmented else {
      enter(size, leaving: tail, &summary)
      return receiveClassicSDU(content, key, on: place, &summary)
    }
    assemble(content, head.control.segment, Int(head.sduLength), key, on: place, &summary)
  }

  /// Adds a segment to its SDU (Core 5.4 Vol 3 Part A 3.3.2), and processes the SDU when it is complete.
  private mutating func assemble(
    _ content: Span<UInt8>, _ segment: FrameSegment, _ sduLength: Int, _ key: UInt32, on place: Int,
    _ summary: inout PacketSummary
  ) {
    guard var channel = links[place].channels.removeValue(forKey: key) else { return }
    links[place].sduOctets -= channel.sdu.count
    if segment == .start {
      channel.sdu = content.array(from: 0)
      channel.sduLength = sduLength
    } else {
      channel.sdu += content.array(from: 0)
    }
    var whole: [UInt8]?
    if segment == .end || links[place].sduOctets + channel.sdu.count > LinkState.sduLimit {
      if segment == .end, channel.sdu.count == channel.sduLength {
        whole = channel.sdu
      } else {
        summary.fault = .recombination
      }
      channel.sdu = []
    }
    links[place].sduOctets += channel.sdu.count
    links[place].channels[key] = channel
    guard let whole else { return }
    summary.pdu = .assembled(whole)
    receiveClassicSDU(whole.span, key, on: place, &summary)
  }

  /// Processes an SDU by the protocol of its channel.
  private mutating func receiveClassicSDU(
    _ sdu: Span<UInt8>, _ key: UInt32, on place: Int, _ summary: inout PacketSummary
  ) {
    guard let channel = links[place].channels[key] else { return }
    guard let classic = channel.classic else {
      summary.opcode = channel.psm
      return
    }
    if classic == .att { return receiveATT(sdu, bearer: channel.bearer, on: place, &summary) }
    summary.layer = classic.layer
    summary.value = 0..<0
    guard sdu.count > 0 else {
      summary.fault = .malformed
      return
    }
    switch classic {
    case .sdp: receiveSDP(sdu, key, channel.bearer, on: place, &summary)
    case .avdtp: receiveAVDTP(sdu, channel.bearer, on: place, &summary)
    case .media:
      summary.opcode = ClassicOpcode.media
      summary.value = min(12, sdu.count)..<sdu.count
    case .avctp: receiveAVCTP(sdu, channel.bearer, on: place, &summary)
    case .avctpBrowsing:
      receiveAVCTP(sdu, channel.bearer, on: place, &summary)
      summary.opcode = ClassicOpcode.browsing | (sdu.count > 3 ? UInt16(sdu[3]) : 0)
    case .rfcomm:
      summary.opcode = sdu.count > 1 ? UInt16(sdu[1] & ~RFCOMMTree.poll) : 0
      if sdu.count < 4 { summary.fault = .malformed }
    case .hid: summary.opcode = UInt16(sdu[0] >> 4)
    case .bnep: summary.opcode = UInt16(sdu[0] & 0x7F)
    case .att, .eatt: break
    }
  }

  // MARK: Transactions

  /// Notes a request, or matches a response with its request.
  private mutating func match(
    _ transaction: UInt16, isResponse: Bool, isFinal: Bool = true, _ bearer: UInt32, on place: Int,
    _ summary: inout PacketSummary
  ) {
    func key(_ asker: PacketSender) -> UInt64 {
      UInt64(bearer) << 32 | UInt64(asker.rawValue) << 16 | UInt64(transaction)
    }
    guard isResponse else {
      if links[place].transactions.count >= LinkState.requestLimit { links[place].transactions.removeAll() }
      links[place].transactions[key(summary.sender)] = (summary.number, summary.nanoseconds)
      return
    }
    let asked = key(summary.sender.other)
    guard let request = links[place].transactions[asked] else {
      summary.fault = .unexpectedResponse
      return
    }
    if isFinal { links[place].transactions[asked] = nil }
    summary.request = request.number
    summary.latency = summary.nanoseconds.elapsed(since: request.nanoseconds)
  }

  private mutating func receiveSDP(
    _ pdu: Span<UInt8>, _ key: UInt32, _ bearer: UInt32, on place: Int, _ summary: inout PacketSummary
  ) {
    summary.opcode = UInt16(pdu[0])
    let head = SDPHeader.octetCount
    guard let header = try? SDPHeader.decodePrefix(of: pdu).value, pdu.count == head + Int(header.length) else {
      summary.fault = .malformed
      return
    }
    let parameters = pdu.extracting(head...)
    match(header.transaction, isResponse: header.id.rawValue & 1 == 1, bearer, on: place, &summary)
    switch header.id {
    case .errorResponse:
      summary.status = (try? SDPErrorResponse(decoding: parameters)).map { UInt8(clamping: $0.error.rawValue) }
    case .serviceAttributeRequest, .serviceSearchAttributeRequest:
      // The responses go to the other end of the channel. A request without a state begins anew.
      if parameters.count > 0, parameters[parameters.count - 1] == 0,
        let answers = links[place].channels[key]?.other
      {
        dropParts(answers, on: place)
      }
    case .serviceAttributeResponse:
      guard let response = try? ServiceAttributeResponse(decoding: parameters) else { break }
      collect(response.part, isLast: response.continuation.isEmpty, key, on: place, &summary)
    case .serviceSearchAttributeResponse:
      guard let response = try? ServiceSearchAttributeResponse(decoding: parameters) else { break }
      collect(response.part, isLast: response.continuation.isEmpty, key, on: place, &summary)
    default: break
    }
  }

  private mutating func dropParts(_ key: UInt32, on place: Int) {
    links[place].sduOctets -= links[place].channels[key]?.parts.count ?? 0
    links[place].channels[key]?.parts = []
  }

  /// Adds a part of attribute lists, and tells the whole of it with the last one.
  private mutating func collect(
    _ part: [UInt8], isLast: Bool, _ key: UInt32, on place: Int, _ summary: inout PacketSummary
  ) {
    guard var channel = links[place].channels.removeValue(forKey: key) else { return }
    links[place].sduOctets -= channel.parts.count
    channel.parts += part
    if isLast {
      summary.sdu = channel.parts
      channel.parts = []
    } else if links[place].sduOctets + channel.parts.count > LinkState.sduLimit {
      channel.parts = []
    }
    links[place].sduOctets += channel.parts.count
    links[place].channels[key] = channel
  }

  private mutating func receiveAVDTP(
    _ pdu: Span<UInt8>, _ bearer: UInt32, on place: Int, _ summary: inout PacketSummary
  ) {
    let packet = pdu[0] >> 2 & 3
    let message = pdu[0] & 3
    // Of a message in several packets, the first names the signal, and only the start of an answer counts.
    guard packet < 2 else { return }
    guard pdu.count >= 2 + Int(packet) else {
      summary.fault = .malformed
      return
    }
    summary.opcode = UInt16(pdu[1 + Int(packet)] & 0x3F)
    match(UInt16(pdu[0] >> 4), isResponse: message != 0, bearer, on: place, &summary)
    if message == 3, pdu.count > 2 { summary.status = pdu[pdu.count - 1] }
    if message == 1 { summary.status = 0x19 }
  }

  private mutating func receiveAVCTP(
    _ pdu: Span<UInt8>, _ bearer: UInt32, on place: Int, _ summary: inout PacketSummary
  ) {
    guard pdu[0] >> 2 & 3 < 2 else { return }
    guard pdu.count >= 3 else {
      summary.fault = .malformed
      return
    }
    // The response of an AV/C frame, and its operation: a PDU of the SIG's, or else the opcode.
    let type = pdu.count > 3 ? pdu[3] & 0xF : 0
    if pdu.count > 5 { summary.opcode = pdu[5] == 0 && pdu.count > 9 ? UInt16(pdu[9]) : UInt16(pdu[5]) }
    let isResponse = pdu[0] & 2 != 0
    // An interim response is followed by another.
    match(UInt16(pdu[0] >> 4), isResponse: isResponse, isFinal: type != 0xF, bearer, on: place, &summary)
    if isResponse, pdu[0] & 1 != 0 || type == 0x8 || type == 0xA { summary.status = type }
  }

  // MARK: Configuration

  /// Notes how the frames of a channel look, from the options that its sides ask for (Core 5.4 Vol 3 Part A 5.4, 5.5, 5.7).
  mutating func configure(
    _ key: UInt32, _ options: [ConfigurationOption], isRequest: Bool, on place: Int, _ sender: PacketSender
  ) {
    guard let channel = links[place].channels[key], var frames = channel.frames else { return }
    for option in options {
      if let retransmission = option.value(as: RetransmissionOption.self) {
        frames.hasControl = retransmission.mode != .basic
      } else if isRequest, let check = option.value(as: FrameCheckOption.self) {
        let side: WritableKeyPath<ClassicFrames, Bool> = sender == .host ? \.isHostCheckless : \.isPeerCheckless
        frames[keyPath: side] = check.check == .none
      } else if option.value(as: ExtendedWindowOption.self) != nil {
        frames.isExtended = true
      }
    }
    links[place].channels[key]?.frames = frames
    links[place].channels[channel.other]?.frames = frames
  }
}
