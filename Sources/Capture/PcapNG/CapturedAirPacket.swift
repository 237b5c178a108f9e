import BLECore

/// A packet that was on the air, as capture files keep it.
public struct CapturedAirPacket: Hashable, Sendable {
  /// Where a packet belongs; the octets of auxiliary packets do not tell.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// On the primary advertising channels.
    case advertising
    /// AUX_ADV_IND, and what answers it: AUX_SCAN_REQ, AUX_CONNECT_REQ, AUX_CONNECT_RSP.
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

  /// The wall clock when it began: nanoseconds since 1970-01-01 00:00 UTC.
  public var nanoseconds: Int64
  /// Where it belongs.
  public var kind: Kind
  /// The RF channel: k for 2402 + 2 k MHz (Core 5.4 Vol 6 Part A 2).
  public var rfChannel: UInt8
  /// The physical layer.
  public var phy: PHY
  /// Whether LE Coded is with S=2, and not with S=8.
  public var isCodedWithS2 = false
  /// How strongly it was received, in dBm, if that is known.
  public var signalStrength: Int8?
  /// The access address.
  public var accessAddress: UInt32
  /// The PDU: its header of two octets and its payload.
  public var pdu: [UInt8]
  /// The CRC behind it, 24 bits, least significant octet first; it is the right one.
  public var crc: UInt32
  /// Whether it was encrypted on the air and `pdu` is what it was before, without its message integrity check.
  public var isDecrypted = false
  /// A remark for whoever reads the capture.
  public var comment: String?

  /// A packet on LE 1M of unknown strength that was not encrypted.
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
