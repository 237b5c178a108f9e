import BLECore

/// Who may read and write an attribute (Core 5.4 Vol 3 Part F 3.2.5). Invisible to clients.
public struct AttributePermissions: Hashable, Sendable {
  /// What a reader must fulfil; nil when nobody may read.
  public var read: AccessRequirement?
  /// What a writer must fulfil; nil when nobody may write.
  public var write: AccessRequirement?
  /// What the writer of a value that takes signed writes must fulfil beside the signature, where `write` permits no other write; nil
  /// when nobody may write so either.
  public var signedWrite: AccessRequirement?

  /// Permissions with these requirements.
  public init(read: AccessRequirement?, write: AccessRequirement?, signedWrite: AccessRequirement? = .open) {
    self.read = read
    self.write = write
    self.signedWrite = signedWrite
  }

  /// Anyone may read, nobody may write.
  public static let readable = AttributePermissions(read: .open, write: nil)
  /// Anyone may read and write.
  public static let readableAndWritable = AttributePermissions(read: .open, write: .open)
}
