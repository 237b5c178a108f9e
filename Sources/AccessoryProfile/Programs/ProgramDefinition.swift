/// A program that plays a part of the accessory. It sets values and receives events as lines of JSON.
public struct ProgramDefinition: Hashable, Sendable {
  /// Its name in the profile and in events.
  public var id: String
  /// The program and its arguments.
  public var command: [String]
  /// The folder in which it runs, which is that of the profile.
  public var folder: String

  /// Creates a definition.
  public init(id: String, command: [String], folder: String = ".") {
    self.id = id
    self.command = command
    self.folder = folder
  }
}
