import BLECore
import BLEHCI

/// A physical layer of the radio with its coding (Core 5.4 Vol 6 Part A 3.3, Part B 2.1 and 2.2).
public enum RadioPHY: UInt8, Hashable, Sendable {
  case le1M = 1
  case le2M = 2
  /// LE Coded with S=8, the coding that advertising uses.
  case leCoded = 3
  /// LE Coded with S=2. Every sender chooses its coding by itself; receivers take both.
  case leCodedS2 = 4

  /// The PHY that an HCI command means; nil for numbers that mean none.
  public init?(_ phy: PHY) {
    guard phy != PHY(rawValue: Self.leCodedS2.rawValue) else { return nil }
    self.init(rawValue: phy.rawValue)
  }

  var isCoded: Bool { self == .leCoded || self == .leCodedS2 }

  /// Its bit in the PHY masks of HCI commands and link-layer PDUs.
  var bit: UInt8 { isCoded ? 4 : rawValue }

  /// How long a packet is on the air whose PDU carries `payload` octets behind its two header octets.
  public func airTime(payload: Int) -> Duration {
    switch self {
    // Preamble 1, access address 4, header 2, CRC 3 octets at 8 µs.
    case .le1M: .microseconds((10 + payload) * 8)
    // Preamble 2, access address 4, header 2, CRC 3 octets at 4 µs.
    case .le2M: .microseconds((11 + payload) * 4)
    // Preamble 80, access address 256, CI 16, TERM1 24, TERM2 24 µs; header, payload and CRC at 64 µs an octet.
    case .leCoded: .microseconds(400 + (5 + payload) * 64)
    // As before but TERM2 6 µs; header, payload and CRC at 16 µs an octet.
    case .leCodedS2: .microseconds(382 + (5 + payload) * 16)
    }
  }

  /// How many octets a data PDU can have that is on the air no longer than that. The four octets of a message integrity
  /// check count, whether they are there or not (4.5.10).
  func payload(withinMicroseconds time: Int) -> Int {
    switch self {
    case .le1M: time / 8 - 14
    case .le2M: time / 4 - 15
    case .leCoded: (time - 400) / 64 - 9
    case .leCodedS2: (time - 382) / 16 - 9
    }
  }

  /// The most useful PHY of a mask: the fastest; nil when the mask has none.
  static func fastest(of mask: UInt8) -> RadioPHY? {
    [.le2M, .le1M, .leCoded].first { mask & $0.bit != 0 }
  }
}

/// Times that the link layer has in common (Core 5.4 Vol 6 Part B 4.1).
package enum LinkLayerTime {
  /// T_IFS: between two packets of one exchange.
  package static let interFrameSpace = Duration.microseconds(150)
  /// T_MAFS: between a packet that points to an auxiliary packet and that packet.
  static let auxiliaryFrameSpace = Duration.microseconds(300)
  /// Between two packets of one advertising event on the primary channels: room for a request, as a connectable or
  /// scannable advertiser listens for one after every packet.
  static let primarySpace = Duration.microseconds(500)
  /// The message integrity check of an encrypted packet (Core 5.4 Vol 6 Part B 2.4).
  static let integrityCheckOctets = 4
  /// After which silence an end gives a link up whose peer does not go on with a procedure (5.2).
  static let procedureResponseTimeout = Duration.seconds(40)
  /// The payload of a SCAN_REQ and of an AUX_SCAN_REQ.
  static let scanRequestPayload = 12
  /// The payload of a CONNECT_IND and of an AUX_CONNECT_REQ.
  static let connectRequestPayload = 34
}

extension PHY {
  /// The physical layer without its coding, as HCI names it.
  public init(_ phy: RadioPHY) { self = phy.isCoded ? .leCoded : PHY(rawValue: phy.rawValue) }
}
