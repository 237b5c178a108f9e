import Testing

@testable import AccessoryProfile

@Suite("Files that are not profiles")
struct FileReadingTests {
  static let profile = Array("understudy: 1\nname: Test\n".utf8)

  @Test(
    "Each has its own message",
    arguments: [
      ([], "the file is empty"), ([0xEF, 0xBB, 0xBF], "the file is empty"), ([0xFF, 0xFE, 0x75, 0x00], "UTF-16"),
      ([0xFE, 0xFF, 0x00, 0x75], "UTF-16"), ([0x7F, 0x45, 0x4C, 0x46, 0x00], "it is binary"),
      ([0x6E, 0xC3, 0x28], "it is not UTF-8 text"),
    ] as [([UInt8], String)])
  func sentences(_ octets: [UInt8], _ sentence: String) throws {
    guard case .failure(let failure) = FileReading.text(of: octets) else { return #expect(Bool(false), "\(octets)") }
    #expect(failure.reason.contains(sentence))
  }

  @Test("A byte-order mark is not part of the text")
  func mark() throws {
    let text = try FileReading.text(of: [0xEF, 0xBB, 0xBF] + Self.profile).get()
    #expect(try Profile.load(text: text).name == "Test")
  }

  @Test("Directories and files that are too large are not read")
  func unreadable() throws {
    let directory = #expect(throws: ProfileError.self) { try Profile.load(contentsOf: "/tmp") }
    #expect(directory?.description == "/tmp:1:1: error: it is a directory; give a file")
    let endless = #expect(throws: ProfileError.self) { try Profile.load(contentsOf: "/dev/zero") }
    #expect(endless?.description.contains("more than 16 MB") == true)
  }

  @Test("The quoted line and the message have a maximum length")
  func bounds() throws {
    let long = String(repeating: "x", count: 1_000_000)
    for text in [
      "understudy: 1\nname: Test\n\(long): 1\n", "understudy: 1\nname: [\"\(long)\", \(long)]\n",
      "understudy: 1\nname: Test\nconnection: { mtu: \(long) }\n",
    ] {
      let error = #expect(throws: ProfileError.self) { try Profile.load(text: text) }
      #expect(error.map { $0.description.utf8.count < 1500 } == true)
    }
    // The caret stays under its column if the line is truncated, or has control characters.
    let flow = "\u{1B}[31m" + String(repeating: " ", count: 300)
    let diagnostic = Diagnostic(
      file: "f", line: 1, column: 306, severity: .error, message: "m", sourceLine: flow + "BAD" + long)
    let lines = diagnostic.description.split(separator: "\n")
    let caret = try #require(lines[2].unicodeScalars.firstIndex(of: "^"))
    let column = lines[2].unicodeScalars.distance(from: lines[2].startIndex, to: caret)
    #expect(lines[1].unicodeScalars.dropFirst(column).prefix(3).elementsEqual("BAD".unicodeScalars))
    #expect(lines[1].unicodeScalars.count < 200)
    let coloured = Diagnostic(file: "f", line: 1, column: 1, severity: .error, message: "m", sourceLine: flow)
    #expect(!coloured.description.contains("\u{1B}"))
  }

  @Test("After a hundred diagnostics, the rest is counted")
  func hundred() throws {
    let keys = (0..<250).map { "key\($0): 1\n" }.joined()
    let error = #expect(throws: ProfileError.self) { try Profile.load(text: "understudy: 1\nname: Test\n" + keys) }
    #expect(error?.diagnostics.count == 100)
    #expect(error?.omitted == 150)
    #expect(error?.description.hasSuffix("150 more, not shown") == true)
  }

  @Test("Many services do not count as depth")
  func many() throws {
    let services = String(repeating: "  - { uuid: FFF0 }\n", count: 45_000)
    let error = #expect(throws: ProfileError.self) {
      try Profile.load(text: "understudy: 1\nname: Test\nservices:\n" + services)
    }
    #expect(error?.description.contains("nested") == false)
  }
}
