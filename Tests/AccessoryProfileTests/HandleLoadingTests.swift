import BLECore
import BLEGATT
import Testing

@testable import AccessoryProfile

@Suite("Fixed handles")
struct HandleLoadingTests {
  private func database(_ lines: String) throws -> AttributeDatabase {
    let loaded = try profile(lines)
    return try AttributeDatabase(host: [], application: loaded.services)
  }

  /// Returns the diagnostics for a service `a` whose keys begin in line 5, and for further services.
  private func report(_ lines: String) -> [String] {
    diagnose("understudy: 1\nname: Test\nadvertising: []\nservices:\n" + lines)
  }

  @Test("Services, characteristics and descriptors get the fixed handles of their declarations")
  func handles() throws {
    let found = try database(
      """
      services:
        - uuid: FFF0
          handle: 0x0010
          characteristics:
            - { id: x, uuid: FFF1, properties: [read], handle: 0x20 }
            - { id: y, uuid: FFF2, properties: [notify], descriptors: [ { uuid: 290A, value: hex:01, handle: 48 } ] }
        - include: battery
          handle: 0x0100
        - { uuid: FFFA }
      """)
    #expect(found.services.map(\.handles) == [1...1, 0x10...0x30, 0x100...0x103])
    #expect(
      found.attributes.map(\.handle) == [1, 0x10, 0x20, 0x21, 0x22, 0x23, 0x24, 0x30, 0x100, 0x101, 0x102, 0x103])
    #expect(found.characteristic(named: "x")?.declaration == 0x20)
    #expect(found.characteristic(named: "x")?.value == 0x21)
  }

  @Test(
    "Invalid handles",
    arguments: [
      ("  - { uuid: FFF0, handle: 0x0000 }", "5:27: error: 0x0000 is not within 1...65535"),
      ("  - { uuid: FFF0, handle: 0x10000 }", "5:27: error: 0x10000 is not within 1...65535"),
      ("  - { uuid: FFF0, handle: first }", "5:27: error: expected a whole number within 1...65535, not 'first'"),
      (
        "  - { uuid: FFF0, characteristics: [ { uuid: FFF1, properties: [read], handle: 0xFFFF } ] }",
        "5:80: error: 0xFFFF is not within 1...65534"
      ),
    ])
  func numbers(_ lines: String, _ expected: String) { #expect(report(lines) == [expected]) }

  @Test("Handles that descend or are taken are all reported, each at its position")
  func order() {
    let found = report(
      """
        - uuid: FFF0
          includes: [FFF0]
          handle: 0x0010
          characteristics:
            - { uuid: FFF1, properties: [read], handle: 0x0011 }
            - { uuid: FFF2, properties: [read, notify], handle: 0x0020 }
            - { uuid: FFF3, properties: [read], handle: 0x0022 }
            - { uuid: FFF4, properties: [read], description: A, descriptors: [ { uuid: 290A, value: hex:01, handle: 0x18 } ] }
            - { uuid: FFF5, properties: [read], handle: 0x0020 }
        - uuid: FFFA
          characteristics: [ { uuid: FFFB, properties: [read], handle: 1 } ]
      """)
    let why = "is not after the handles of the preceding attributes; handles ascend in the order of declaration"
    #expect(
      found == [
        "9:51: error: the handle 0x0011 \(why)", "11:51: error: the handle 0x0022 \(why)",
        "12:111: error: the handle 0x0018 \(why)", "13:51: error: the handle 0x0020 \(why)",
        "15:66: error: the handle 0x0001 \(why)",
      ])
  }

  @Test("Services that overlap, and those that do not fit")
  func overlaps() {
    #expect(
      report(
        """
          - uuid: FFF0
            handle: 0x0010
            characteristics: [ { uuid: FFF1, properties: [read], handle: 0x0030 } ]
          - { uuid: FFF2, handle: 0x0031 }
          - { uuid: FFF3, handle: 0x0020 }
          - { uuid: FFF4, handle: 0x0032 }
          - { uuid: FFF5, handle: 0xFFFF, characteristics: [ { uuid: FFF1, id: z, properties: [read] } ] }
        """) == [
          "8:27: error: the handle 0x0031 is impossible: the services 'FFF0' and 'FFF2' would both have 0x0031",
          "9:27: error: the handle 0x0020 is impossible: the services 'FFF0' and 'FFF3' would both have 0x0020",
          "11:27: error: the handle 0xFFFF leaves no room for other attributes",
        ])
  }

  @Test("Other errors are not attributed to handles")
  func otherFaults() {
    #expect(
      report("  - { uuid: FFF0, id: a, handle: 3, includes: [battery] }\n") == [
        "5:48: error: there is no service 'battery' (known: a)"
      ])
    #expect(
      report(
        "  - { uuid: FFF0, characteristics: [ { uuid: FFF1, properties: [read], handle: 9, aggregate-format: [b] } ] }"
      ) == ["5:102: error: there is no characteristic 'b' (known: FFF1)"])
  }
}
