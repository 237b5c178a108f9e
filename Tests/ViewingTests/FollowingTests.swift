import BLECore
import BLESMP
import Capture
import Decoding
import Testing

@testable import Viewing

/// Records of one connection, and their views.
struct Conversation {
  var decoder = PacketDecoder()
  private(set) var records: [CaptureRecord] = []

  static func acl(_ direction: CapturedPacket.Direction, _ channel: UInt16, _ pdu: [UInt8], handle: UInt16 = 0x40)
    -> CaptureRecord
  {
    let words = [
      handle | (direction == .hostToController ? 0 : 0x2000), UInt16(pdu.count + 4), UInt16(pdu.count), channel,
    ]
    let head = words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    return CaptureRecord(.hci(direction), octets: [2] + head + pdu)
  }

  static func sent(_ pdu: [UInt8], channel: UInt16 = 4, handle: UInt16 = 0x40) -> CaptureRecord {
    acl(.hostToController, channel, pdu, handle: handle)
  }
  static func received(_ pdu: [UInt8], channel: UInt16 = 4, handle: UInt16 = 0x40) -> CaptureRecord {
    acl(.controllerToHost, channel, pdu, handle: handle)
  }
  static func event(_ octets: [UInt8]) -> CaptureRecord { CaptureRecord(.hci(.controllerToHost), octets: octets) }

  /// Returns the start of a connection as peripheral. `peer` is the last octet of the peer's address.
  static func begin(handle: UInt8 = 0x40, peer: UInt8 = 1, interval: UInt8 = 24) -> CaptureRecord {
    event([4, 0x3E, 19, 1, 0, handle, 0, 1, 0, peer, 2, 3, 4, 5, 6, interval, 0, 0, 0, 0x48, 0, 0])
  }

  /// Returns a service with one characteristic of type 2A37: discovery, subscription and one notification; `offset` shifts the handles.
  static func heartRate(handle: UInt16 = 0x40, offset: UInt8 = 0, value: UInt8 = 80) -> [CaptureRecord] {
    [
      received([0x02, 0x05, 0x02], handle: handle), sent([0x03, 0xF7, 0x00], handle: handle),
      received([0x08, 1, 0, 0xFF, 0xFF, 0x03, 0x28], handle: handle),
      sent([0x09, 7, 2 + offset, 0, 0x10, 3 + offset, 0, 0x37, 0x2A], handle: handle),
      received([0x04, 4 + offset, 0, 4 + offset, 0], handle: handle),
      sent([0x05, 1, 4 + offset, 0, 0x02, 0x29], handle: handle),
      received([0x12, 4 + offset, 0, 1, 0], handle: handle), sent([0x13], handle: handle),
      sent([0x1B, 3 + offset, 0, 0, value], handle: handle),
    ]
  }

  /// Returns the numbers of the packets that a follower selects.
  static func followed(_ text: String, _ records: [CaptureRecord]) throws -> [Int] {
    var following = try Following(parsing: text)
    var decoder = PacketDecoder()
    return records.compactMap { record in
      let summary = decoder.receive(record)
      return following.accepts(summary, record, decoder) ? summary.number : nil
    }
  }
}

@Suite("Followed conversations")
struct FollowingTests {
  private static let writes = [6 + 1, 7 + 1, 8 + 1]

  @Test(
    "A followed attribute has its writes, responses and notifications, and those of its descriptors",
    arguments: ["0x0003", "2A37", "heart-rate-measurement", "Heart Rate Measurement", "rate meas"])
  func attribute(text: String) throws {
    #expect(try Conversation.followed(text, Conversation.heartRate()) == Self.writes)
  }

