import Testing

@testable import AccessoryProfile

/// Quoted scalars are always text; unquoted `hex:`, `0x` and widths are octets and numbers.
@Suite("Quotes")
struct QuotingTests {
  private static func characteristic(_ keys: String) -> [String] {
    diagnose(
      "understudy: 1\nname: Test\nservices: [ { uuid: FFF0, characteristics: [ { uuid: FFF1, \(keys) } ] } ]")
  }

  @Test(
    "Text that looks like octets causes a warning",
    arguments: [
      #"properties: [read], value: "hex:2a""#, #"properties: [read], value: "0x80""#,
      #"properties: [read], format: utf8, value: "0x80""#, #"properties: [read], format: hex, value: "u16:5""#,
      #"properties: [write], on-write: [ { when: "hex:01", do: log } ]"#,
    ])
  func warnings(_ keys: String) {
    let found = Self.characteristic(keys)
    #expect(found.count == 1 && found[0].contains("warning: because of the quotes, this is the text '"), "\(found)")
  }

  @Test("Octets in place of text cause a warning")
  func plain() {
    let found = Self.characteristic("properties: [read], format: utf8, value: 0x80")
    #expect(found.count == 1 && found[0].contains("warning: '0x80' is text here"))
  }

  @Test(
    "A quoted number is not a number",
    arguments: [
      #"properties: [write], on-write: [ { when: 'a', error: "0x80" } ]"#,
      #"properties: [write], on-write: [ { when: 'a', error: "128" } ]"#,
      #"properties: [read], format: u8, value: "5""#, #"properties: [read], format: u8, value: "0x05""#,
      #"properties: [read], format: { names: { off: 0, on: 1 } }, value: "1""#,
      #"properties: [read], max-length: "5""#,
    ])
  func errors(_ keys: String) {
    let found = Self.characteristic(keys)
    #expect(found.count == 1 && found[0].contains(": error: "), "\(found)")
  }

  @Test("A quoted appearance is a name, and the message gives advice")
  func appearance() {
    let found = diagnose("understudy: 1\nname: x\nidentity: { appearance: \"0x0341\" }\n")
    #expect(found.count == 1 && found[0].contains("so remove the quotes"))
    #expect(diagnose("understudy: 1\nname: x\nidentity: { appearance: 0x0341 }\n").isEmpty)
  }

  @Test("Other quoted text causes none", arguments: [#""hello""#, #""42""#, #""hex""#, #""0xyz""#])
  func others(_ text: String) { #expect(Self.characteristic("properties: [read], value: \(text)").isEmpty) }

  @Test("JSON quotes everything: a prefix marks octets and numbers there")
  func json() throws {
    let value = ProfileValue.object([
      "id": .string("x"), "psm": .string("0x85"), "handler": .string("echo"),
    ])
    #expect(try ChannelDefinition.load(value).psm == .fixed(0x85))
  }
}
