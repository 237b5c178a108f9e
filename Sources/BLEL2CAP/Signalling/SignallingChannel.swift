import BLECore

/// The LE signalling channel of one link, on the peripheral's side (Core 5.4 Vol 3 Part A 4): one packet per C-frame, answered
/// or rejected, and requests of our own with their timeouts.
public struct SignallingChannel: Sendable {
  /// The longest C-frame that this side receives, in octets (Core 5.4 Vol 3 Part A 4: MTUsig of LE).
  public static let signallingMTU = 23
  /// How long an answer is waited for (Core 5.4 Vol 3 Part A 6.2.1: the RTX timer, 1...60 s).
  public static let responseTimeout = Duration.seconds(30)

  /// The identifier of the Connection Parameter Update Request that waits for its answer.
  private var parameterRequest: UInt8?
  private var lastIdentifier: UInt8 = 0
  /// When the answer that is waited for is overdue.
  public private(set) var deadline: Instant?

  /// What a signalling packet of the peer has led to.
  public enum Outcome: Hashable, Sendable {
    /// Nothing to report; an answer may have been written.
    case handled
    /// The central has accepted our connection parameters, or not.
    case parametersAnswered(accepted: Bool)
    /// The packet was rejected.
    case rejected(SignallingCode)
    /// The frame is too short or carries another length than it has: it is ignored.
    case malformed
  }

  /// A channel on which nothing has been said.
  public init() {}

  /// Takes a C-frame and appends at most one packet in answer.
  public mutating func receive(_ frame: Span<UInt8>, reply: inout OctetBuffer) -> Outcome {
    guard frame.count >= SignallingHeader.octetCount,
      let (header, headLength) = try? SignallingHeader.decodePrefix(of: frame), header.identifier != 0
    else { return .malformed }
    if frame.count > Self.signallingMTU, !header.code.isResponse {
      let mtu = UInt16(Self.signallingMTU)
      return reject(
        header, .init(reason: .signallingMTUExceeded, data: [UInt8(mtu & 0xFF), UInt8(mtu >> 8)]), &reply)
    }
    guard Int(header.length) == frame.count - headLength else { return .malformed }
    let data = frame.extracting(headLength...)
    switch header.code {
    case .connectionParameterUpdateResponse:
      guard header.identifier == parameterRequest,
        let response = try? ConnectionParameterUpdateResponse(decoding: data)
      else { return .malformed }
      settle()
      return .parametersAnswered(accepted: response.result == 0)
    case .commandReject:
      guard header.identifier == parameterRequest else { return .handled }
      settle()
      return .parametersAnswered(accepted: false)
    case let code where code.isResponse: return .handled
    default: return reject(header, .init(reason: .notUnderstood), &reply)
    }
  }

  private func reject(_ header: SignallingHeader, _ rejection: CommandReject, _ reply: inout OctetBuffer) -> Outcome {
    rejection.encodePacket(identifier: header.identifier, into: &reply)
    return .rejected(header.code)
  }

  private mutating func settle() {
    parameterRequest = nil
    deadline = nil
  }

  /// Appends a Connection Parameter Update Request (Core 5.4 Vol 3 Part A 4.20).
  public mutating func requestParameters(
    _ request: ConnectionParameterUpdateRequest, at now: Instant, into buffer: inout OctetBuffer
  ) {
    lastIdentifier = lastIdentifier == 0xFF ? 1 : lastIdentifier + 1
    parameterRequest = lastIdentifier
    deadline = now + Self.responseTimeout
    request.encodePacket(identifier: lastIdentifier, into: &buffer)
  }

  /// Gives up waiting when the answer is overdue; true when it was.
  public mutating func expire(at now: Instant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    settle()
    return true
  }
}
