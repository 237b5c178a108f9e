import BLEHCI

/// The numbers of the btsnoop file format, version 1: the snoop format of RFC 1761 with Bluetooth's own magic, flags and clock.
///
/// All numbers are big endian. A header of 16 octets is followed, for each packet, by a record header of 24 octets and the packet.
enum BTSnoopFormat {
  /// `btsnoop` and a zero octet.
  static let magic: [UInt8] = [0x62, 0x74, 0x73, 0x6E, 0x6F, 0x6F, 0x70, 0x00]
  static let version: UInt32 = 1
  /// HCI UART: packets that start with their H4 type.
  static let dataLink: UInt32 = 1002
  /// Linux's monitor channel: the flags of a record are the controller's index and the record type.
  static let monitorLink: UInt32 = 2001
  static let headerLength = 16
  static let recordHeadLength = 24
  /// The time from the zero of the file's clock, midnight on January 1st, 0 AD, to 1970, in microseconds.
  static let epochOffset: Int64 = 0x00DC_DDB3_0F2F_8000

  /// The packet flags of a record.
  struct Flags: OptionSet {
    let rawValue: UInt32
    /// From the controller to the host.
    static let received = Flags(rawValue: 1 << 0)
    /// A command or an event, not data.
    static let commandOrEvent = Flags(rawValue: 1 << 1)

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ direction: CapturedPacket.Direction, _ type: H4PacketType) {
      self = direction == .controllerToHost ? .received : []
      if type == .command || type == .event { insert(.commandOrEvent) }
    }
  }
}
