import BLECore

/// The permissions of an attribute (Core 5.4 Vol 3 Part F 3.2.5). Clients cannot see them.
public struct AttributePermissions: Hashable, Sendable {
  /// The requirement for reading; nil if reading is not permitted.
  public var read: AccessRequirement?
  /// The requirement for writing; nil if writing is not permitted.
  public var write: AccessRequirement?
  /// The requirement, in addition to the signature, for signed writes if `write` permits no others; nil if signed writes are not permitted
  /// either.
  public var signedWrite: AccessRequirement?

  /// Creates permissions with these requirements.
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
