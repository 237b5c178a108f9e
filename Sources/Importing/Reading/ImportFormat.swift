/// A format that can be imported.
package struct ImportFormat: Sendable {
  /// Its name for `--from`.
  package let name: String
  /// What it is.
  package let summary: String
  /// Whether a file has it, as its content shows.
  let recognizes: @Sendable (ImportSource) -> Bool
  /// Reads a file.
  let read: @Sendable (ImportSource, inout ImportContext) throws(ImportError) -> ImportedDatabase

  /// Returns the format with a name.
  package static func named(_ name: String) -> ImportFormat? { all.first { $0.name == name } }
}

/// What a reader may use besides the file, and where it reports.
struct ImportContext {
  var log = ImportLog()
  /// Returns the text of a file that the imported one names, or why there is none.
  let include: @Sendable (String) -> Result<String, IncludeFailure>
  /// The number of files that were included so far.
  var included = 0

  /// The most files that one import may include, so that files that include each other end.
  static let includeLimit = 64
}

/// Why a file that the imported one names is missing.
package struct IncludeFailure: Error, Hashable, Sendable {
  package var reason: String
  package init(reason: String) { self.reason = reason }
}