  @Test("The handle of a descriptor follows only the descriptor")
  func descriptor() throws { #expect(try Conversation.followed("0x0004", Conversation.heartRate()) == [7, 8]) }

  @Test("A Multiple Handle Value Notification belongs to each of its attributes")
  func multiple() throws {
    let several = Conversation.sent([0x23, 9, 0, 1, 0, 7, 3, 0, 1, 0, 8])
    #expect(try Conversation.followed("0x0003", [several]) == [1])
    #expect(try Conversation.followed("0x0008", [several]) == [])
    var decoder = PacketDecoder()
    let values = AttributeValues(decoder.receive(several), several).entries
    #expect(values.map(\.handle) == [9, 3] && values.map(\.value) == [[7], [8]])
  }

  @Test("A channel is followed from its request to its end", arguments: ["channel:0x41", "psm:0x80"])
  func channel(text: String) throws {
    let records = [
      Conversation.received([0x14, 9, 10, 0, 0x80, 0, 0x41, 0, 0, 2, 0x40, 0, 3, 0], channel: 5),
      Conversation.sent([0x15, 9, 10, 0, 0x52, 0, 0, 2, 0x40, 0, 3, 0, 0, 0], channel: 5),
      Conversation.received([1, 0, 7], channel: 0x52), Conversation.sent([1, 0, 8], channel: 0x41),
      Conversation.sent([0x0A, 3, 0]), Conversation.received([0x16, 10, 4, 0, 0x41, 0, 5, 0], channel: 5),
      Conversation.received([0x16, 11, 4, 0, 0x77, 0, 5, 0], channel: 5),
      Conversation.received([0x06, 12, 4, 0, 0x52, 0, 0x41, 0], channel: 5),
      Conversation.sent([0x07, 12, 4, 0, 0x52, 0, 0x41, 0], channel: 5),
    ]
    #expect(try Conversation.followed(text, records) == [1, 2, 3, 4, 6, 8, 9])
  }

  @Test("All pairings or one are followed, with the encryption that ends them")
  func pairing() throws {
    let encryption = Conversation.event([4, 8, 4, 0, 0x40, 0, 1])
    let one = [
      Conversation.received(PairingRequest(PairingFeatures()).packet, channel: 6),
      Conversation.sent(PairingResponse(PairingFeatures()).packet, channel: 6),
      Conversation.sent(PairingFailed(reason: .confirmValueFailed).packet, channel: 6),
    ]
    let records = one + Conversation.heartRate() + one.dropLast() + [encryption]
    #expect(try Conversation.followed("pairing", records) == [1, 2, 3, 13, 14, 15])
    #expect(try Conversation.followed("pairing:1", records) == [1, 2, 3])
    #expect(try Conversation.followed("pairing:2", records) == [13, 14, 15])
  }

  /// Returns the packet as captured from another source.
  private func record(_ record: CaptureRecord, of source: UInt32) -> CaptureRecord {
    var record = record
    record.source = source
    return record
  }

  @Test(
    "The peripheral's point of view is preferred to the central's, and that to the air",
    arguments: [
      (hosts: [(source: 1, isCentral: false), (source: 2, isCentral: true)], chosen: [1]),
      ([(2, true), (1, false)], [1]), ([(1, false), (2, false), (3, true)], [1, 2]), ([(2, true)], [2]), ([], [0]),
      // A host in both roles.
      ([(1, false), (1, true)], [1]), ([(1, true), (2, true)], [1, 2]),
    ] as [(hosts: [(source: UInt32, isCentral: Bool)], chosen: [UInt32])])
  func pointOfView(hosts: [(source: UInt32, isCentral: Bool)], chosen: [UInt32]) {
    var view = PointOfView()
    var decoder = PacketDecoder()
    for host in hosts {
      var begin = record(Conversation.begin(handle: host.isCentral ? 0x41 : 0x40), of: host.source)
      begin.octets[7] = host.isCentral ? 0 : 1
      let summary = decoder.receive(begin)
      view.receive(summary, begin)
    }
    var packets = hosts.map {
      record(Conversation.sent([0x0A, 3, 0], handle: $0.isCentral ? 0x41 : 0x40), of: $0.source)
    }
    packets.append(
      CaptureRecord(.air(AirReception(accessAddress: 0x5065_5D43)), octets: [0xD6, 0xBE, 0x89, 0x8E, 0, 0, 0, 0, 0]))
    var seen: Set<UInt32> = []
    for packet in packets {
      let summary = decoder.receive(packet)
      view.receive(summary, packet)
      if view.accepts(summary) { seen.insert(summary.source) }
    }
    #expect(seen == Set(chosen))
    #expect((view.omitted == 0) == (seen.count == Set(packets.map(\.source)).count))
  }

  @Test(
    "An invalid subject is refused",
    arguments: ["", "0x", "0x12345", "channel:", "channel:x", "pairing:0", "psm:0x1FFFF"])
  func faults(text: String) { #expect(throws: FollowingFault.self) { try Following(parsing: text) } }
}
