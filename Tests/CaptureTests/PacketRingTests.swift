import BLECore
import BLEHCI
import Glibc
import Testing

@testable import Capture

@Suite("The ring of the last packets")
struct PacketRingTests {
  private static func command(_ number: Int) -> [UInt8] {
    [1, 0x01, 0xFC, 2, UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
  }

  private static func records(of ring: borrowing PacketRing, offset: Int64 = 0) -> [CaptureRecord] {
    let (octets, packets) = ring.pcapng(interface: "belt", comment: "last", offset: offset)
    let (records, fault) = CaptureFileTests.read(octets)
    #expect(fault == nil && records.count == packets)
    return records
  }

  @Test("packets in both directions are returned in order, with their times")
  func kept() {
    var ring = PacketRing(limit: 1000)
    ring.record(.hostToController, [1, 3, 0x0C, 0].span, nanoseconds: 5)
    ring.record(.controllerToHost, [4, 0x0E, 4, 1, 3, 0x0C, 0].span, nanoseconds: 7)
    let records = Self.records(of: ring, offset: 100)
    #expect(records.map(\.octets) == [[1, 3, 0x0C, 0], [4, 0x0E, 4, 1, 3, 0x0C, 0]])
    #expect(records.map(\.nanoseconds) == [105, 107])
    #expect(records.map(\.content) == [.hci(.hostToController), .hci(.controllerToHost)])
  }

  @Test(
    "the oldest are dropped, whole runs at a time, within the memory limit",
    arguments: [19, 20, 200, 1000, 70_000, 200_001])
  func bounded(limit: Int) {
    var ring = PacketRing(limit: limit)
    let count = 20_000
    for number in 0..<count {
      ring.record(.hostToController, Self.command(number).span, nanoseconds: Int64(number))
      #expect(ring.count <= limit)
    }
    let kept = Self.records(of: ring)
    #expect(kept.count == min(count, limit / 19))
    #expect(kept.map(\.octets) == (count - kept.count..<count).map(Self.command))
  }

  @Test("a packet that is split into runs is reassembled; one without its beginning is left out")
  func cut() {
    var ring = PacketRing(limit: 13 * 3 + 14)
    let packet = Self.command(9)
    for run in [packet[..<2], packet[2...], packet[...], packet[...]] {
      ring.record(.hostToController, run.span, nanoseconds: 1)
    }
    #expect(Self.records(of: ring).map(\.octets) == [packet, packet])
  }

  @Test("a ring of size zero, and a run that is too long, keep nothing")
  func nothing() {
    var ring = PacketRing(limit: 0)
    ring.record(.hostToController, Self.command(1).span, nanoseconds: 1)
    #expect(Self.records(of: ring).isEmpty)
    ring = PacketRing(limit: 30)
    ring.record(.hostToController, [UInt8](repeating: 0, count: 31).span, nanoseconds: 1)
    #expect(ring.count == 0)
  }

  @Test("a file is written completely, only for its owner, and not over a folder")
  func file() throws {
    let directory = try ScratchDirectory()
    let path = directory.path + "/file"
    try WholeFile.write([1, 2, 3], to: path)
    try WholeFile.write([4, 5], to: path)
    #expect(try ScratchDirectory.contents(of: path) == [4, 5])
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(throws: CaptureFailure(path: directory.path + "/none/file", code: ENOENT)) {
      try WholeFile.write([1], to: directory.path + "/none/file")
    }
  }
}
