import BLECore
import Testing

@Suite("Layouts with the most significant octet first")
struct BigEndianFieldTests {
  /// A code with a meaning.
  private struct Shape: OpenCode {
    var rawValue: UInt16
    init(rawValue: UInt16) { self.rawValue = rawValue }
    var meaning: String? { rawValue == 0x0102 ? "Round" : nil }
  }

  /// Octets after their number, whose text is that number.
  private struct Run: DelimitedOctets, Hashable {
    var octets: [UInt8] = []
    var description: String { "\(octets.count)" }

    static func decodePrefix(of octets: Span<UInt8>) throws(LayoutFault) -> (value: Run, consumed: Int) {
      guard octets.count > 0 else { throw .truncated(offset: 0, needed: 1, available: 0) }
      let count = Int(octets[0])
      guard count < 9 else { throw .malformed(offset: 0) }
      guard octets.count > count else { throw .truncated(offset: 1, needed: count, available: octets.count - 1) }
      return (Run(octets: (1..<1 + count).map { octets[$0] }), 1 + count)
    }

    func encode(into buffer: inout OctetBuffer) {
      buffer.append(UInt8(octets.count))
      buffer.append(octets)
    }

    static func describe(_ name: String, _ octets: [UInt8], in range: Range<Int>) -> DescribedField {
      DescribedField(name, octets[range].hexadecimal, range: range)
    }
  }

  private struct Sample: OctetLayout, Hashable {
    var word: UInt16 = 0
    var signed: Int16 = 0
    var double: UInt32 = 0
    var shape = Shape(rawValue: 0)
    var run = Run()
    var octet: UInt8 = 0

    mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.bigEndian("Word", &word)
      try fields.bigEndian("Signed", &signed)
      try fields.bigEndian("Double", &double)
      try fields.bigEndianCode("Shape", &shape)
      try fields.delimited("Run", &run)
      try fields.integer("Octet", &octet)
    }
  }

  private let octets: [UInt8] = [1, 2, 0xFF, 0xFE, 3, 4, 5, 6, 1, 2, 2, 0xA1, 0xA2, 7]

  @Test("Fields decode, encode, and are described")
  func fields() throws {
    let sample = try Sample(decoding: octets)
    #expect(sample.word == 0x0102 && sample.signed == -2 && sample.double == 0x0304_0506)
    #expect(sample.shape.rawValue == 0x0102 && sample.run.octets == [0xA1, 0xA2] && sample.octet == 7)
    #expect(sample.encoded == octets)
    let fields = sample.described
    #expect(fields.map(\.value) == ["0x0102", "0xFFFE", "0x03040506", "0x0102", "02a1a2", "0x07"])
    #expect(fields.map(\.meaning) == [nil, "-2", nil, "Round", nil, nil])
    #expect(fields.map(\.range) == [0..<2, 2..<4, 4..<8, 8..<10, 10..<13, 13..<14])
  }

  @Test("A fault in a delimited field has its position in the layout")
  func faults() {
    for count in octets.indices {
      let cut = Array(octets[..<count])
      let error = #expect(throws: LayoutFault.self) { try Sample(decoding: cut) }
      guard case .truncated(let offset, _, let available) = error else {
        Issue.record("\(count) octets: \(String(describing: error))")
        continue
      }
      #expect(offset + available == count)
      #expect(Sample.describe(cut).fault == error)
    }
    var malformed = octets
    malformed[10] = 9
    #expect(throws: LayoutFault.malformed(offset: 10)) { try Sample(decoding: malformed) }
    #expect(LayoutFault.trailing(offset: 1, extra: 2).moved(by: 3) == .trailing(offset: 4, extra: 2))
  }
}
