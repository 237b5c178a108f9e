import BLECore
import Capture

/// Tracks legacy pairings on the air until only the Temporary Key is missing.
struct LegacyPairings: Sendable {
  /// The collected data of one connection.
  struct Pairing: Sendable {
    var initiator: TypedAddress
    var responder: TypedAddress
    var request: [UInt8] = []
    var response: [UInt8] = []
    /// The values of the initiator, then of the responder.
    var confirms: [[UInt8]] = []
    var randoms: [[UInt8]] = []
    var isSearched = false
  }

  private static let limit = 64
  private static let secureConnections: UInt8 = 0x08

  private var pairings: [UInt64: Pairing] = [:]
  /// Their connections, oldest first.
  private var order: [UInt64] = []

  /// Processes a PDU on the advertising channels. A connection request has the addresses of both devices (Core 5.4 Vol 6 Part B 2.3.3.1).
  mutating func takeAdvertising(_ pdu: [UInt8], source: UInt32) {
    guard pdu[0] & 0x0F == 5, pdu.count >= 18 else { return }
    func identity(at place: Int, isRandom: Bool) -> TypedAddress {
      let bits = pdu[place..<place + 6].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return TypedAddress(address: DeviceAddress(bits: bits), isRandom: isRandom)
    }
    let accessAddress = pdu[14..<18].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let key = UInt64(source) << 32 | accessAddress
    if pairings[key] == nil {
      order.append(key)
      if order.count > Self.limit { pairings[order.removeFirst()] = nil }
    }
    pairings[key] = Pairing(
      initiator: identity(at: 2, isRandom: pdu[0] & 0x40 != 0), responder: identity(at: 8, isRandom: pdu[0] & 0x80 != 0)
    )
  }

  /// Processes a PDU on a connection. Returns the search for the Temporary Key if this PDU has the last value needed.
  mutating func take(_ pdu: [UInt8], on key: UInt64) -> PasskeySearch? {
    // An L2CAP PDU of the Security Manager in a single fragment.
    guard pdu[0] & 0b11 == 0b10, pdu.count > 6, pdu[4] == 0x06, pdu[5] == 0, pdu[3] == 0,
      Int(pdu[2]) == pdu.count - 6, var pairing = pairings[key]
    else { return nil }
    let packet = Array(pdu[6...])
    switch (packet[0], packet.count) {
    case (0x01, 7):
      (pairing.request, pairing.response) = (packet, [])
      (pairing.confirms, pairing.randoms, pairing.isSearched) = ([], [], false)
    case (0x02, 7): pairing.response = packet
    case (0x03, 17): Self.add(Array(packet[1...]), to: &pairing.confirms)
    case (0x04, 17): Self.add(Array(packet[1...]), to: &pairing.randoms)
    default: return nil
    }
    defer { pairings[key] = pairing }
    guard !pairing.isSearched, pairing.randoms.count == 2, pairing.request.count == 7, pairing.response.count == 7,
      pairing.confirms.count == 2, pairing.request[3] & pairing.response[3] & Self.secureConnections == 0
    else { return nil }
    pairing.isSearched = true
    return PasskeySearch(pairing)
  }

  /// Adds a value, unless it is a retransmission.
  private static func add(_ value: [UInt8], to values: inout [[UInt8]]) {
    if values.count < 2, values.last != value { values.append(value) }
  }
}
