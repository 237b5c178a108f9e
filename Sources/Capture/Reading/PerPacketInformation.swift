/// The data that Ubertooth puts before a packet: a PPI header with the link type, and a field of reception data.
///
/// The header has version and flags of one octet each, its own length and the link type. A field has its type, its length, and its content
/// (CACE Technologies, "PPI Packet Header format", 1.0.7).
enum PerPacketInformation {
  private static let headLength = 8
  /// Ubertooth's field: a version, the frequency in MHz, a clock, and the maximum, minimum and average signal strength.
  private static let ubertoothField: UInt16 = 30006
  /// The link types of Bluetooth LE packets in it: one for private use, which Ubertooth uses, and the registered one.
  private static let links: Set<UInt32> = [147, LinkType.air]

  static func fill(_ record: inout CaptureRecord, _ nanoseconds: Int64, _ source: UInt32, _ packet: Span<UInt8>) -> Bool
  {
    guard packet.count >= headLength else { return false }
    let length = Int(packet.word(at: 2, isBigEndian: false))
    let link = packet.long(at: 4, isBigEndian: false)
    guard links.contains(link), length >= headLength, packet.count >= length + 4 else { return false }
    var reception = AirReception(accessAddress: packet.long(at: length, isBigEndian: false))
    var offset = headLength
    while offset + 4 <= length {
      let type = packet.word(at: offset, isBigEndian: false)
      let count = Int(packet.word(at: offset + 2, isBigEndian: false))
      guard offset + 4 + count <= length else { break }
      if type == ubertoothField, count >= 11 {
        let frequency = Int(packet.word(at: offset + 5, isBigEndian: false))
        if (2402...2480).contains(frequency) { reception.rfChannel = UInt8((frequency - 2402) / 2) }
        reception.signalStrength = Int8(bitPattern: packet[offset + 14])
      }
      offset += 4 + count
    }
    return LinkType.fillAir(&record, reception, nanoseconds, source, packet.extracting((length + 4)...))
  }
}
