import BLEHCI

/// What a command is for, and so who gets its answer.
enum CommandPurpose: Hashable, Sendable {
  /// The role's: advertising, or scanning and initiating.
  case role
  /// A link's, which withdraws it when it ends.
  case link(ConnectionHandle, LinkCommand)
  /// A question about a link: does the controller still have it?
  case linkQuestion(ConnectionHandle)
  /// Asks how strongly the peer of a link is heard.
  case signalStrength(ConnectionHandle)
  /// A question about what the role has told.
  case roleQuestion
  /// A question about a setting that a restart takes back.
  case settingQuestion
  /// A question that any controller answers.
  case vitality
  /// Ends a link that the controller never told of.
  case unknownLink(ConnectionHandle)
  /// Looks for a link that the controller may never have told of.
  case linkSearch(ConnectionHandle)

  /// What a command does with a link.
  enum LinkCommand: Hashable, Sendable {
    case disconnect
    /// Asks for other connection parameters.
    case parameters
    /// Encrypts it, or gives the key for that.
    case encryption
    /// Anything else, after which nothing follows from the answer.
    case other
  }

  /// The link that it is about.
  var link: ConnectionHandle? {
    switch self {
    case .link(let handle, _), .linkQuestion(let handle), .signalStrength(let handle): handle
    default: nil
    }
  }
}
