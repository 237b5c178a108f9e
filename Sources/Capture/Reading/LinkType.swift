import BLECore
import BLEHCI

/// The link types of pcap and pcapng for Bluetooth packets, and the parsing of their packets.
struct LinkType: Hashable, Sendable {
  var number: UInt32

  static let h4: UInt32 = 187
  static let h4WithDirection: UInt32 = 201
  static let air: UInt32 = 251
  static let linuxMonitor: UInt32 = 254
  static let airWithReception: UInt32 = 256
  static let nordic: UInt32 = 272
  static let perPacketInformation: UInt32 = 192

  private static let known: Set<UInt32> = [
    h4, h4WithDirection, air, linuxMonitor, airWithReception, nordic, perPacketInformation,
  ]

  var isKnown: Bool { Self.known.contains(number) }

  /// Fills a record with a packet; false if it is too short for its link type.
  ///
  /// - Parameters:
  ///   - isReceived: The packet's direction according to the file; nil if unknown.
  func fill(
    _ record: inout CaptureRecord, nanoseconds: Int64, source: UInt32, isReceived: Bool?, _ packet: Span<UInt8>
  ) -> Bool {
    switch number {
    case Self.h4:
      guard packet.count > 0 else { return false }
      record.fill(
        .hci(isReceived.map { $0 ? .controllerToHost : .hostToController } ?? Self.direction(packet)),
        nanoseconds: nanoseconds, source: source, packet)
    case Self.h4WithDirection:
      guard packet.count > 4 else { return false }
      record.fill(
        .hci(packet[3] & 1 == 0 ? .hostToController : .controllerToHost), nanoseconds: nanoseconds, source: source,
        packet.extracting(4...))
    case Self.linuxMonitor:
      guard packet.count >= 4 else { return false }
      record.fillMonitor(
        opcode: packet.word(at: 2, isBigEndian: true), index: UInt32(packet.word(at: 0, isBigEndian: true)),
        nanoseconds: nanoseconds, packet.extracting(4...))
    case Self.air: return Self.fillAir(&record, nil, nanoseconds, source, packet)
    case Self.airWithReception:
      guard let header = try? AirPseudoHeader.decodePrefix(of: packet) else { return false }
      return Self.fillAir(&record, header.value, nanoseconds, source, packet.extracting(header.consumed...))
    case Self.perPacketInformation: return PerPacketInformation.fill(&record, nanoseconds, source, packet)
    case Self.nordic: return NordicHeader.fill(&record, nanoseconds, source, packet)
    default: return false
    }
    return true
  }

  /// Determines the direction of a packet from its contents: commands and events have one direction; data has the flushable flag only from
  /// a controller, because on LE a host must not set it (Core 5.4 Vol 4 Part E 5.4.2).
  private static func direction(_ packet: Span<UInt8>) -> CapturedPacket.Direction {
    switch H4PacketType(rawValue: packet[0]) {
    case .event: .controllerToHost
    case .acl where packet.count > 2 && packet[2] >> 4 & 0b11 == 0b10: .controllerToHost
    default: .hostToController
    }
  }

  /// Fills a record from access address, coding indicator (for LE Coded only), PDU and CRC.
  static func fillAir(
    _ record: inout CaptureRecord, _ header: AirPseudoHeader?, _ nanoseconds: Int64, _ source: UInt32,
    _ packet: Span<UInt8>
  ) -> Bool {
    guard packet.count >= 4 else { return false }
    var reception = AirReception(accessAddress: packet.long(at: 0, isBigEndian: false))
    header?.tell(&reception)
    return fillAir(&record, reception, nanoseconds, source, packet.extracting(4...))
  }

  /// Fills a record from the octets after the access address. The PDU's own length determines the position of the CRC.
  static func fillAir(
    _ record: inout CaptureRecord, _ reception: AirReception, _ nanoseconds: Int64, _ source: UInt32,
    _ packet: Span<UInt8>
  ) -> Bool {
    var reception = reception
    var start = 0
    if reception.phy == 3 {
      guard packet.count > 0 else { return false }
      reception.isCodedWithS2 = packet[0] & 0b11 == 1
      start = 1
    }
    guard packet.count >= start + 2 else { return false }
    let end = min(packet.count, start + 2 + Int(packet[start + 1]))
    for place in 0..<min(3, packet.count - end) { reception.crc |= UInt32(packet[end + place]) << UInt32(8 * place) }
    record.fill(.air(reception), nanoseconds: nanoseconds, source: source, packet.extracting(start..<end))
    record.originalLength = 2 + Int(packet[start + 1])
    return true
  }
}

extension AirPseudoHeader {
  /// Copies the valid fields to the reception data.
  func tell(_ reception: inout AirReception) {
    reception.rfChannel = rfChannel
    if flags.contains(.hasSignalPower) { reception.signalStrength = signalPower }
    reception.isDecrypted = flags.contains(.decrypted)
    reception.isCRCValid = flags.contains(.crcChecked) ? flags.contains(.crcValid) : nil
    reception.phy = UInt8(truncatingIfNeeded: flags.rawValue >> 14) + 1
    switch flags.rawValue >> 7 & 0b111 {
    case 1:
      switch flags.rawValue >> 12 & 0b11 {
      case 1: reception.kind = .auxiliaryChain
      case 3: reception.kind = .auxiliaryScanResponse
      default: reception.kind = .auxiliaryAdvertising
      }
    case 2: reception.kind = .toPeripheral
    case 3: reception.kind = .toCentral
    default: break
    }
  }
}

/// The header that Nordic's sniffer puts before a packet (its User Guide, "sniffer packet format"): the board, a header of six octets whose
/// third is the version, and ten octets of reception data.
enum NordicHeader {
  private static let length = 17

  static func fill(
    _ record: inout CaptureRecord, _ nanoseconds: Int64, _ source: UInt32, _ packet: Span<UInt8>
  ) -> Bool {
    guard packet.count >= length + 4 else { return false }
    let version = packet[3]
    let flags = packet[8]
    var reception = AirReception(accessAddress: packet.long(at: length, isBigEndian: false))
    reception.isCRCValid = flags & 1 != 0
    reception.rfChannel = rfChannel(packet[9])
    reception.signalStrength = packet[10] > 127 ? nil : -Int8(packet[10])
    reception.phy = version >= 2 ? min(flags >> 4 & 0b111, 2) + 1 : 1
    if reception.kind == nil {
      reception.kind = flags & 2 != 0 ? .toPeripheral : .toCentral
      reception.isDecrypted = flags & 0b1100 == 0b1100
    }
    return LinkType.fillAir(&record, reception, nanoseconds, source, packet.extracting((length + 4)...))
  }

  /// Returns the RF channel of a channel index (Core 5.4 Vol 6 Part B 1.4.1).
  private static func rfChannel(_ index: UInt8) -> UInt8? {
    switch index {
    case 0...10: index + 1
    case 11...36: index + 2
    case 37: 0
    case 38: 12
    case 39: 39
    default: nil
    }
  }
}
