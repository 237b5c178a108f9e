/// A reader of services in C source. A format says which names it knows, and how it finds its tables.
protocol CSourceReader {
  /// The numbers that its headers define.
  static var constants: [String: Int] { get }
  /// What a file without services lacks.
  static var missing: String { get }
  /// The file.
  var code: CSource { get }
  /// What the reader has found.
  var database: ImportedDatabase { get set }
  var context: ImportContext { get set }

  init(_ code: CSource, _ evaluator: CEvaluator, _ context: ImportContext)
  /// Finds the services.
  mutating func read()
}

extension CSourceReader {
  /// The maximum number of tables that are read.
  static var tableLimit: Int { 64 }

  /// Reads a file.
  ///
  /// - Throws: Why it is no C source, or that it has no service.
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
