import BLECore
import BLEL2CAP
import PeripheralHost
import Simulation
import Testing

/// The accessory and a central without a host, with a channel of the Attribute Protocol in Enhanced Retransmission Mode between them. The
/// central has subscribed to the measurement, so that each side has sent one I-frame.
///
/// Frames are told as texts: `I1 r2 0102` is an I-frame with TxSeq 1, ReqSeq 2 and a whole SDU; `I1s41`, `I2c` and `I3e` are segments, the
/// first with the length of the SDU; `RR r1 P` is an S-frame with a poll, and `F` says that a poll is answered.
struct RetransmissionScene {
  let scene: ClassicScene
  let channel: ChannelID
  /// The options of the accessory's request for this mode.
  let requested: [ConfigurationOption]
  /// The accessory's answer to the central's request.
  let answer: ConfigurationResponse
  /// The central's CID.
  static let end = ChannelID(rawValue: 0x70)

  /// Opens the channel. The central's request has the option that `change` returns, and the option for a check sequence, if not nil; its
  /// answer has these timeouts.
  init(
    check: FrameCheck? = nil, timeouts: (retransmission: UInt16, monitor: UInt16) = (2000, 12_000),
    _ change: (inout RetransmissionOption) -> Void = { _ in }
  ) throws {
    scene = try ClassicScene.connected()
    try scene.central.secure()
    let opened = try scene.request(.attributeProtocol)
    channel = try #require(opened).channel
    var option = RetransmissionOption(mode: .enhancedRetransmission)
    (option.transmitWindow, option.maximumTransmissions, option.mps) = (8, 10, 100)
    change(&option)
    var options = [ConfigurationOption(MTUOption(mtu: 200)), ConfigurationOption(option)]
    if let check { options.append(ConfigurationOption(FrameCheckOption(check: check))) }
    let answers = try scene.signal(
      Self.packet(ConfigurationRequest(destination: channel, options: options), identifier: 2))
    let response = try #require(answers.first { $0.hasPrefix("0502") })
    answer = try ConfigurationResponse(decoding: try #require([UInt8](hexadecimal: String(response.dropFirst(8)))))
    let request = try #require(answers.first { $0.hasPrefix("04") })
    let octets = try #require([UInt8](hexadecimal: request))
    requested = try ConfigurationRequest(decoding: Array(octets[4...])).options
    (option.retransmissionTimeout, option.monitorTimeout) = timeouts
    let acceptance = ConfigurationResponse(source: channel, options: [ConfigurationOption(option)])
    try #require(try scene.signal(Self.packet(acceptance, identifier: octets[1])) == [])
    try inform(0, "12 1500 0100", reqSeq: 0)
    try #require(frames() == ["I0 r1 13"])
    try supervise(.receiverReady, 1)
  }

  private static func packet(_ packet: some SignallingPacket, identifier: UInt8) -> String {
    var buffer = OctetBuffer()
    packet.encodePacket(identifier: identifier, into: &buffer)
    return buffer.copy().hexadecimal
  }

  // MARK: The accessory

  /// Makes the accessory send SDUs, which count: 1B140001, 1B140002 and so on.
  func notify(_ count: Int = 1) throws {
    for _ in 0..<count { try scene.accessory.perform(.notify(Specimen.measurement)) }
  }

  /// Returns the frames that the accessory sends within a time.
  func frames(within time: Duration = .milliseconds(500)) -> [String] {
    scene.simulation.run(for: time)
    defer { scene.central.frames.removeAll { $0.channel == Self.end } }
    return scene.central.frames.filter { $0.channel == Self.end }.map { frame in
      let content = Array(frame.payload.dropLast(FrameCheckSequence.octetCount))
      let check = FrameCheckSequence.of(content.span, on: Self.end).littleEndianOctets
      return frame.payload == content + check ? Self.text(content) : "without a check sequence"
    }
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
    let segment = segments[control.segment] ?? ""
    return "I\(control.txSeq)\(segment) r\(control.reqSeq) \(frame[size...].hexadecimal)" + final
  }

  /// Whether the accessory has asked for the end of the channel.
  func isClosed() -> Bool {
    let ids = Self.end.rawValue.littleEndianOctets + channel.rawValue.littleEndianOctets
    return scene.signalling().contains { $0.hasPrefix("06") && $0.hasSuffix(ids.hexadecimal) }
  }

  // MARK: The central

  /// Sends an I-frame, whose payload is in hexadecimal.
  func inform(
    _ txSeq: UInt8, _ payload: String, _ segment: FrameSegment = .unsegmented, length: UInt16 = 0, reqSeq: UInt8 = 1,
    isFinal: Bool = false
  ) throws {
    var head = ControlledHead<EnhancedControl>()
    head.control = EnhancedControl(txSeq: txSeq, segment, reqSeq: reqSeq, isFinal: isFinal)
    head.sduLength = length
    try send(head.encoded + (try #require([UInt8](hexadecimal: payload))))
  }

  /// Sends an I-frame with a Write Command, which the accessory does not answer.
  func inform(_ txSeq: UInt8, reqSeq: UInt8 = 1, isFinal: Bool = false) throws {
    try inform(txSeq, "52 1200 6162", reqSeq: reqSeq, isFinal: isFinal)
  }

  /// Sends an S-frame.
  func supervise(
    _ function: SupervisoryFunction, _ reqSeq: UInt8, isPoll: Bool = false, isFinal: Bool = false
  ) throws {
    var head = ControlledHead<EnhancedControl>()
    head.control = EnhancedControl(function, reqSeq: reqSeq, isPoll: isPoll, isFinal: isFinal)
    try send(head.encoded)
  }

  private func send(_ frame: [UInt8]) throws {
    let check = FrameCheckSequence.of(frame.span, on: channel).littleEndianOctets
    try scene.central.send(frame + check, on: channel)
  }
}
