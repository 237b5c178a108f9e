import BLECore
import BLEHCI

/// Packets that concern only advertising. Captures can omit them, because on a busy air they are the great majority.
enum Advertising {
  /// Returns whether a packet between a host and its controller reports advertisements: LE Advertising Report, Directed, Extended and
  /// Periodic Advertising Report (Core 5.4 Vol 4 Part E 7.7.65.2, .11, .13, .15).
  static func isReport(_ type: H4PacketType, _ packet: Span<UInt8>) -> Bool {
    guard type == .event, packet.count > 2, packet[0] == EventCode.leMeta.rawValue else { return false }
    return [0x02, 0x0B, 0x0D, 0x0F].contains(packet[2])
  }

  /// Returns whether a packet on the air concerns only advertising: all advertising packets except those that lead to a connection,
  /// CONNECT_IND, AUX_CONNECT_REQ and AUX_CONNECT_RSP (Core 5.4 Vol 6 Part B 2.3).
  static func isAlone(_ packet: CapturedAirPacket) -> Bool {
    switch packet.kind {
    case .toPeripheral, .toCentral: return false
    case .advertising, .auxiliaryAdvertising, .auxiliaryChain, .auxiliaryScanResponse:
      let type = (packet.pdu.first ?? 0) & 0x0F
      return type != 0x05 && type != 0x08
    }
  }
}
