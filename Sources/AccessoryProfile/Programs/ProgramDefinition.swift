/// A program that plays a part of the accessory: it sets values and hears what happens, by lines of JSON.
public struct ProgramDefinition: Hashable, Sendable {
  /// Its name in the profile and in events.
  public var id: String
  /// The program and its arguments.
  public var command: [String]
  /// The folder that it runs in: the profile's.
  public var folder: String

  /// A program in its parts.
  public init(id: String, command: [String], folder: String = ".") {
    self.id = id
    self.command = command
    self.folder = folder
  }
}
