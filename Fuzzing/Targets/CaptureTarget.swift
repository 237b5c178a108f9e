import BLECore
import BLEHCI
import Capture

/// Capture files: any octets give packets that were there, or a fault; and packets that are written are read again.
package enum CaptureTarget: FuzzTarget {
  package static let name = "capture"
  package static let maximumLength = 4096

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    if input.flag() { try writeAndRead(&input) } else { try read(input.rest()) }
  }

  private static func read(_ octets: [UInt8]) throws(Violation) {
    guard var reader = try? BTSnoopReader(octets) else { return }
    var total = 16
    while let record = reader.next() {
      try require(!record.packet.octets.isEmpty, "a record without a packet")
      try require(record.originalLength >= record.packet.octets.count, "a packet longer than it was")
      total += 24 + record.packet.octets.count
      try require(total <= octets.count, "more packets than octets")
    }
    try require(reader.next() == nil, "a record behind the end")
    if reader.fault == nil { try require(total == octets.count, "\(octets.count - total) octets were passed over") }
  }

  private static func writeAndRead(_ input: inout FuzzInput) throws(Violation) {
    var buffer = OctetBuffer()
    let encoder = BTSnoopEncoder()
    encoder.beginFile(into: &buffer)
    var packets: [CapturedPacket] = []
    while !input.isAtEnd {
      let direction: CapturedPacket.Direction = input.flag() ? .controllerToHost : .hostToController
      let type = H4PacketType(rawValue: input.octet())
      let microseconds = Int64(input.word()) << 40
      let packet = input.run()
      encoder.record(direction, type, packet.span, microseconds: microseconds, into: &buffer)
      packets.append(CapturedPacket(direction, microseconds: microseconds, octets: [type.rawValue] + packet))
    }
    guard var reader = try? BTSnoopReader(buffer.copy()) else {
      throw Violation(description: "what is written is no file")
    }
    for packet in packets { try require(reader.next()?.packet == packet, "another packet is read than was written") }
    try require(reader.next() == nil && reader.fault == nil, "more is read than was written")
  }
}

extension CaptureTarget {
  package static var seeds: [Seed] {
    var buffer = OctetBuffer()
    let encoder = BTSnoopEncoder()
    encoder.beginFile(into: &buffer)
    let head = buffer.copy()
    encoder.record(.hostToController, .command, [3, 0x0C, 0].span, microseconds: 1_700_000_000_000_000, into: &buffer)
    encoder.record(.controllerToHost, .event, [0x0E, 4, 1, 3, 0x0C, 0].span, microseconds: 0, into: &buffer)
    encoder.record(.controllerToHost, .acl, [0, 0x20, 5, 0, 1, 0, 4, 0, 9].span, microseconds: -1, into: &buffer)
    let file = buffer.copy()
    var cut = file
    cut[16 + 3] = 2
    return [
      Seed("empty", [0] + head), Seed("packets", [0] + file), Seed("ends-early", [0] + file.dropLast(3)),
      Seed("impossible-length", [0] + cut), Seed("other-data-link", [0] + head.dropLast() + [0xE9]),
      Seed("written", [1, 0, 4, 1, 0, 3, 0x0E, 1, 0, 1, 2, 0, 0, 5, 1, 2, 3, 4, 5]),
    ]
  }
}
