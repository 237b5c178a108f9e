import BLECore
import BLEHCI

/// A physical layer of the radio and its coding (Core 5.4 Vol 6 Part A 3.3, Part B 2.1 and 2.2).
public enum RadioPHY: UInt8, Hashable, Sendable {
  case le1M = 1
  case le2M = 2
  /// LE Coded with S=8, the coding that advertising uses.
  case leCoded = 3
  /// LE Coded with S=2. Each sender chooses its coding; receivers accept both.
  case leCodedS2 = 4

  /// Creates the PHY that an HCI command selects; nil for an unknown number.
  public init?(_ phy: PHY) {
    guard phy != PHY(rawValue: Self.leCodedS2.rawValue) else { return nil }
    self.init(rawValue: phy.rawValue)
  }

  var isCoded: Bool { self == .leCoded || self == .leCodedS2 }

  /// The bit in the PHY masks of HCI commands and link-layer PDUs.
  var bit: UInt8 { isCoded ? 4 : rawValue }

  /// Returns the air time of a packet whose PDU has `payload` octets after the two header octets.
  public func airTime(payload: Int) -> Duration {
    switch self {
    // Preamble 1, access address 4, header 2, CRC 3 octets at 8 µs.
    case .le1M: .microseconds((10 + payload) * 8)
    // Preamble 2, access address 4, header 2, CRC 3 octets at 4 µs.
    case .le2M: .microseconds((11 + payload) * 4)
    // Preamble 80, access address 256, CI 16, TERM1 24, TERM2 24 µs; header, payload and CRC at 64 µs an octet.
    case .leCoded: .microseconds(400 + (5 + payload) * 64)
    // As above, but with TERM2 6 µs; header, payload and CRC at 16 µs an octet.
    case .leCodedS2: .microseconds(382 + (5 + payload) * 16)
    }
  }

  /// Returns the longest payload of a data PDU with at most this air time. The four octets of the message integrity check are always
  /// counted, even if absent (4.5.10).
  func payload(withinMicroseconds time: Int) -> Int {
    switch self {
    case .le1M: time / 8 - 14
    case .le2M: time / 4 - 15
    case .leCoded: (time - 400) / 64 - 9
    case .leCodedS2: (time - 382) / 16 - 9
    }
  }

  /// Returns the fastest PHY in a mask; nil if there is none.
  static func fastest(of mask: UInt8) -> RadioPHY? {
    [.le2M, .le1M, .leCoded].first { mask & $0.bit != 0 }
  }
}

/// Common link-layer times (Core 5.4 Vol 6 Part B 4.1).
package enum LinkLayerTime {
  /// T_IFS: between two packets of one exchange.
  package static let interFrameSpace = Duration.microseconds(150)
  /// T_MAFS: between a packet that points to an auxiliary packet and that packet.
  static let auxiliaryFrameSpace = Duration.microseconds(300)
  /// The space between two packets of an advertising event on the primary channels. It leaves room for a request, because a connectable or
  /// scannable advertiser listens for one after every packet.
  static let primarySpace = Duration.microseconds(500)
  /// The message integrity check of an encrypted packet (Core 5.4 Vol 6 Part B 2.4).
  static let integrityCheckOctets = 4
  /// The silence after which a link ends because the peer does not continue a procedure (5.2).
  static let procedureResponseTimeout = Duration.seconds(40)
  /// The payload of a SCAN_REQ and of an AUX_SCAN_REQ.
  static let scanRequestPayload = 12
  /// The payload of a CONNECT_IND and of an AUX_CONNECT_REQ.
  static let connectRequestPayload = 34
}

extension PHY {
  /// Creates the physical layer without its coding, as in HCI.
  public init(_ phy: RadioPHY) { self = phy.isCoded ? .leCoded : PHY(rawValue: phy.rawValue) }
}
