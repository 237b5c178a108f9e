import BLECore
import BLESDP
import Testing

/// Data elements, octet by octet (Core 5.4 Vol 3 Part B 3).
@Suite("SDP data elements")
struct DataElementTests {
  private static let vendor = BluetoothUUID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)

  static let examples: [(DataElement, String)] = [
    (.null, "00"),
    (.unsigned8(0xFE), "08 fe"), (.unsigned16(0x0102), "09 0102"), (.unsigned32(0x0102_0304), "0a 01020304"),
    (.unsigned64(0x0102_0304_0506_0708), "0b 0102030405060708"),
    (.unsigned128(high: 1, low: 2), "0c 0000000000000001 0000000000000002"),
    (.signed8(-2), "10 fe"), (.signed16(-2), "11 fffe"), (.signed32(-2), "12 fffffffe"),
    (.signed64(-2), "13 fffffffffffffffe"), (.signed128(high: -1, low: 2), "14 ffffffffffffffff 0000000000000002"),
    (.uuid16(0x0100), "19 0100"), (.uuid32(0x0001_0203), "1a 00010203"),
    (.uuid128(vendor), "1c 0102030405060708090a0b0c0d0e0f10"),
    (.text("Hi"), "25 02 4869"), (.boolean(true), "28 01"), (.boolean(false), "28 00"),
    (.sequence([]), "35 00"), (.sequence([.uuid16(0x0100), .unsigned16(0x001F)]), "35 06 190100 09001f"),
    (.alternative([.null, .sequence([.null])]), "3d 04 00 35 01 00"), (.url(Array("a:b".utf8)), "45 03 613a62"),
  ]

  @Test("Every type and size encodes and decodes", arguments: examples)
  func golden(_ element: DataElement, _ hexadecimal: String) throws {
    let octets = try #require([UInt8](hexadecimal: hexadecimal))
    #expect(element.encoded == octets)
    #expect(element.octetCount == octets.count)
    #expect(try DataElement(decoding: octets) == element)
    for length in octets.indices {
      #expect(throws: LayoutFault.self) { try DataElement(decoding: Array(octets[..<length])) }
    }
    #expect(throws: LayoutFault.trailing(offset: octets.count, extra: 1)) { try DataElement(decoding: octets + [0]) }
  }

  @Test("A length is encoded in its shortest form, and decoded in any", arguments: [0, 255, 256, 65_535, 65_536])
  func lengths(_ count: Int) throws {
    let content = [UInt8](repeating: 0x41, count: count)
    let head = [UInt8](DataElement.text(content).encoded.prefix(5))
    switch count {
    case ...255: #expect(head.prefix(2) == [0x25, UInt8(count)])
    case ...65_535: #expect(head.prefix(3) == [0x26, UInt8(count >> 8), UInt8(count & 0xFF)])
    default: #expect(head == [0x27, 0, 1, 0, 0])
    }
    #expect(DataElement.text(content).octetCount == DataElement.text(content).encoded.count)
    var forms: [[UInt8]] = [[0x27] + UInt32(count).bigEndianOctets]
    if count <= 0xFFFF { forms.append([0x26] + UInt16(count).bigEndianOctets) }
    for form in forms { #expect(try DataElement(decoding: form + content) == .text(content)) }
  }

  @Test("Unknown types and sizes that a type does not have are refused")
  func malformed() {
    let allowed: [UInt8: [UInt8]] = [
      0: [0], 1: [0, 1, 2, 3, 4], 2: [0, 1, 2, 3, 4], 3: [1, 2, 4], 4: [5, 6, 7], 5: [0], 6: [5, 6, 7], 7: [5, 6, 7],
      8: [5, 6, 7],
    ]
    for descriptor in UInt8.min...UInt8.max where !(allowed[descriptor >> 3] ?? []).contains(descriptor & 7) {
      let octets = [descriptor] + [UInt8](repeating: 0, count: 16)
      #expect(throws: LayoutFault.malformed(offset: 0)) { try DataElement(decoding: octets) }
    }
  }

  @Test("An element that is longer than its sequence is refused")
  func overrun() {
    #expect(throws: LayoutFault.self) { try DataElement(decoding: [0x35, 0x02, 0x09, 0x01, 0x02]) }
    #expect(throws: LayoutFault.self) { try DataElement(decoding: [0x35, 0x02, 0x25, 0x02, 0x41, 0x41]) }
    #expect(throws: LayoutFault.self) { try DataElement(decoding: [0x37, 0xFF, 0xFF, 0xFF, 0xFF, 0x00]) }
  }

  @Test("Depth and number of elements are bounded")
  func bounds() throws {
    func nested(_ depth: Int) -> DataElement { depth == 0 ? .null : .sequence([nested(depth - 1)]) }
    let deepest = nested(DataElement.maximumDepth)
    #expect(try DataElement(decoding: deepest.encoded) == deepest)
    #expect(throws: LayoutFault.self) { try DataElement(decoding: nested(DataElement.maximumDepth + 1).encoded) }
    let many = DataElement.sequence(Array(repeating: .null, count: DataElement.maximumCount - 1))
    #expect(try DataElement(decoding: many.encoded) == many)
    let tooMany = DataElement.sequence(Array(repeating: .null, count: DataElement.maximumCount))
    #expect(throws: LayoutFault.self) { try DataElement(decoding: tooMany.encoded) }
  }

  @Test("Random elements decode to themselves, random octets do no harm", arguments: 0..<50 as Range<UInt64>)
  func random(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<20 {
      let element = DataElement.random(depth: 4, using: &random)
      #expect(try DataElement(decoding: element.encoded) == element)
      #expect(element.octetCount == element.encoded.count)
      var octets = element.encoded
      octets[Int.random(in: octets.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      _ = DataElement.describe("Element", octets, in: octets.indices, as: .attributeLists)
      guard let changed = try? DataElement(decoding: octets) else { continue }
      #expect(try DataElement(decoding: changed.encoded) == changed)
    }
  }

  @Test(
    "Elements have a text", arguments: texts)
  func text(_ element: DataElement, _ text: String) { #expect(element.description == text) }

  static let texts: [(DataElement, String)] = [
    (.null, "nil"), (.unsigned8(5), "0x05"), (.unsigned16(31), "0x001F"), (.signed8(-5), "-5"),
    (.uuid16(0x0100), "L2CAP (0x0100)"), (.uuid16(0x180D), "Heart Rate (0x180D)"), (.uuid16(0xABCD), "UUID 0xABCD"),
    (.uuid32(0x0001_0203), "UUID 0x00010203"), (.uuid128(BluetoothUUID(0x1101)), "SerialPort (0x1101)"),
    (.uuid128(vendor), "UUID 01020304-0506-0708-090A-0B0C0D0E0F10"), (.text("a\"b"), #""a\"b""#),
    (.text([0xFF]), "'ff'"), (.text([0x41, 0]), #""A""#), (.boolean(true), "true"),
    (.sequence([.uuid16(7), .unsigned16(1)]), "[ATT (0x0007), 0x0001]"), (.alternative([.null, .null]), "(nil | nil)"),
    (.url(Array("http://a".utf8)), "<http://a>"),
  ]

  @Test("A tree of fields shows nested elements, and attribute lists with the names of attributes")
  func tree() {
    let list = DataElement.sequence([
      .unsigned16(0x0000), .unsigned32(0x0001_0001), .unsigned16(0x0004),
      .sequence([.sequence([.uuid16(0x0100), .unsigned16(0x001F)])]),
    ])
    let octets = DataElement.sequence([list]).encoded
    let field = DataElement.describe("Attribute Lists", octets, in: octets.indices, as: .attributeLists)
    #expect(field.range == 0..<octets.count && field.children.count == 1)
    let record = field.children.first?.children ?? []
    #expect(
      record.map(\.name) == [
        "Attribute ID", "ServiceRecordHandle (0x0000)", "Attribute ID", "ProtocolDescriptorList (0x0004)",
      ])
    #expect(record.map(\.range) == [4..<7, 7..<12, 12..<15, 15..<25])
    let descriptor = record.last?.children.first?.children ?? []
    #expect(descriptor.map(\.meaning) == ["L2CAP (0x0100)", "0x001F"])
    #expect(descriptor.map(\.name) == ["UUID", "Unsigned Integer"])
    #expect(descriptor.map(\.range) == [19..<22, 22..<25])
  }
}
