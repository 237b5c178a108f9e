import BLECore
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
  /// Returns the names of all files in a folder and its subfolders.
  static func names(below folder: String) throws -> Set<String> {
    let directory = try #require(opendir(folder))
    defer { closedir(directory) }
    var names: Set<String> = []
    while let entry = readdir(directory) {
      let name = entry.entryName
      guard name != ".", name != ".." else { continue }
      if entry.pointee.d_type == DT_DIR {
        names.formUnion(try Self.names(below: "\(folder)/\(name)"))
      } else {
        names.insert(name)
      }
    }
    return names
  }

  static func write(_ text: String, _ path: String) throws {
    let file = try #require(fopen(path, "w"))
    defer { fclose(file) }
    #expect(fputs(text, file) >= 0)
  }
}
