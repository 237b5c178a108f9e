import BLECore
import Testing

@Suite("Layouts")
struct OctetLayoutTests {
  private var sample: Everything {
    var value = Everything()
    value.octet = 0x01
    value.signed = -2
    value.word = 0x0304
    value.triple = 0x05_06_07
    value.double = 0x0809_0A0B
    value.quad = 0x0C0D_0E0F_1011_1213
    value.colour = .red
    value.switches = [.light, .heat]
    value.isOn = true
    value.address = DeviceAddress(bits: 0xC0_11_22_33_44_55)
    value.fixed = [0xF1, 0xF2, 0xF3]
    value.counted = [0xC1, 0xC2]
    value.pairCount = 2
    value.pairs = [Pair(1, 0x0102), Pair(2, 0x0304)]
    value.inner = Pair(9, 0x0A0B)
    return value
  }

  private let sampleOctets =
    "01" + "fe" + "0403" + "070605" + "0b0a0908" + "131211100f0e0d0c" + "01" + "0180" + "01" + "5544332211c0"
    + "f1f2f3" + "02c1c2" + "02" + "010201" + "020403" + "090b0a"

  @Test("Every kind of field is at its place in the layout, little endian")
  func encodes() {
    #expect(sample.encoded.hexadecimal == sampleOctets)
  }

  @Test("The same list of fields decodes what it encodes")
  func roundTrip() throws {
    #expect(try Everything(decoding: sample.encoded) == sample)
  }

  @Test("Encoding appends to the existing octets")
  func encodesBehind() {
    var buffer = OctetBuffer()
    buffer.append([0xAA, 0xBB])
    Pair(1, 2).encode(into: &buffer)
    Pair(3, 4).encode(into: &buffer)
    #expect(buffer.copy() == [0xAA, 0xBB, 1, 2, 0, 3, 4, 0])
  }

  @Test("Octets missing at any place are an error with the position")
  func truncated() {
    let octets = sample.encoded
    for length in 0..<octets.count {
      let error = #expect(throws: LayoutFault.self) { try Everything(decoding: Array(octets.prefix(length))) }
      guard case .truncated(let offset, let needed, let available) = error else {
        Issue.record("\(length) octets: \(String(describing: error))")
        continue
      }
      #expect(offset + available == length)
      #expect(needed > available)
    }
  }

