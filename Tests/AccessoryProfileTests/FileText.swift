import Glibc
import Testing

@testable import AccessoryProfile

/// Files of the repository.
enum FileText {
  static func read(_ path: String) throws -> String { try FileReading.text(at: path).get() }

  /// The directory of the package.
  static let root = String(#filePath.split(separator: "/").dropLast(3).reduce(into: "") { $0 += "/\($1)" })
}

extension FileText {
  static func write(_ text: String, _ path: String) throws {
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    #expect(fputs(text, file) >= 0)
  }
}
