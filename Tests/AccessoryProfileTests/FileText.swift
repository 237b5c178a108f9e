@testable import AccessoryProfile

/// Files of the repository.
enum FileText {
  static func read(_ path: String) throws -> String { try FileReading.text(at: path).get() }
}
