import BLEATT

extension GATTFailure: CustomStringConvertible {
  /// The reason in words.
  public var description: String {
    switch self {
    case .refused(let error, let request, let handle):
      "the server answered \(request) of handle \(handle) with \(error)"
    case .violation(let violation): "the server violated the protocol: \(violation)"
    case .timedOut: "the server did not answer within 30 s"
    case .closed: "the connection, or the bearer, has ended"
    case .noSigningKey: "there is no bond with a signing key"
    case .mismatch(let handle): "part of the value of handle \(handle) was echoed incorrectly, so nothing was written"
    case .noConfiguration(let handle):
      "the characteristic with the value handle \(handle) has no known Client Characteristic Configuration"
    case .tooLong(let octets, let limit): "the value has \(octets) octets; the maximum is \(limit)"
    case .tooFewAttributes: "expected two or more attributes"
    }
  }
}

extension GATTViolation: CustomStringConvertible {
  /// The server's action, in words.
  public var description: String {
    switch self {
    case .malformed(let opcode): "\(opcode) does not fit its layout"
    case .handleOutOfOrder(let opcode, let handle): "\(opcode) has the handle \(handle), which is not valid there"
    case .valueTooLong: "a value of more than 512 octets"
    case .unexpectedResponse(let opcode): "\(opcode) answers no request"
    }
  }
}
