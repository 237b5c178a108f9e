import BLECore
import Glibc
import Testing

@testable import Capture

@Suite("Files that get their names when they are complete")
final class OutputFileTests {
  private let folder = "/tmp/understudy-output-\(UInt64.random(in: 0...(.max)))"

  init() { mkdir(folder, 0o700) }

  deinit {
    for name in names() { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  private func names() -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = entry.entryName
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private func write(_ text: String, to name: String) throws {
    var file = try OutputFile(creating: "\(folder)/\(name)")
    try file.write(Array(text.utf8).span)
    try file.finish()
  }

  private func text(of name: String) -> String {
    guard let file = fopen("\(folder)/\(name)", "rb") else { return "none" }
    defer { fclose(file) }
    var octets = [UInt8](repeating: 0, count: 100)
    let count = fread(&octets, 1, octets.count, file)
    return String(decoding: octets[..<count], as: UTF8.self)
  }

  @Test("a file is replaced when the new one is complete, and otherwise does not change")
  func replaces() throws {
    try write("old", to: "a")
    do {
      var file = try OutputFile(creating: "\(folder)/a")
      try file.write([1, 2, 3].span)
      #expect(text(of: "a") == "old")
    }
    #expect(names() == ["a"] && text(of: "a") == "old")
    try write("new", to: "a")
    #expect(names() == ["a"] && text(of: "a") == "new")
  }

  @Test("the target of a link is replaced, and the link stays")
  func links() throws {
    try write("old", to: "a")
    symlink("a", "\(folder)/b")
    try write("new", to: "b")
    #expect(names() == ["a", "b"] && text(of: "a") == "new")
  }

  @Test("a file is recognized by any of its names")
  func identity() throws {
    try write("a", to: "a")
    try write("a", to: "other")
    symlink("a", "\(folder)/soft")
    link("\(folder)/a", "\(folder)/hard")
    let identity = FileIdentity(path: "\(folder)/a")
    #expect(identity != nil)
    #expect(identity == FileIdentity(path: "\(folder)/soft") && identity == FileIdentity(path: "\(folder)/hard"))
    #expect(identity != FileIdentity(path: "\(folder)/other"))
    #expect(FileIdentity(path: "\(folder)/none") == nil)
  }
}
