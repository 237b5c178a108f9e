import BLECore

/// A packet on the air, as stored in capture files.
public struct CapturedAirPacket: Hashable, Sendable {
  /// The kind of a packet, which the octets of auxiliary packets do not show.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// On the primary advertising channels.
    case advertising
    /// AUX_ADV_IND and the packets that answer it: AUX_SCAN_REQ, AUX_CONNECT_REQ, AUX_CONNECT_RSP.
    case auxiliaryAdvertising
    /// AUX_CHAIN_IND.
    case auxiliaryChain
    /// AUX_SCAN_RSP.
    case auxiliaryScanResponse
    /// On a connection, from the central.
    case toPeripheral
    /// On a connection, from the peripheral.
    case toCentral
  }

  /// The wall clock at its start: nanoseconds since 1970-01-01 00:00 UTC.
  public var nanoseconds: Int64
  /// The kind.
  public var kind: Kind
  /// The RF channel: k for 2402 + 2 k MHz (Core 5.4 Vol 6 Part A 2).
  public var rfChannel: UInt8
  /// The physical layer.
  public var phy: PHY
  /// Whether LE Coded uses S=2 instead of S=8.
  public var isCodedWithS2 = false
  /// The received signal strength, in dBm, if known.
  public var signalStrength: Int8?
  /// The access address.
  public var accessAddress: UInt32
  /// The PDU: its header of two octets and its payload.
  public var pdu: [UInt8]
  /// The valid CRC after the PDU, 24 bits, least significant octet first.
  public var crc: UInt32
  /// Whether it was encrypted on the air, and `pdu` is the plain text without its message integrity check.
  public var isDecrypted = false
  /// A comment for readers of the capture.
  public var comment: String?

  /// Creates a packet on LE 1M of unknown strength that was not encrypted.
  public init(
    _ kind: Kind, nanoseconds: Int64, rfChannel: UInt8, phy: PHY = .le1M, signalStrength: Int8? = nil,
    accessAddress: UInt32, pdu: [UInt8], crc: UInt32
  ) {
    self.kind = kind
    self.nanoseconds = nanoseconds
    self.rfChannel = rfChannel
    self.phy = phy
    self.signalStrength = signalStrength
    self.accessAddress = accessAddress
    self.pdu = pdu
    self.crc = crc
  }
}
