import BLECore

/// The modes that this side allows on a connection-oriented channel (Core 5.4 Vol 3 Part A 5.4).
public enum ClassicChannelMode: Hashable, Sendable {
  /// Basic Mode.
  case basic
  /// Basic Mode, or Enhanced Retransmission Mode if the peer asks for it.
  case basicOrRetransmission
  /// Enhanced Retransmission Mode, for which this side asks.
  case retransmission
}

/// The limits of this side for a channel in Enhanced Retransmission Mode.
public struct RetransmissionParameters: Hashable, Sendable {
  /// The number of I-frames that either side may have unacknowledged. With 32 at most, frames that come twice differ from those beyond the
  /// window.
  public let window: Int
  /// How often the peer sends an I-frame, or asks for an acknowledgement, before it closes the channel; 0: without limit.
  public let maximumTransmissions: Int
  /// The time without an acknowledgement after which this side asks for one.
  public let retransmissionTimeout: Duration
  /// The time after which this side asks for an acknowledgement again.
  public let monitorTimeout: Duration
  /// The longest information payload of an I-frame in either direction, in octets.
  public let mps: Int
  /// The check sequence that this side asks for. There is none only if the peer does without it, too.
  public let frameCheck: FrameCheck

  /// Creates parameters, clamped to the limits of the specification: a window of 1...63. The default MPS fills the longest packet of three
  /// slots (1,021 octets), and the default timeouts are the shortest of a link that flushes nothing (Core 5.4 Vol 3 Part A 8.6.2).
  public init(
    window: Int = 32, maximumTransmissions: Int = 10, retransmissionTimeout: Duration = .seconds(2),
    monitorTimeout: Duration = .seconds(12), mps: Int = 1010, frameCheck: FrameCheck = .crc16
  ) {
    self.window = min(max(window, 1), EnhancedControl.sequenceCount - 1)
    self.maximumTransmissions = min(max(maximumTransmissions, 0), 0xFF)
    self.retransmissionTimeout = min(max(retransmissionTimeout, .milliseconds(1)), .milliseconds(0xFFFF))
    self.monitorTimeout = min(max(monitorTimeout, .milliseconds(1)), .milliseconds(0xFFFF))
    self.mps = min(max(mps, 1), Self.longestPayload)
    self.frameCheck = frameCheck
  }

  /// The longest information payload whose frame a basic header can describe, with the octets of control, SDU length and check.
  static let longestPayload = 0xFFFF - 6

  /// The option of this side's Configuration Request. Its timeouts are those of the peer, and so not stated (Core 5.4 Vol 3 Part A 5.4).
  var request: RetransmissionOption {
    var option = RetransmissionOption(mode: .enhancedRetransmission)
    option.transmitWindow = UInt8(clamping: window)
    option.maximumTransmissions = UInt8(clamping: maximumTransmissions)
    option.mps = UInt16(clamping: mps)
    return option
  }

  /// Returns the answer to the option of the peer's Configuration Request: what applies, and the timeouts that the peer is to use.
  func answer(to request: RetransmissionOption) -> RetransmissionOption {
    var option = request
    option.transmitWindow = UInt8(clamping: min(max(Int(request.transmitWindow), 1), window))
    option.mps = UInt16(clamping: min(max(Int(request.mps), 1), mps))
    option.retransmissionTimeout = UInt16(clamping: retransmissionTimeout.inNanoseconds / 1_000_000)
    option.monitorTimeout = UInt16(clamping: monitorTimeout.inNanoseconds / 1_000_000)
    return option
  }
}

/// A reason why a channel in Enhanced Retransmission Mode is closed (Core 5.4 Vol 3 Part A 8.6).
public enum RetransmissionFault: Hashable, Sendable {
  /// The peer acknowledges, or rejects, a frame that this side has not sent.
  case invalidAcknowledgement
  /// The peer sends a frame beyond the window.
  case invalidSequence
  /// A frame is longer than allowed, or does not continue its SDU.
  case invalidSegment
  /// The peer does not acknowledge a frame, however often this side sends it, or asks.
  case unacknowledged
}

/// What the two sides of a channel have said about Enhanced Retransmission Mode.
struct RetransmissionNegotiation: Sendable {
  /// The option of this side's request.
  var request: RetransmissionOption
  /// Whether this side's request has the option for the check sequence, and its value.
  var statesCheck = true
  var check: FrameCheck
  /// The option of the peer's request, once accepted.
  var peerRequest: RetransmissionOption?
  var peerCheck = FrameCheck.crc16
  /// The option of the peer's answer.
  var peerAnswer: RetransmissionOption?

  init(_ parameters: RetransmissionParameters) {
    request = parameters.request
    check = parameters.frameCheck
  }

  /// Takes what the peer proposes instead of this side's request, within this side's limits. Returns whether that changes the request.
  mutating func take(_ proposal: RetransmissionOption) -> Bool {
    let former = request
    if proposal.transmitWindow > 0 { request.transmitWindow = min(request.transmitWindow, proposal.transmitWindow) }
    if proposal.mps > 0 { request.mps = min(request.mps, proposal.mps) }
    request.maximumTransmissions = proposal.maximumTransmissions
    return request != former
  }

  /// Returns the rules of a channel on which both sides agree. Timeouts are never shorter than this side's.
  func rules(_ parameters: RetransmissionParameters, mtu: Int) -> EnhancedRetransmission.Rules {
    let peer = peerRequest ?? request
    let answer = peerAnswer ?? RetransmissionOption()
    return EnhancedRetransmission.Rules(
      sendWindow: min(max(Int(peer.transmitWindow), 1), parameters.window),
      receiveWindow: Int(request.transmitWindow), maximumTransmissions: Int(peer.maximumTransmissions),
      retransmissionTimeout: max(parameters.retransmissionTimeout, .milliseconds(Int(answer.retransmissionTimeout))),
      monitorTimeout: max(parameters.monitorTimeout, .milliseconds(Int(answer.monitorTimeout))),
      sendMPS: min(max(Int(peer.mps), 1), parameters.mps), receiveMPS: Int(request.mps), mtu: mtu,
      hasCheck: !(statesCheck && check == .none && peerCheck == .none))
  }
}
