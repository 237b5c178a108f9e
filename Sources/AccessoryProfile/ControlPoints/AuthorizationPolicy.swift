import BLEATT

/// Whether clients may use a service, as somebody has decided who holds the accessory.
public enum AuthorizationState: String, Hashable, Sendable, CaseIterable {
  /// Nobody has decided yet.
  case pending
  case granted
  case denied
  /// It was granted before.
  case revoked
}

/// What a service asks of its clients, besides the security of their links.
public struct AuthorizationPolicy: Hashable, Sendable {
  /// The state at the start.
  public var state: AuthorizationState
  /// The answer to clients while it is not granted.
  public var error: ATTErrorCode

  /// A policy.
  public init(state: AuthorizationState, error: ATTErrorCode = .insufficientAuthorization) {
    self.state = state
    self.error = error
  }
}
