import BLECore
import Capture
import Decoding
import Viewing

/// Captured packets. Any octets, of a file or of packets, have a text and a tree whose fields lie within the
/// octets; and they can be decrypted, followed and compared.
package enum DecodingTarget: FuzzTarget {
  package static let name = "decoding"
  package static let maximumLength = 4096

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    var viewer = Viewer()
    if input.flag() {
      try file(input.rest(), &viewer)
    } else {
      while !input.isAtEnd { try packet(&input, &viewer) }
    }
  }

  /// Everything that sees each packet in turn.
  private struct Viewer {
    var decoder = PacketDecoder { _, octets in octets.hexadecimal }
    var decryptor = LinkDecryptor(keys: [[UInt8](repeating: 7, count: 16)])
    var transcript = Transcript(comparingValues: true)
    var followed = [Following(.handle(3)), Following(.channel(0x40)), Following(.pairing(nil))]
  }

  private static func file(_ octets: [UInt8], _ viewer: inout Viewer) throws(Violation) {
    var parser = CaptureParser()
    parser.push(octets.span)
    parser.end()
    var record = CaptureRecord()
    while (try? parser.next(into: &record)) == true { try check(record, &viewer) }
  }

  private static func packet(_ input: inout FuzzInput, _ viewer: inout Viewer) throws(Violation) {
    let kind = input.octet()
    let octets = input.run()
    let content: CaptureRecord.Content
    switch kind {
    case 0..<0x80: content = .hci(.hostToController)
    case 0x80..<0xE0: content = .hci(.controllerToHost)
    default:
      let kinds = CapturedAirPacket.Kind.allCases
      content = .air(AirReception(accessAddress: 0x5065_5DAB, kind: kinds[Int(kind) % kinds.count]))
    }
    // The lower bits choose a packet type, so that the packets begin as real packets do.
    let type = kind < 0xE0 ? [1 + kind % 5] : []
    try check(CaptureRecord(content, octets: type + octets), &viewer)
  }

  private static func check(_ record: CaptureRecord, _ viewer: inout Viewer) throws(Violation) {
    var record = record
    viewer.decryptor.decrypt(&record)
    let summary = viewer.decoder.receive(record)
    _ = viewer.decoder.text(of: summary, in: record)
    viewer.transcript.add(summary, record, viewer.decoder)
    for place in viewer.followed.indices { _ = viewer.followed[place].accepts(summary, record, viewer.decoder) }
    for layer in viewer.decoder.tree(of: summary, in: record) {
      for field in layer.fields { try check(field, layer.octets.count) }
    }
  }

  private static func check(_ field: DescribedField, _ count: Int) throws(Violation) {
    try require(
      field.range.lowerBound >= 0 && field.range.upperBound <= count, "\(field.name) is outside its octets")
    for child in field.children { try check(child, count) }
  }

  package static var seeds: [Seed] {
    func acl(_ channel: UInt8, _ pdu: [UInt8]) -> [UInt8] {
      [0x83, UInt8(pdu.count + 8), 0x40, 0x20, UInt8(pdu.count + 4), 0, UInt8(pdu.count), 0, channel, 0] + pdu
    }
    /// A channel of BR/EDR to a PSM, with Enhanced Retransmission Mode asked for and not, and a PDU on it.
    func channel(_ psm: UInt8, _ pdu: [UInt8]) -> [UInt8] {
      func sent(_ channel: UInt8, _ pdu: [UInt8]) -> [UInt8] {
        [0x01, UInt8(pdu.count + 8), 0x40, 0x20, UInt8(pdu.count + 4), 0, UInt8(pdu.count), 0, channel, 0] + pdu
      }
      let mode: [UInt8] = [4, 9, 3, 63, 20, 0xD0, 7, 0xE0, 0x2E, 0xF2, 3]
      return acl(1, [2, 1, 4, 0, psm, 0, 0x40, 0]) + sent(1, [3, 1, 8, 0, 0x50, 0, 0x40, 0, 0, 0, 0, 0])
        + acl(0x50, pdu) + sent(0x40, pdu) + acl(1, [4, 2, 15, 0, 0x50, 0, 0, 0] + mode)
        + acl(0x50, [0, 0] + pdu + [0xAA, 0xBB])
    }
    let discovery = acl(4, [0x08, 1, 0, 0xFF, 0xFF, 3, 0x28]) + acl(4, [0x12, 3, 0, 1, 2])
    let signalling = acl(5, [0x14, 1, 10, 0, 0x27, 0, 0x40, 0, 64, 0, 64, 0, 1, 0])
    let pairing = acl(6, [1, 3, 0, 1, 16, 0, 0])
    return [
      Seed(
        "sdp",
        [0] + channel(0x01, [0x06, 0, 1, 0, 15, 0x35, 3, 0x19, 1, 0, 0xFF, 0xFF, 0x35, 5, 10, 0, 0, 0xFF, 0xFF, 0])),
      Seed("sdp-parts", [0] + channel(0x01, [0x07, 0, 1, 0, 8, 0, 3, 0x35, 6, 9, 2, 1, 1])),
      Seed("rfcomm", [0] + channel(0x03, [0x03, 0xEF, 0x15, 0x83, 0x11, 10, 0xF0, 7, 0, 0xE8, 3, 0, 7, 0x70])),
      Seed("rfcomm-data", [0] + channel(0x03, [0x2B, 0xFF, 0x05, 7, 0x4F, 0x4B, 0x40])),
      Seed("avdtp", [0] + channel(0x19, [0x12, 0x0C, 1, 0, 7, 6, 0, 0, 0x21, 0x15, 2, 0x35])),
      Seed("avctp", [0] + channel(0x17, [0x10, 0x11, 0x0E, 3, 0x48, 0, 0, 0x19, 0x58, 0x31, 0, 0, 5, 13, 0, 0, 0, 0])),
      Seed("avctp-browsing", [0] + channel(0x1B, [0x20, 0x11, 0x0E, 0x71, 0, 2, 0, 0])),
      Seed("hid", [0] + channel(0x11, [0xA1, 1, 2, 3])),
      Seed("bnep", [0] + channel(0x0F, [0x01, 1, 2, 0x11, 0x16, 0x11, 0x15])),
      Seed("synchronous", [0, 0x84, 5, 0x01, 0x11, 2, 7, 8]),
      Seed("att", [0] + discovery), Seed("signalling", [0] + signalling), Seed("pairing", [0] + pairing),
      Seed("advertisement", [0, 0xE0, 11, 0, 9, 1, 2, 3, 4, 5, 6, 2, 1, 6]),
      Seed("file", [1] + CaptureTarget.seeds[0].octets.dropFirst()),
    ]
  }
}
