import AccessoryProfile
import BLEGATT
import Testing

@testable import Importing

@Suite("Bad input for imports")
struct BadInputTests {
  /// No prefix of an example crashes or becomes an invalid profile. A truncated character becomes U+FFFD.
  @Test(arguments: Examples.all)
  func everyPrefixIsHarmless(_ example: (file: String, format: String)) throws {
    let octets = Array(try Examples.text(example.file).utf8)
    for count in 0..<octets.count {
      let source = ImportSource(name: example.file, text: String(decoding: octets[..<count], as: UTF8.self))
      let format = try #require(ImportFormat.named(example.format))
      var context = ImportContext(include: { _ in .failure(IncludeFailure(reason: "not here")) })
      do throws(ImportError) {
        let database = try format.read(source, &context)
        // Writing takes longer, so the test does not write every prefix.
        if count.isMultiple(of: 61) {
          #expect(throws: Never.self) { try ProfileWriter.write(database) }
        }
      } catch {
        #expect(error.diagnostics.allSatisfy { $0.line > 0 && $0.column > 0 && !$0.message.isEmpty })
      }
    }
  }

  static let refusedXML: [(text: String, place: String, message: String)] = [
    ("<!DOCTYPE x [<!ENTITY a \"b\">]><gatt/>", "1:1", "document type declarations are refused"),
    ("<gatt>&a;</gatt>", "1:7", "the entity '&a;' is not known"),
    ("<gatt><service></gatt>", "1:16", "'</gatt>' does not match the open element 'service'"),
    ("<gatt>\n  <service uuid=\"1800\"", "2:3", "the tag 'service' does not end"),
    ("<gatt><service uuid=1800/></gatt>", "1:21", "needs quotes"),
    ("<gatt a=\"1\" a=\"2\"/>", "1:13", "given twice"),
    ("<gatt/><gatt/>", "1:8", "the document ends before this"),
    ("<gatt><!-- ", "1:7", "this comment does not end"),
    ("<gatt>&#0;</gatt>", "1:7", "is not a character"),
  ]

