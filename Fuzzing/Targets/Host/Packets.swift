import BLECore
import BLEHCI

/// Packets that a controller sends to its host.
enum Packets {
  static func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
    let parameters = parameters.prefix(255)
    return [H4PacketType.event.rawValue, code, UInt8(parameters.count)] + parameters
  }

  /// Returns a data packet; `word` holds the handle with its flags.
  static func acl(_ word: UInt16, _ data: [UInt8]) -> [UInt8] {
    [H4PacketType.acl.rawValue, UInt8(truncatingIfNeeded: word), UInt8(word >> 8), UInt8(data.count & 0xFF)]
      + [UInt8(data.count >> 8)] + data
  }

  /// Returns a frame of at most 255 octets, in packets that each hold at most `length` octets of it.
  static func frame(_ handle: UInt16, channel: UInt8, _ payload: [UInt8], length: Int = 255) -> [UInt8] {
    let frame = [UInt8(min(payload.count, 255)), 0, channel, 0] + payload.prefix(255)
    var octets: [UInt8] = []
    for start in stride(from: 0, to: frame.count, by: length) {
      let boundary: UInt16 = start == 0 ? 0x2000 : 0x1000
      octets += acl(handle | boundary, Array(frame[start..<min(start + length, frame.count)]))
    }
    return octets
  }

  /// Returns the event of a new link.
  static func connection(_ handle: UInt16, role: LinkRole) -> [UInt8] {
    LEEnhancedConnectionComplete {
      $0.connectionHandle.rawValue = handle
      $0.role = role
      $0.peerAddress = .randomStatic(from: UInt64(handle) + 1)
      $0.interval.rawValue = 24
      $0.supervisionTimeout.rawValue = 500
    }.h4
  }
}
