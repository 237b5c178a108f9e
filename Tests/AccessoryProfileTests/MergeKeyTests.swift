import BLECore
import BLEGATT
import Testing

@testable import AccessoryProfile

@Suite("Merge keys of YAML")
struct MergeKeyTests {
  private static let base = """
    services:
      - uuid: FFF0
        characteristics:
          - &base { id: first, uuid: FFF1, properties: [read], format: u8, value: 1 }

    """

  @Test("The keys of another mapping are added; the mapping's own keys take precedence")
  func mapping() throws {
    let profile = try profile(Self.base + "      - { <<: *base, id: second, value: 2 }\n")
    let characteristics = profile.services[0].characteristics
    #expect(characteristics.map(\.id) == ["first", "second"])
    #expect(characteristics.map(\.uuid) == [BluetoothUUID(0xFFF1), BluetoothUUID(0xFFF1)])
    #expect(characteristics.map(\.value) == [.stored([1]), .stored([2])])
  }

  @Test("With several mappings the first takes precedence, and the keys are inserted at the merge key")
  func several() throws {
    let profile = try profile(
      """
      services:
        - uuid: FFF0
          characteristics:
            - id: x
              uuid: FFF1
              properties: [read]
              format: { struct: { a: u8, <<: [ { b: u8, c: u8 }, { c: u16, d: u8 } ], e: u8, b: u16 } }
              value: { a: 1, b: 2, c: 3, d: 4, e: 5 }
      """)
    // a, then c and d, then e; b has the mapping's own value.
    #expect(profile.services[0].characteristics[0].value == .stored([1, 3, 4, 5, 2, 0]))
  }

  @Test("A quoted key is a key like any other")
  func quoted() { #expect(diagnose("understudy: 1\nname: x\n\"<<\": {}\n")[0].contains("unknown key '<<'")) }

  @Test("Only mappings can be merged", arguments: ["5", "[ { about: y }, 5 ]", "[ [ ] ]"])
  func mistakes(_ value: String) {
    let found = diagnose("understudy: 1\nname: x\n<<: \(value)\n")
    #expect(found.count == 1 && found[0].hasPrefix("3:") && found[0].contains("'<<' takes a mapping"))
  }

  @Test("Mappings that merge others without end have too many parts")
  func bomb() {
    var text = "understudy: 1\nname: x\nabout: &a0 { a: 1, b: 2 }\n"
    for level in 1...30 {
      text += "k\(level): &a\(level) { p: *a\(level - 1), q: *a\(level - 1), <<: *a\(level - 1) }\n"
    }
    #expect(diagnose(text).contains { $0.contains(Budget.nodes.excess) })
  }
}
