import BLEATT
import BLECore

/// Whether clients may use something, as somebody has decided who holds the accessory.
public enum AuthorizationState: String, Hashable, Sendable, CaseIterable {
  /// Nobody has decided yet.
  case pending
  case granted
  case denied
  /// It was granted before.
  case revoked
  /// Somebody is asked, for each client once: who may, may as long as it is connected.
  case ask
}

/// What a service or a characteristic asks of its clients, besides the security of their links.
public struct AuthorizationPolicy: Hashable, Sendable {
  /// The state at the start.
  public var state: AuthorizationState
  /// The answer to clients that may not.
  public var error: ATTErrorCode
  /// How long somebody has who is asked.
  public var limit: Duration

  /// A policy.
  public init(
    state: AuthorizationState, error: ATTErrorCode = .insufficientAuthorization,
    limit: Duration = AnswerTiming.usualLimit
  ) {
    self.state = state
    self.error = error
    self.limit = limit
  }
}

/// What an authorization is for. A characteristic with its own does not need that of its service.
public enum AuthorizationScope: Hashable, Sendable {
  /// All characteristics of the service with that id.
  case service(String)
  /// The characteristic with that id.
  case characteristic(String)

  /// The id.
  public var id: String {
    switch self {
    case .service(let id), .characteristic(let id): id
    }
  }
}

/// A client that was allowed something when somebody was asked.
struct AuthorizedClient: Hashable, Sendable {
  var client: ClientID
  var scope: AuthorizationScope
}
