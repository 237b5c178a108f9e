import BLEATT
import BLECore

/// The authorization of clients, as decided by the person who has the accessory.
public enum AuthorizationState: String, Hashable, Sendable, CaseIterable {
  /// No decision has been made.
  case pending
  case granted
  case denied
  /// An authorization that was granted earlier has been withdrawn.
  case revoked
  /// A question is asked once for each client. A client that is accepted is authorized while it is connected.
  case ask
}

/// The authorization that a service or a characteristic requires, in addition to the security of the link.
public struct AuthorizationPolicy: Hashable, Sendable {
  /// The initial state.
  public var state: AuthorizationState
  /// The error response to clients that are not authorized.
  public var error: ATTErrorCode
  /// The time limit for the answer to a question.
  public var limit: Duration

  /// Creates a policy.
  public init(
    state: AuthorizationState, error: ATTErrorCode = .insufficientAuthorization,
    limit: Duration = AnswerTiming.usualLimit
  ) {
    self.state = state
    self.error = error
    self.limit = limit
  }
}

/// The scope of an authorization. A characteristic with an authorization of its own does not need that of its service.
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

/// A client that was authorized by an answer to a question.
struct AuthorizedClient: Hashable, Sendable {
  var client: ClientID
  var scope: AuthorizationScope
}
