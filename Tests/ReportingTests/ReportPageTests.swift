import AccessoryProfile
import BLECore
import Capture
import Decoding
import Testing
import Viewing

@testable import Reporting

@Suite("The page of a report") struct ReportPageTests {
  private func report(of octets: [[UInt8]], name: String = "case") -> RunReport {
    var shelf = RecordShelf()
    for (number, packet) in octets.enumerated() {
      shelf.append(CaptureRecord(.hci(.controllerToHost), nanoseconds: Int64(number) * 1_000_000, octets: packet))
    }
    var reported = ReportedCase(name: name, file: "x.pcapng", outcome: .recorded)
    reported.track = TrackBuilder().track(of: shelf)
    return RunReport(title: "Title", maker: "understudy", cases: [reported])
  }

  @Test(
    "No text can end the data's element",
    arguments: ["</script>", "<!--<script>", "]]>", "\u{0}\u{1B}\u{2028}\u{202E}", "\\\""])
  func hostile(_ text: String) throws {
    let json = ReportJSON.text(of: report(of: [], name: text))
    #expect(!json.contains("<"))
    let value = try ProfileValue(json: Array(json.utf8))
    #expect(value["cases"]?[0]?["name"]?.string == text)
  }

  @Test("The page allows only its own script and style, and loads nothing")
  func policy() throws {
    let page = ReportPage.text(of: report(of: []))
    let policy = try #require(page.firstMatch(of: #/Content-Security-Policy" content="([^"]*)"/#)?.1)
    #expect(policy.hasPrefix("default-src 'none'; script-src 'sha256-"))
    #expect(!policy.contains("unsafe") && !policy.contains("http"))
    #expect(page.ranges(of: "<script").count == 2 && page.ranges(of: "</script>").count == 2)
    #expect(!page.contains(" src=") && !page.contains("@import") && !page.contains("url("))
  }

  @Test("Packets of a kind share their fields")
  func sharing() throws {
    let packets = (0..<100).map { number -> [UInt8] in
      [2, 0x40, 0x20, 9, 0, 5, 0, 4, 0, 0x1B, 0x0B, 0, UInt8(number), 1]
    }
    let one = try ProfileValue(json: Array(ReportJSON.text(of: report(of: Array(packets.prefix(1)))).utf8))
    let all = try ProfileValue(json: Array(ReportJSON.text(of: report(of: packets)).utf8))
    for table in ["fields", "layers"] {
      let counts = [one, all].map { json -> Int in
        if case .array(let entries) = json[table] { entries.count } else { -1 }
      }
      #expect(counts[0] > 0 && counts[0] == counts[1], "\(table)")
    }
  }

  @Test("The failed cases come first")
  func order() throws {
    let failure = ReportedCase.Failure(line: 3, step: "read", reason: "no")
    let cases = [
      ReportedCase(name: "a", file: "", outcome: .passed), ReportedCase(name: "b", file: "", outcome: .failed(failure)),
      ReportedCase(name: "c", file: "", outcome: .skipped("why")),
    ]
    let json = try ProfileValue(json: Array(ReportJSON.text(of: RunReport(title: "", maker: "", cases: cases)).utf8))
    #expect((0..<3).map { json["cases"]?[$0]?["name"]?.string } == ["b", "a", "c"])
    #expect(json["cases"]?[0]?["failure"]?["line"]?.int == 3)
  }

  @Test("Base64", arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")])
  func base64(_ text: String, _ expected: String) { #expect(Base64.text(text.utf8) == expected) }

  @Test("Lines split where their parts were joined", arguments: ["", "a", "a - b", " - ", "a - - b - "])
  func parts(_ text: String) { #expect(ReportJSON.parts(text).joined(separator: " - ") == text) }
}
