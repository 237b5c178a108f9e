/// A format for importing profiles.
package struct ImportFormat: Sendable {
  /// Its name for `--from`.
  package let name: String
  /// A description for people.
  package let summary: String
  /// Returns whether the content of a file has this format.
  let recognizes: @Sendable (ImportSource) -> Bool
  /// Reads a file.
  let read: @Sendable (ImportSource, inout ImportContext) throws(ImportError) -> ImportedDatabase

  /// Returns the format with a name.
  package static func named(_ name: String) -> ImportFormat? { all.first { $0.name == name } }
}

/// The surroundings of a reader: where it reports, and how it gets other files.
struct ImportContext {
  var log = ImportLog()
  /// Returns the text of a file that the imported one includes, or the reason why that is impossible.
  let include: @Sendable (String) -> Result<String, IncludeFailure>
  /// The number of included files so far.
  var included = 0

  /// The maximum number of included files, which stops files that include each other.
  static let includeLimit = 64
}

/// The error when a file that the imported one includes is missing.
package struct IncludeFailure: Error, Hashable, Sendable {
  /// The reason.
  package var reason: String

  /// Creates the error.
  package init(reason: String) { self.reason = reason }
}
