import BLECore

/// A packet that was on the air, with its octets as sent by the link layer.
public struct AirPacket: Hashable, Sendable {
  /// The kind and direction of a packet.
  public enum Direction: Hashable, Sendable {
    /// Advertising and the responses to it: scan requests, scan responses, connection requests.
    case advertising
    /// On a connection, sent by the central.
    case toPeripheral
    /// On a connection, sent by the peripheral.
    case toCentral
  }

  /// The purpose of a packet on the secondary advertising channels. The first three share one PDU type, so the octets alone do not
  /// distinguish them (Core 5.4 Vol 6 Part B 2.3).
  public enum AuxiliaryKind: Hashable, Sendable {
    /// AUX_ADV_IND.
    case advertisement
    /// AUX_CHAIN_IND.
    case chain
    /// AUX_SCAN_RSP.
    case scanResponse
    /// AUX_SCAN_REQ, AUX_CONNECT_REQ or AUX_CONNECT_RSP.
    case exchange
  }

  /// The start of the first bit of the preamble.
  public var start: Instant
  /// The channel index: 0-36 for the data channels, 37-39 for the primary advertising channels (Core 5.4 Vol 6
  /// Part B 1.4.1).
  public var channel: UInt8
  /// The physical layer and its coding. Connections may use LE Coded with S=2; everything else uses S=8.
  public var phy: RadioPHY
  /// The access address.
  public var accessAddress: UInt32
  /// The initial value of the CRC, 24 bits.
  public var crcInit: UInt32
  /// The PDU: two octets of header, and the payload without CRC. An encrypted payload appears in plain text, without its message integrity
  /// check.
  public var pdu: [UInt8]
  /// The kind and direction.
  public var direction: Direction
  /// The purpose on the secondary advertising channels; nil elsewhere.
  public var auxiliary: AuxiliaryKind?
  /// Whether it was encrypted on the air.
  public var isEncrypted: Bool
  /// The sender.
  public var sender: ControllerID
  /// The connection's number, counted from 1 in the order of connections on this air; nil for advertising.
  public var linkNumber: UInt64?
  /// The number of controllers that received it.
  public var receivers: Int
  /// The strength at the best receiver, in dBm; nil if nobody listened.
  public var strength: Int8?

  /// The CRC after the PDU, 24 bits, least significant octet first (Core 5.4 Vol 6 Part B 3.1.1). For an encrypted packet it is the CRC
  /// that the plain `pdu` would have.
  public var crc: UInt32 { CRC24.checksum(pdu, initial: crcInit) }

  /// The RF channel: k for 2402 + 2 k MHz (Core 5.4 Vol 6 Part A 2).
  public var rfChannel: UInt8 {
    switch channel {
    case 37: 0
    case 38: 12
    case 39: 39
    case 0...10: channel + 1
    default: channel &+ 2
    }
  }
}
