import BLECore
import BLEL2CAP
import Testing

/// Enhanced Retransmission Mode of the channel under test. Frames of this side are told as texts: `I0 r2 0102` is an I-frame with TxSeq 0, ReqSeq
/// 2 and a whole SDU; `I1s258`, `I2c` and `I3e` are segments, the first with the length of the SDU; `RR r1 P` is an S-frame with a poll.
extension ClassicPeer {
  /// Returns a peer that has opened channel 0x0040 in this mode. Both sides have an MTU of 1000.
  static func retransmitting(
    _ parameters: RetransmissionParameters = RetransmissionParameters(),
    _ change: (inout RetransmissionOption) -> Void = { _ in }
  ) throws -> ClassicPeer {
    var peer = ClassicPeer([
      PublishedClassicChannel(
        psm: .serviceDiscovery,
        parameters: ClassicChannelParameters(
          mtu: 1000, queueLimit: 2000, mode: .basicOrRetransmission, retransmission: parameters))
    ])
    #expect(peer.signal("02 01 0400 0100 5000") == ["030108004000500000000000"])
    var option = RetransmissionOption(mode: .enhancedRetransmission)
    (option.transmitWindow, option.maximumTransmissions, option.mps) = (8, 10, 100)
    change(&option)
    let answers = peer.signal(
      ConfigurationRequest(
        destination: .first, options: [ConfigurationOption(MTUOption(mtu: 1000)), ConfigurationOption(option)]))
    try #require(answers.count == 2 && answers[0].hasPrefix("0501"))
    #expect(peer.signal(ConfigurationResponse(source: .first)) == [])
    guard case .opened(let status) = peer.takeEvents().last else { throw NotOpen() }
    #expect(status.mode == .enhancedRetransmission && status.receiveMTU == 1000 && status.sendMTU == 1000)
    return peer
  }

  struct NotOpen: Error {}

  /// Sends an S-frame of the peer.
  @discardableResult
  mutating func supervise(
    _ function: SupervisoryFunction, _ reqSeq: UInt8, isPoll: Bool = false, isFinal: Bool = false
  ) -> ClassicFrameOutcome {
    var head = ControlledHead<EnhancedControl>()
    head.control = EnhancedControl(function, reqSeq: reqSeq, isPoll: isPoll, isFinal: isFinal)
    return receive(Self.checked(head.encoded), on: .first)
  }

  /// Sends an I-frame of the peer.
  @discardableResult
  mutating func inform(
    _ txSeq: UInt8, _ payload: [UInt8] = [1], _ segment: FrameSegment = .unsegmented, length: UInt16 = 0,
    reqSeq: UInt8 = 0, isFinal: Bool = false
  ) -> ClassicFrameOutcome {
    var head = ControlledHead<EnhancedControl>()
    head.control = EnhancedControl(txSeq: txSeq, segment, reqSeq: reqSeq, isFinal: isFinal)
    head.sduLength = length
    return receive(Self.checked(head.encoded + payload), on: .first)
  }

  /// Returns a frame with its check sequence.
  static func checked(_ frame: [UInt8], on channel: ChannelID = .first) -> [UInt8] {
    frame + FrameCheckSequence.of(frame.span, on: channel).littleEndianOctets
  }

  /// Returns the frames that this side sends on the channel.
  mutating func frames() -> [String] {
    signalling(on: ChannelID(rawValue: 0x50)).map { text in
      let frame = [UInt8](hexadecimal: text) ?? []
      let content = Array(frame.dropLast(2))
      #expect(Self.checked(content, on: ChannelID(rawValue: 0x50)) == frame)
      return Self.text(content)
    }
  }

  /// Sends an SDU, and returns the frames that this side sends.
  mutating func frames(of sdu: [UInt8]) -> [String] {
    let submission = send(sdu, on: .first)
    #expect(submission == .queued)
    return frames()
  }

  private static func text(_ frame: [UInt8]) -> String {
    guard let (head, size) = try? ControlledHead<EnhancedControl>.decodePrefix(of: frame.span) else { return "?" }
    let control = head.control
    let final = control.isFinal ? " F" : ""
    guard control.isInformation else {
      let names: [SupervisoryFunction: String] = [
        .receiverReady: "RR", .reject: "REJ", .receiverNotReady: "RNR", .selectiveReject: "SREJ",
      ]
      return "\(names[control.function] ?? "?") r\(control.reqSeq)" + (control.isPoll ? " P" : "") + final
    }
    let segments: [FrameSegment: String] = [.start: "s\(head.sduLength)", .continuation: "c", .end: "e"]
    let payload = frame.count - size > 8 ? "\(frame.count - size) octets" : frame[size...].hexadecimal
    let start = "I\(control.txSeq)\(segments[control.segment] ?? "") r\(control.reqSeq)"
    return start + (payload.isEmpty ? "" : " \(payload)") + final
  }
}
