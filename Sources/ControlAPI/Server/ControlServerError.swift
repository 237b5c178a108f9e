/// Why the control API cannot be served.
public enum ControlServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Other machines could reach the address, and there is no token: a mistake of usage.
  case tokenNeeded(HTTPAddress)
  /// The token is empty or has characters that a header cannot carry: a mistake of usage.
  case unsuitableToken
  /// The address cannot be listened on; why.
  case cannotListen(HTTPAddress, reason: String)

  /// Whether the caller asked for something that is never possible.
  public var isUsage: Bool {
    switch self {
    case .tokenNeeded, .unsuitableToken: true
    case .cannotListen: false
    }
  }

  /// What, why and what to do.
  public var description: String {
    switch self {
    case .tokenNeeded(let address):
      "other machines can reach \(address): give a token, or listen on the loopback as 127.0.0.1:\(address.port)"
    case .unsuitableToken: "the token must have visible ASCII characters only, at least one, and no spaces"
    case .cannotListen(let address, let reason): "cannot serve HTTP at \(address): \(reason)"
    }
  }
}
