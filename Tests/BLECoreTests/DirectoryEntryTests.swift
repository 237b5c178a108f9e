import BLECore
import Glibc
import Testing

@Suite("Entries of directories")
struct DirectoryEntryTests {
  @Test("Names of every length are read whole")
  func names() throws {
    var template = Array("/tmp/directory-entries-XXXXXX".utf8CString)
    let folder = String(cString: try #require(mkdtemp(&template)))
    let names = [1, 23, 24, 255].map { String(repeating: "n", count: $0) } + ["Gerät.yaml"]
    defer {
      for name in names { unlink("\(folder)/\(name)") }
      rmdir(folder)
    }
    for name in names { close(open("\(folder)/\(name)", O_CREAT | O_WRONLY, 0o600)) }
    let directory = try #require(opendir(folder))
    defer { closedir(directory) }
    var found: [String] = []
    while let entry = readdir(directory) { found.append(entry.entryName) }
    #expect(found.sorted() == (names + [".", ".."]).sorted())
  }
}
