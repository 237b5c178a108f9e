/// A reader of services in C source. Each format knows the names of its headers, and how to find its tables.
protocol CSourceReader {
  /// The numbers that the format's headers define.
  static var constants: [String: Int] { get }
  /// The error for a file without services.
  static var missing: String { get }
  /// The file.
  var code: CSource { get }
  /// What the reader has found so far.
  var database: ImportedDatabase { get set }
  /// Where the reader reports.
  var context: ImportContext { get set }

  /// Creates a reader of a file.
  init(_ code: CSource, _ evaluator: CEvaluator, _ context: ImportContext)
  /// Finds the services.
  mutating func read()
}

extension CSourceReader {
  /// The maximum number of tables in a file. Further ones are ignored.
  static var tableLimit: Int { 64 }

  /// Reads a file.
  ///
  /// - Throws: An error if the file is too long, or has no service.
  static func read(_ source: ImportSource, _ context: inout ImportContext) throws(ImportError) -> ImportedDatabase {
    let code = try CSource(source)
    var reader = Self(code, CEvaluator(code, constants: constants), context)
    defer { context = reader.context }
    reader.database.gatt.keepsOrder = true
    reader.read()
    guard !reader.database.services.isEmpty else { throw source.error(0, missing) }
    return reader.database
  }

  mutating func warn(_ offset: Int, _ message: String) { context.log.warn(code.source, offset, message) }
}
