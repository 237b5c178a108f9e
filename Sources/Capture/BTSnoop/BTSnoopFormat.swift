import BLEHCI

/// The numbers of the btsnoop file format, version 1: RFC 1761's snoop with Bluetooth's own magic, flags and clock.
///
/// All of them are big endian: a header of 16 octets, then for each packet a record head of 24 octets and the packet.
enum BTSnoopFormat {
  /// `btsnoop` and a zero.
  static let magic: [UInt8] = [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00]
  static let version: UInt32 = 1
  /// HCI UART: packets with their H4 type in front.
  static let dataLink: UInt32 = 1002
  /// Linux' monitor channel: the flags of a record are the controller's index and what the record is.
  static let monitorLink: UInt32 = 2001
  static let headerLength = 16
  static let recordHeadLength = 24
  /// Microseconds from midnight, January 1st, 0 AD, where the file's clock begins, to 1970.
  static let epochOffset: Int64 = 0x00DC_DDB3_0F2F_8000

  /// The packet flags of a record.
  struct Flags: OptionSet {
    let rawValue: UInt32
    /// From the controller to the host.
    static let received = Flags(rawValue: 1 << 0)
    /// A command or an event, and not data.
    static let commandOrEvent = Flags(rawValue: 1 << 1)

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ direction: CapturedPacket.Direction, _ type: H4PacketType) {
      self = direction == .controllerToHost ? .received : []
      if type == .command || type == .event { insert(.commandOrEvent) }
    }
  }
}
