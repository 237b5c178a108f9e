/// A shipped file: a profile or a scenario.
package struct ShippedEntry: Hashable, Sendable {
  /// The name for users, which is that of the file without `.yaml`.
  package var name: String
  /// The path for messages and `load(contentsOf:)`: that of a file, or one that begins with `understudy:/` for an embedded file.
  package var path: String
}
