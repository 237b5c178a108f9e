import BLECore

/// The LE signalling channel of one link (Core 5.4 Vol 3 Part A 4): one packet per C-frame, answered or rejected, and the connection
/// parameters that a peripheral requests. `LinkChannels` adds credit-based channels.
public struct SignallingChannel: Sendable {
  /// The longest C-frame that this side accepts, in octets (Core 5.4 Vol 3 Part A 4: MTUsig of LE).
  public static let signallingMTU = 23
  /// The timeout of a response (Core 5.4 Vol 3 Part A 6.2.1: the RTX timer, 1...60 s).
  public static let responseTimeout = Duration.seconds(30)
  /// The timeout after a response that announces another one (Core 5.4 Vol 3 Part A 6.2.2: the ERTX timer, 60...300 s).
  public static let extendedTimeout = Duration.seconds(300)

  /// The link-layer role of this side.
  public enum Role: Hashable, Sendable {
    /// It requests connection parameters.
    case peripheral
    /// It decides on connection parameters.
    case central
  }

  /// The role of this side.
  public let role: Role

  /// The identifier of the Connection Parameter Update Request that waits for its response.
  private var parameterRequest: UInt8?
  var identifiers = SignallingIdentifiers()
  /// The deadline for that response.
  public private(set) var deadline: Instant?

  /// The result of a signalling packet from the peer.
  public enum Outcome: Hashable, Sendable {
    /// Nothing to report; a response may have been written.
    case handled
    /// The central has accepted or rejected the connection parameters of this side.
    case parametersAnswered(accepted: Bool)
    /// The peripheral requests these connection parameters. Answer with `answerParameters`.
    case parametersRequested(ConnectionParameterUpdateRequest, identifier: UInt8)
    /// The peripheral requested invalid connection parameters, which were refused.
    case parametersRefused(ConnectionParameterUpdateRequest)
    /// The packet was rejected.
    case rejected(SignallingCode)
    /// The frame is too short or its length is wrong. It is ignored.
    case malformed
  }

  /// Creates a channel without outstanding requests.
  public init(role: Role = .peripheral) { self.role = role }

  /// Processes a C-frame and appends at most one packet in response.
  public mutating func receive(_ frame: Span<UInt8>, reply: inout OctetBuffer) -> Outcome {
    switch examine(frame, reply: &reply) {
    case .packet(let header): receive(header, frame.extracting(SignallingHeader.octetCount...), reply: &reply)
    case .done(let outcome): outcome
    }
  }

  /// The result of examining a C-frame.
  enum Examination {
    /// A packet whose data follows its header.
    case packet(SignallingHeader)
    /// Fully handled.
    case done(Outcome)
  }

  /// Checks what all packets have in common, and rejects those that are too long.
  func examine(_ frame: Span<UInt8>, reply: inout OctetBuffer) -> Examination {
    guard frame.count >= SignallingHeader.octetCount,
      let (header, headLength) = try? SignallingHeader.decodePrefix(of: frame), header.identifier != 0
    else { return .done(.malformed) }
    if frame.count > Self.signallingMTU, !header.code.isResponse {
      let mtu = UInt16(Self.signallingMTU)
      return .done(
        reject(header, .init(reason: .signallingMTUExceeded, data: [UInt8(mtu & 0xFF), UInt8(mtu >> 8)]), &reply))
    }
    return Int(header.length) == frame.count - headLength ? .packet(header) : .done(.malformed)
  }

  /// Processes a packet that does not concern channels.
  mutating func receive(_ header: SignallingHeader, _ data: Span<UInt8>, reply: inout OctetBuffer) -> Outcome {
    switch header.code {
    case .connectionParameterUpdateRequest where role == .central:
      guard let request = try? ConnectionParameterUpdateRequest(decoding: data) else {
        return reject(header, .init(reason: .notUnderstood), &reply)
      }
      guard !request.isAllowed else { return .parametersRequested(request, identifier: header.identifier) }
      answerParameters(header.identifier, isAccepted: false, into: &reply)
      return .parametersRefused(request)
    case .connectionParameterUpdateResponse:
      guard header.identifier == parameterRequest,
        let response = try? ConnectionParameterUpdateResponse(decoding: data)
      else { return .malformed }
      endParameterRequest()
      return .parametersAnswered(accepted: response.result == 0)
    case .commandReject:
      guard header.identifier == parameterRequest else { return .handled }
      endParameterRequest()
      return .parametersAnswered(accepted: false)
    case let code where code.isResponse: return .handled
    default: return reject(header, .init(reason: .notUnderstood), &reply)
    }
  }

  func reject(_ header: SignallingHeader, _ rejection: CommandReject, _ reply: inout OctetBuffer) -> Outcome {
    rejection.encodePacket(identifier: header.identifier, into: &reply)
    return .rejected(header.code)
  }

  private mutating func endParameterRequest() {
    parameterRequest = nil
    deadline = nil
  }

  /// Appends a Connection Parameter Update Request (Core 5.4 Vol 3 Part A 4.20).
  public mutating func requestParameters(
    _ request: ConnectionParameterUpdateRequest, at now: Instant, into buffer: inout OctetBuffer
  ) {
    requestParameters(request, identifier: nextIdentifier(), at: now, into: &buffer)
  }

  mutating func requestParameters(
    _ request: ConnectionParameterUpdateRequest, identifier: UInt8, at now: Instant, into buffer: inout OctetBuffer
  ) {
    parameterRequest = identifier
    deadline = now + Self.responseTimeout
    request.encodePacket(identifier: identifier, into: &buffer)
  }

  /// Appends the response to the peripheral's request for connection parameters (Core 5.4 Vol 3 Part A 4.21).
  public func answerParameters(_ identifier: UInt8, isAccepted: Bool, into buffer: inout OctetBuffer) {
    var response = ConnectionParameterUpdateResponse()
    response.result = isAccepted ? 0 : 1
    response.encodePacket(identifier: identifier, into: &buffer)
  }

  /// Returns the next identifier: 1...255, except that of the outstanding parameter request.
  mutating func nextIdentifier() -> UInt8 {
    identifiers.next { $0 == parameterRequest }
  }

  /// Stops waiting if the response is overdue. Returns whether it was.
  public mutating func expire(at now: Instant) -> Bool {
    guard let deadline, deadline <= now else { return false }
    endParameterRequest()
    return true
  }
}
