/// The numbers of the pcapng file format, version 1.0 (draft-ietf-opsawg-pcapng), in the little-endian form.
///
/// A file consists of blocks: type, total length, body, total length again, all padded to 32 bits. It starts with a Section Header Block.
/// An Interface Description Block for each source of packets precedes the packets of that source.
enum PcapNGFormat {
  /// Block types.
  enum Block: UInt32 {
    case sectionHeader = 0x0A0D_0D0A
    case interfaceDescription = 1
    case enhancedPacket = 6
  }

  /// Option codes. Numbers above 1 have a different meaning in each block type.
  enum Option {
    static let endOfOptions: UInt16 = 0
    static let comment: UInt16 = 1
    /// In a Section Header Block: the program that wrote it.
    static let userApplication: UInt16 = 4
    /// In an Interface Description Block.
    static let interfaceName: UInt16 = 2
    /// In an Interface Description Block: the unit of the clock, as a negative power of ten of a second.
    static let timestampResolution: UInt16 = 9
    /// In an Enhanced Packet Block: direction, kind of reception, link-layer errors; four octets.
    static let flags: UInt16 = 2
    /// In an Enhanced Packet Block: packets of the same interface lost since the previous one; eight octets.
    static let dropCount: UInt16 = 4
  }

  static let byteOrderMagic: UInt32 = 0x1A2B_3C4D
  static let version: (major: UInt16, minor: UInt16) = (1, 0)
  /// The section continues to the end of the file.
  static let unknownSectionLength = UInt64.max
  /// Packets are stored whole, whatever their length.
  static let noSnapLength: UInt32 = 0
  /// Nanoseconds.
  static let timestampResolution: UInt8 = 9
  /// Type and total length, which determine the start of the next block.
  static let blockHeadLength = 8
}

/// The format of a pcapng interface's packets.
package enum PcapNGInterfaceKind: Hashable, Sendable {
  /// Between a host and its controller: LINKTYPE_BLUETOOTH_HCI_H4_WITH_PHDR, the direction in four octets, most significant first, and the
  /// packet with its H4 type.
  case hci
  /// On the air: LINKTYPE_BLUETOOTH_LE_LL_WITH_PHDR, the reception data in ten octets, and the packet from the access address to the CRC.
  case air
  /// Messages about the capture: LINKTYPE_BLUETOOTH_LINUX_MONITOR.
  case monitor

  /// The number of the link type.
  var linkType: UInt16 {
    switch self {
    case .hci: 201
    case .air: 256
    case .monitor: 254
    }
  }
}
