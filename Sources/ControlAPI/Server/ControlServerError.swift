/// Why the control API cannot be served.
package enum ControlServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Other machines can reach the address, and there is no token: a usage error.
  case tokenNeeded(HTTPAddress)
  /// The token is shorter than `Gate.shortestToken` or has characters that a header cannot contain: a usage error.
  case unsuitableToken
  /// The file for the token cannot be written; with the reason.
  case cannotKeepToken(String, reason: String)
  /// The address cannot be listened on; with the reason.
  case cannotListen(HTTPAddress, reason: String)

  /// The process may have too few file descriptors for the accessory and a few connections.
  case tooFewDescriptors(HTTPAddress, limit: Int, needed: Int)

  /// Whether it is a usage error.
  package var isUsage: Bool {
    switch self {
    case .tokenNeeded, .unsuitableToken: true
    case .cannotListen, .cannotKeepToken, .tooFewDescriptors: false
    }
  }

  /// What failed, why, and what to do about it.
  package var description: String {
    switch self {
    case .tokenNeeded(let address):
      "other machines can reach \(address): give a token, or listen on the loopback as 127.0.0.1:\(address.port)"
    case .unsuitableToken:
      "the token must have at least \(Gate.shortestToken) characters, visible ASCII only and no spaces"
    case .cannotKeepToken(let path, let reason): "cannot write the token to \(path): \(reason)"
    case .cannotListen(let address, let reason): "cannot serve HTTP at \(address): \(reason)"
    case .tooFewDescriptors(let address, let limit, let needed):
      "cannot serve HTTP at \(address): only \(limit) files may be open at a time; allow at least \(needed) (ulimit -n \(needed))"
    }
  }
}
