import BLEHCI

/// The purpose of a command, which determines what handles the answer.
enum CommandPurpose: Hashable, Sendable {
  /// A command of the role: advertising, or scanning and initiating.
  case role(CommandSubject)
  /// A command of a link; it is withdrawn when the link ends.
  case link(ConnectionHandle, LinkCommand)
  /// A question about a link: does the controller still know it?
  case linkQuestion(ConnectionHandle)
  /// Reads the signal strength of the peer of a link.
  case signalStrength(ConnectionHandle)
  /// Reads the size of the key that encrypts a link over BR/EDR.
  case encryptionKeySize(ConnectionHandle)
  /// A question about the role's settings.
  case roleQuestion
  /// A question about a setting that is lost by a restart.
  case settingQuestion
  /// A question that every controller answers.
  case vitality
  /// Ends a link that the controller did not report.
  case unknownLink(ConnectionHandle)

  /// The purpose of a link's command.
  enum LinkCommand: Hashable, Sendable {
    case disconnect
    /// Requests other connection parameters.
    case parameters
    /// Encrypts the link, or supplies the key.
    case encryption
    /// Anything else; nothing depends on the answer.
    case other
  }

  /// The link that it concerns.
  var link: ConnectionHandle? {
    switch self {
    case .link(let handle, _), .linkQuestion(let handle), .signalStrength(let handle),
      .encryptionKeySize(let handle):
      handle
    default: nil
    }
  }
}
