@testable import AccessoryProfile

/// Files of the repository.
enum FileText {
  static func read(_ path: String) throws -> String { try FileReading.text(at: path).get() }

  /// The directory of the package.
  static let root = String(#filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" })
}
