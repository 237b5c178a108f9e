import BLECore
import Testing

@testable import Capture

@Suite("Flags on packets")
struct FlagTests {
  /// Some flagged, some commented, some both, some neither, including records that are not packets.
  private static func remarked(_ records: [CaptureRecord]) -> [CaptureRecord] {
    records.enumerated().map { place, record in
      var record = record
      record.isFlagged = place % 2 == 0
      if place % 3 == 0 { record.comment = "Why is it \(place)?\nBecause." }
      return record
    }
  }

  private static let note = CaptureRecord(
    .message(.note), nanoseconds: CaptureFileTests.time, octets: Array("Belt off".utf8))

  @Test(
    "flags are kept with and without comments, in runs of any length",
    arguments: [CaptureFormat.pcapng, .packetLogger],
    [1, 5, 13, 64, 1000])
  func kept(format: CaptureFormat, run: Int) {
    let records = Self.remarked([Self.note] + CaptureFileTests.packets)
    let (found, fault) = CaptureFileTests.read(CaptureFileTests.encoded(records, format), run: run)
    #expect(fault == nil)
    #expect(found.map(\.isFlagged) == records.map(\.isFlagged))
    #expect(found.map(\.comment) == records.map(\.comment))
    #expect(found.map(\.octets) == records.map(\.octets))
  }

  @Test("conversion from one of the formats to the other and back loses nothing")
  func converted() {
    let records = Self.remarked(CaptureFileTests.packets)
    let there = CaptureFileTests.read(CaptureFileTests.encoded(records, .packetLogger)).0
    #expect(CaptureFileTests.read(CaptureFileTests.encoded(there, .pcapng)).0 == records)
  }

  @Test("other formats keep the packets without their flags", arguments: [CaptureFormat.btsnoop, .monitor, .pcap])
  func lost(format: CaptureFormat) {
    #expect(!format.keepsRemarks)
    let found = CaptureFileTests.read(CaptureFileTests.encoded(Self.remarked(CaptureFileTests.packets), format)).0
    #expect(found.map(\.octets) == CaptureFileTests.packets.map(\.octets))
    #expect(found.allSatisfy { !$0.isFlagged && $0.comment == nil })
  }

  @Test(
    "the word on a separate line is the flag, and the other text stays",
    arguments: [
      ("flagged", true, nil), ("flagged\nWhy?", true, "Why?"), ("Why?\nflagged\n\nSo.", true, "Why?\n\nSo."),
      ("it is flagged", false, "it is flagged"), ("", false, ""), ("Flagged", false, "Flagged"),
    ] as [(String, Bool, String?)])
  func word(text: String, isFlagged: Bool, comment: String?) {
    var record = CaptureFileTests.packets[0]
    record.comment = text
    let found = CaptureFileTests.read(CaptureFileTests.encoded([record], .pcapng)).0
    #expect(found.map(\.isFlagged) == [isFlagged])
    #expect(found.map(\.comment) == [comment])
  }

  @Test("a reused record is not flagged")
  func reused() {
    var flagged = CaptureFileTests.packets[0]
    flagged.isFlagged = true
    let records = [flagged, CaptureFileTests.packets[1]]
    #expect(
      CaptureFileTests.read(CaptureFileTests.encoded(records, .packetLogger)).0.map(\.isFlagged) == [true, false])
  }
}