  @Test("Extra octets are an error with their number", arguments: 1...5)
  func trailing(extra: Int) {
    let octets = sample.encoded
    #expect(throws: LayoutFault.trailing(offset: octets.count, extra: extra)) {
      try Everything(decoding: octets + Array(repeating: 0, count: extra))
    }
  }

  @Test("A prefix is decoded, and the rest is left to the caller")
  func prefix() throws {
    let (value, consumed) = try Pair.decodePrefix(of: ([1, 2, 3, 4, 5] as [UInt8]).span)
    #expect(value == Pair(1, 0x0302))
    #expect(consumed == 3)
  }

  @Test("Unassigned numbers decode, too", arguments: UInt8.min...UInt8.max)
  func openCodes(raw: UInt8) throws {
    var octets = sample.encoded
    octets[19] = raw
    let value = try Everything(decoding: octets)
    #expect(value.colour == Colour(rawValue: raw))
    #expect(value.encoded == octets)
  }

  @Test(
    "A boolean is false for 0x00 alone, and is sent as 0x00 or 0x01", arguments: [0x00, 0x01, 0x02, 0xFF] as [UInt8])
  func booleans(raw: UInt8) throws {
    var octets = sample.encoded
    octets[22] = raw
    let value = try Everything(decoding: octets)
    #expect(value.isOn == (raw != 0))
    #expect(value.encoded[22] == (raw == 0 ? 0 : 1))
  }

  @Test("Three octets hold the low 24 bits of a number")
  func integer24() throws {
    var value = sample
    value.triple = 0xFF12_3456
    #expect(Array(value.encoded[4..<7]) == [0x56, 0x34, 0x12])
    #expect(try Everything(decoding: value.encoded).triple == 0x12_3456)
  }

  @Test("Octets of a fixed number are truncated or padded with zeros, so that the later fields stay in place")
  func fixedOctets() throws {
    var short = sample
    short.fixed = [1]
    #expect(try Everything(decoding: short.encoded).fixed == [1, 0, 0])
    var long = sample
    long.fixed = [1, 2, 3, 4, 5]
    #expect(try Everything(decoding: long.encoded).fixed == [1, 2, 3])
  }

  @Test("Counted octets are truncated at 255, and so is their length", arguments: [0, 1, 254, 255, 256, 1000])
  func counted(length: Int) throws {
    var value = sample
    value.counted = Array(repeating: 7, count: length)
    #expect(try Everything(decoding: value.encoded).counted.count == min(length, 255))
  }

  @Test("A list with more entries than octets is an error, and allocates nothing for them")
  func listTooLong() {
    var value = sample
    value.pairCount = 255
    #expect(throws: LayoutFault.self) { try Everything(decoding: value.encoded) }
  }

  @Test("The rest of the octets, possibly empty", arguments: [0, 1, 300])
  func remainder(length: Int) throws {
    var value = OpenEnded()
    value.head = 0x0102
    value.rest = Array(repeating: 5, count: length)
    #expect(value.encoded.count == 2 + length)
    #expect(try OpenEnded(decoding: value.encoded) == value)
  }

  @Test("Entries up to the end; half an entry is an error", arguments: 0...9)
  func remainingList(length: Int) throws {
    let octets = (0..<length).map { UInt8($0) }
    if length.isMultiple(of: 3) {
      let value = try PairList(decoding: octets)
      #expect(value.pairs.count == length / 3)
      #expect(value.encoded == octets)
    } else {
      #expect(throws: LayoutFault.self) { try PairList(decoding: octets) }
    }
  }

  @Test("A list of entries without fields ends")
  func endlessList() throws {
    #expect(throws: LayoutFault.trailing(offset: 0, extra: 1)) { try ListOfNothing(decoding: [1]) }
    #expect(try ListOfNothing(decoding: []).entries.isEmpty)
  }

  /// 32-bit UUIDs are not possible in attribute types (Core 5.4 Vol 3 Part F 3.2.1).
  @Test("A UUID that fills the rest has 2 octets or 16, and no other number", arguments: 0...20)
  func uuids(length: Int) throws {
    let octets = (0..<length).map { UInt8($0 + 1) }
    if length == 2 || length == 16 {
      #expect(try TypeOnly(decoding: octets).encoded == octets)
    } else {
      #expect(throws: LayoutFault.self) { try TypeOnly(decoding: octets) }
    }
  }

  @Test("A layout without fields takes no octets")
  func nothing() throws {
    #expect(Nothing().encoded == [])
    #expect(try Nothing(decoding: []) == Nothing())
    #expect(throws: LayoutFault.trailing(offset: 0, extra: 1)) { try Nothing(decoding: [0]) }
  }

  @Test("Random octets decode and encode to themselves, or are an error", arguments: 0..<50 as Range<UInt64>)
  func randomOctets(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<100 {
      var octets = random.octets(Int.random(in: 0...80, using: &random))
      // The only field with several encodings of the same value.
      if octets.count > 22 { octets[22] &= 1 }
      if let value = try? Everything(decoding: octets) { #expect(value.encoded == octets) }
    }
  }

  @Test("A description has a name and a value for each field, in order")
  func describes() {
    let fields = sample.described
    #expect(fields.map(\.name).prefix(3) == ["Octet", "Signed", "Word"])
    #expect(fields.first { $0.name == "Signed" }?.value == "0xFE")
    #expect(fields.first { $0.name == "Word" }?.value == "0x0304")
    #expect(fields.first { $0.name == "Fixed" }?.value == "f1f2f3")
    let pairs = fields.first { $0.name == "Pairs" }
    #expect(pairs?.children.count == 2)
    #expect(pairs?.children.first?.children.map(\.name) == ["Key", "Value"])
    #expect(pairs?.children.first?.children.map(\.value) == ["0x01", "0x0102"])
  }
}
