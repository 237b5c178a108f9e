import BLECore
import Testing

@testable import Capture

@Suite("Comments and flags on packets")
struct CommentTests {
  private static let remarked: [CaptureRecord] = CaptureFileTests.packets.enumerated().map { place, record in
    var record = record
    if place % 2 == 0 { record.comment = "Number \(place): why?\nBecause." }
    return record
  }

  @Test(
    "comments are kept, in runs of any length", arguments: [CaptureFormat.pcapng, .packetLogger],
    [1, 5, 13, 64, 1000])
  func kept(format: CaptureFormat, run: Int) {
    let (records, fault) = CaptureFileTests.read(CaptureFileTests.encoded(Self.remarked, format), run: run)
    #expect(fault == nil)
    #expect(records == Self.remarked)
  }

  @Test("a PacketLogger note that is not a comment stays a note")
  func notes() {
    let note = CaptureRecord(.message(.note), nanoseconds: CaptureFileTests.time, octets: Array("Belt off".utf8))
    let records = [CaptureFileTests.packets[0], note]
    #expect(
      CaptureFileTests.read(CaptureFileTests.encoded(records, .packetLogger)).0.map(\.content) == records.map(\.content)
    )
  }

  @Test("flags of pcapng are kept")
  func flags() {
    var record = CaptureFileTests.packets[0]
    record.flags = 0x0100_0002
    #expect(CaptureFileTests.read(CaptureFileTests.encoded([record], .pcapng)).0 == [record])
  }

  @Test("several comments on a packet become lines of one")
  func several() {
    var octets = CaptureFileTests.encoded([Self.remarked[0]], .pcapng)
    // The comment's option again, before the end of options and the block's length.
    let text = Array("Again".utf8) + [0, 0, 0]
    octets.insert(contentsOf: [1, 0, 5, 0] + text, at: octets.count - 8)
    let (records, _) = CaptureFileTests.read(Self.corrected(octets, grownBy: 4 + text.count))
    #expect(records.first?.comment == "Number 0: why?\nBecause.\nAgain")
  }

  /// Returns the octets with the correct lengths of the last block.
  private static func corrected(_ octets: [UInt8], grownBy count: Int) -> [UInt8] {
    var octets = octets
    let former = Int(octets[octets.count - 4]) | Int(octets[octets.count - 3]) << 8
    let length = former + count
    for start in [octets.count - length + 4, octets.count - 4] {
      octets[start] = UInt8(truncatingIfNeeded: length)
      octets[start + 1] = UInt8(length >> 8)
    }
    return octets
  }
}
