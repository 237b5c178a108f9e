/// A file that comes with the program: a profile or a scenario.
package struct ShippedEntry: Hashable, Sendable {
  /// What users call it: the file's name without `.yaml`.
  package var name: String
  /// What messages call it, and `load(contentsOf:)` takes: the path of a file, or what begins with `understudy:/` for one inside of the
  /// program.
  package var path: String
}
