import BLECore

/// A packet that was on the air, with its octets as the link layer sends them.
public struct AirPacket: Hashable, Sendable {
  /// Where a packet belongs.
  public enum Direction: Hashable, Sendable {
    /// Advertising and what answers it: requests, responses, connection requests.
    case advertising
    /// On a connection, sent by the central.
    case toPeripheral
    /// On a connection, sent by the peripheral.
    case toCentral
  }

  /// What a packet of the secondary advertising channels is for; the first three have one PDU type, so the octets do not
  /// tell (Core 5.4 Vol 6 Part B 2.3).
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

  /// When the first bit of its preamble was sent.
  public var start: Instant
  /// The channel index: 0-36 for the data channels, 37-39 for the primary advertising channels (Core 5.4 Vol 6
  /// Part B 1.4.1).
  public var channel: UInt8
  /// The physical layer with its coding. Connections use LE Coded with S=2 too, everything else with S=8.
  public var phy: RadioPHY
  /// The access address.
  public var accessAddress: UInt32
  /// What the CRC begins with, 24 bits.
  public var crcInit: UInt32
  /// The PDU: two octets of header, and the payload without CRC. An encrypted payload is shown as it was before it was
  /// encrypted, without its message integrity check.
  public var pdu: [UInt8]
  /// Where it belongs.
  public var direction: Direction
  /// What it is for, on the secondary advertising channels; nil elsewhere.
  public var auxiliary: AuxiliaryKind?
  /// Whether it was encrypted on the air.
  public var isEncrypted: Bool
  /// Who sent it.
  public var sender: ControllerID
  /// The connection, counted from 1 in the order in which connections came on this air; nil for advertising.
  public var linkNumber: UInt64?
  /// How many controllers received it.
  public var receivers: Int
  /// How strongly it was heard where it was heard best, in dBm; nil where nobody listened.
  public var strength: Int8?

  /// The CRC behind the PDU, 24 bits, of which the least significant octet is sent first (Core 5.4 Vol 6 Part B 3.1.1).
  /// Of an encrypted packet it is what the CRC of `pdu` would be.
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