  @Test(arguments: refusedXML)
  func invalidXMLIsAnErrorWithItsPlace(_ row: (text: String, place: String, message: String)) throws {
    let error = #expect(throws: ImportError.self) {
      try ProfileImport.read(ImportSource(name: "x.xml", text: row.text), format: "silicon-labs")
    }
    let diagnostic = try #require(error?.diagnostics.last)
    #expect("\(diagnostic.line):\(diagnostic.column)" == row.place)
    #expect(diagnostic.message.contains(row.message), Comment(rawValue: diagnostic.message))
    #expect(diagnostic.severity == .error)
  }

  @Test func nestingHasABudget() throws {
    for (opening, format) in [("<gatt>", "silicon-labs"), ("[", "bumble")] {
      let text = String(repeating: opening, count: 100_000)
      let error = #expect(throws: ImportError.self) {
        try ProfileImport.read(ImportSource(name: "deep", text: text), format: format)
      }
      #expect(error?.diagnostics.last?.message.contains("nested too deeply") == true)
    }
    // Endlessly nested braces of C are no initializer.
    let braces = "struct ble_gatt_svc_def x[] = " + String(repeating: "{", count: 100_000)
    #expect(throws: ImportError.self) { try ProfileImport.read(ImportSource(name: "x.c", text: braces)) }
  }

  /// Long lines and nested brackets take time in proportion to their size.
  @Test(
    arguments: [
      ("struct ble_gatt_svc_def x[] = { ", 30_000), ("a(BT_GATT_PRIMARY_SERVICE(BT_UUID_BAS), b = ", 9000),
      ("esp_gatts_attr_db_t y = {", 20_000), ("x = (", 30_000),
    ])
  func repeatedBeginningsEnd(_ row: (text: String, count: Int)) {
    let text = String(repeating: row.text, count: row.count)
    for format in ["nimble", "zephyr", "esp-idf"] {
      _ = try? ProfileImport.read(ImportSource(name: "x.c", text: text), format: format)
    }
  }

  @Test func longCSourceIsRefused() {
    let error = #expect(throws: ImportError.self) {
      try ProfileImport.read(
        ImportSource(name: "x.c", text: String(repeating: "a ", count: 100_001)), format: "zephyr")
    }
    #expect(error?.diagnostics.first?.message.contains("more than 100000 words and signs of C") == true)
  }

  @Test func placesInLongLinesAreRight() throws {
    let filler = String(repeating: "é", count: 40_000)
    let text = "{\"a\": \"\(filler)\", \"services\": [{\"uuid\": \"12\"}, {\"uuid\": \"FFF0\"}]}"
    let result = try ProfileImport.read(ImportSource(name: "x.json", text: text))
    #expect(result.warnings.map { "\($0.line):\($0.column):\($0.sourceLine)" } == ["1:40024:"])
  }

  @Test func wrongUUIDsAndUnknownElementsAreWarnings() throws {
    let text = """
      <gatt>
        <service uuid="18"><characteristic uuid="2A00"/></service>
        <service uuid="FFF0">
          <characteristic uuid="FFF1"><properties read="true" shout="true"/><colour/></characteristic>
        </service>
      </gatt>
      """
    let result = try ProfileImport.read(ImportSource(name: "x.xml", text: text))
    #expect(result.written.profile.outline == ["FFF0 FFF0", "  FFF1 FFF1 read"])
    #expect(result.warnings.map { "\($0.line):\($0.column)" } == ["2:3", "4:57", "4:71"])
  }

  @Test func equalNamesGetDifferentIds() throws {
    let members = (0..<3).map {
      "{\"uuid\": \"FFF\($0)\", \"name\": \"Same: \\\"name\\\"\", \"properties\": [\"read\"]}"
    }
    let text =
      "[{\"uuid\": \"FFE0\", \"name\": \"é#\\n- x: y\", \"characteristics\": [\(members.joined(separator: ","))]}]"
    let profile = try ProfileImport.read(ImportSource(name: "x.json", text: text)).written.profile
    #expect(profile.services[0].characteristics.map(\.id) == ["same-name", "same-name-2", "same-name-3"])
  }

  @Test func repeatedUUIDsGetDifferentIds() throws {
    let text =
      "PRIMARY_SERVICE, 180F\nCHARACTERISTIC, 2A19, READ, 05\nPRIMARY_SERVICE, 180F\nCHARACTERISTIC, 2A19, READ, 06\n"
    let profile = try ProfileImport.read(ImportSource(name: "x.gatt", text: text)).written.profile
    #expect(profile.services.map(\.id) == ["battery", "battery-2"])
    #expect(Set(profile.services.flatMap(\.characteristics).map(\.id)).count == 2)
  }

  @Test func commentsOfTheSourceStayComments() throws {
    let text =
      "// one\u{0B}two\u{2028}services: []\nPRIMARY_SERVICE, FFF0\n// \u{1B}[31mred\nCHARACTERISTIC, FFF1, READ, 01\n"
    let written = try ProfileImport.read(ImportSource(name: "x\ny.gatt", text: text)).written
    #expect(written.profile.outline == ["FFF0 FFF0", "  FFF1 FFF1 read"])
    #expect(!written.text.contains("\u{1B}"))
    #expect(!written.text.split(separator: "\n").contains { $0.hasPrefix("services: []") })
  }

  @Test func warningsHaveABudget() throws {
    let lines = (0..<500).map { "NONSENSE_\($0), 1" }
    let text = "PRIMARY_SERVICE, FFF0\n" + lines.joined(separator: "\n")
    let result = try ProfileImport.read(ImportSource(name: "x.gatt", text: text))
    #expect(result.warnings.count == 100)
    #expect(result.omittedWarnings == 400)
  }
}
