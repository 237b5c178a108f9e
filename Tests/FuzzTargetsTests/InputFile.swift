import BLECore
import Glibc

/// An input file.
struct InputFile {
  var name: String
  var path: String
  var octets: [UInt8]

  struct Failure: Error {
    var path: String
  }

  /// `Fuzzing`, beside `Tests`.
  private static let root = #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Fuzzing"

  /// Returns all inputs of a target, by name; none if there is no folder.
  static func all(of kind: String, _ target: String) throws -> [InputFile] {
    let folder = "\(root)/\(kind)/\(target)"
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = entry.entryName
      if !name.hasPrefix(".") { names.append(name) }
    }
    return try names.sorted().map { InputFile(name: $0, path: "\(folder)/\($0)", octets: try read("\(folder)/\($0)")) }
  }

  /// Replaces all inputs of a target.
  static func replace(_ kind: String, _ target: String, with inputs: [String: [UInt8]]) throws {
    let folder = "\(root)/\(kind)/\(target)"
    mkdir(folder, 0o777)
    for old in try all(of: kind, target) { unlink(old.path) }
    for (name, octets) in inputs {
      let path = "\(folder)/\(name)"
      guard let file = fopen(path, "wbe") else { throw Failure(path: path) }
      let written = fwrite(octets, 1, octets.count, file)
      guard fclose(file) == 0, written == octets.count else { throw Failure(path: path) }
    }
  }

  /// The script that runs the fuzzers.
  static func script() throws -> String { String(decoding: try read("\(root)/run"), as: UTF8.self) }

  private static func read(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "rbe") else { throw Failure(path: path) }
    defer { fclose(file) }
    var octets: [UInt8] = []
    var octet = fgetc(file)
    while octet != EOF {
      octets.append(UInt8(truncatingIfNeeded: octet))
      octet = fgetc(file)
    }
    return octets
  }
}
