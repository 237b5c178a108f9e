import BLEATT
import BLECore
import BLEHCI
import Capture

/// The inputs of `CaptureTarget`.
package enum CaptureSeeds {
  /// A file in every format, damaged files, and a file that the target writes.
  static var all: [Seed] {
    let files = CaptureFormat.allCases.map { Seed("\($0.rawValue)", [0] + file($0, conversation)) }
    let whole = file(.btsnoop, conversation)
    var impossible = whole
    impossible[16 + 3] = 2
    return files + [
      Seed("head-alone", [0] + whole.prefix(16)), Seed("ends-early", [0] + whole.dropLast(3)),
      Seed("impossible-length", [0] + impossible), Seed("other-data-link", [0] + whole.prefix(15) + [0xE9]),
      Seed("written", [1, 2, 0, 1, 0, 4, 1, 3, 0x0C, 0, 0x81, 0, 0x80, 3, 4, 0x0E, 0, 0x82, 0xFF, 0x7F, 3, 2, 1, 9]),
    ]
  }

  /// All ATT, SMP and signalling PDUs, each cut short at every octet, from both sides, and in ACL packets that end there
  /// themselves. There is one file for each PDU, in one format after the other. They are made on demand, because there are many.
  package static var cuts: [Seed] {
    pdus.enumerated().map { place, pdu in
      let records = (0...pdu.octets.count).flatMap { count -> [CaptureRecord] in
        let whole = acl(pdu.channel, Array(pdu.octets.prefix(count)), isSent: count % 2 == 0)
        let cut = acl(pdu.channel, pdu.octets, isSent: false).octets.prefix(9 + count)
        return [
          whole, acl(pdu.channel, Array(pdu.octets.prefix(count)), isSent: count % 2 == 1),
          CaptureRecord(.hci(.controllerToHost), nanoseconds: .max, octets: Array(cut)),
        ]
      }
      return Seed(pdu.name, [0] + file(CaptureFormat.allCases[place % CaptureFormat.allCases.count], records))
    }
  }

  /// Returns the octets of a file.
  static func file(_ format: CaptureFormat, _ records: [CaptureRecord]) -> [UInt8] {
    var encoder = CaptureEncoder(format)
    var buffer = OctetBuffer()
    encoder.begin(into: &buffer)
    for record in records { _ = encoder.append(record, into: &buffer) }
    return buffer.copy()
  }

  private static var pdus: [(name: String, channel: UInt8, octets: [UInt8])] {
    let content = (1...24).map { UInt8($0) }
    let att = allATTPDUs.map { ("att-\($0.opcode.rawValue)", UInt8(4), $0.init().encodedPDU + content) }
    let signalling = (UInt8(0x01)...0x1B).map { ("signalling-\($0)", UInt8(5), [$0, 1, 24, 0] + content) }
    let security = (UInt8(0x01)...0x0F).map { ("smp-\($0)", UInt8(6), [$0] + content + content + content) }
    return att + signalling + security
  }

  private static func acl(_ channel: UInt8, _ pdu: [UInt8], isSent: Bool, at nanoseconds: Int64 = 0) -> CaptureRecord {
    let count = UInt8(pdu.count)
    return CaptureRecord(
      .hci(isSent ? .hostToController : .controllerToHost), nanoseconds: nanoseconds,
      octets: [2, 0x40, isSent ? 0 : 0x20, count + 4, 0, count, 0, channel, 0] + pdu)
  }

  /// A discovery, a read, notifications at the last and the first possible time, a pairing, and a channel.
  private static var conversation: [CaptureRecord] {
    let begin: [UInt8] = [4, 0x3E, 19, 1, 0, 0x40, 0, 1, 0, 1, 2, 3, 4, 5, 6, 24, 0, 0, 0, 72, 0, 0]
    return [
      CaptureRecord(.hci(.hostToController), octets: [1, 3, 0x0C, 0]),
      CaptureRecord(.hci(.controllerToHost), octets: begin),
      acl(4, [0x08, 1, 0, 0xFF, 0xFF, 3, 0x28], isSent: false),
      acl(4, [0x09, 7, 2, 0, 0x12, 3, 0, 0x37, 0x2A], isSent: true),
      acl(4, [0x0C, 3, 0, 2, 0], isSent: false), acl(4, [0x0D, 1, 2], isSent: true),
      acl(4, [0x1B, 3, 0, 0, 70], isSent: true, at: .max), acl(4, [0x1B, 3, 0, 0, 71], isSent: true, at: .min),
      acl(6, [1, 3, 0, 1, 16, 0, 0], isSent: false),
      acl(5, [0x14, 1, 10, 0, 0x27, 0, 0x40, 0, 64, 0, 64, 0, 1, 0], isSent: false),
      CaptureRecord(.message(.note), octets: Array("a note".utf8), comment: "seen"),
    ]
  }
}
