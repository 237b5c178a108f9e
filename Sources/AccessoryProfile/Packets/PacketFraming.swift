import BLECore
import BLEGATT

/// The assembly of a client's writes into packets, for protocols that split a packet over several writes, or put several packets into one.
public struct PacketFraming: Hashable, Sendable {
  /// The octets at the start of every packet; anything before them is skipped. Empty for none.
  public var start: [UInt8]
  /// The way in which the end of a packet is found.
  public var end: End
  /// The maximum length of a packet, in octets.
  public var longest: Int
  /// The maximum time between two parts of a packet, after which the first part is discarded.
  public var limit: Duration

  /// The way in which the end of a packet is found.
  public enum End: Hashable, Sendable {
    /// A packet ends with these octets.
    case marker([UInt8])
    /// An integer of `octets` octets at offset `at` contains the length. The whole packet is longer than that by `plus` octets.
    case length(at: Int, octets: Int, isBigEndian: Bool, plus: Int)
  }

  /// The result of looking for a packet at the front of the received octets.
  enum Found: Hashable {
    case packet([UInt8])
    /// The packet is incomplete.
    case part
    case tooLong
  }

  /// Removes the next packet from the front.
  func take(from octets: inout [UInt8]) -> Found {
    skipToStart(&octets)
    guard octets.count >= start.count else { return octets.count > longest ? .tooLong : .part }
    guard let count = count(of: octets) else { return octets.count > longest ? .tooLong : .part }
    guard count <= longest else { return .tooLong }
    guard octets.count >= count else { return .part }
    defer { octets.removeFirst(count) }
    return .packet(Array(octets.prefix(count)))
  }

  /// Drops octets that cannot be the start of a packet.
  private func skipToStart(_ octets: inout [UInt8]) {
    guard !start.isEmpty else { return }
    let begin = octets.indices.first { place in
      octets[place...].starts(with: start) || start.starts(with: octets[place...])
    }
    octets.removeFirst(begin ?? octets.count)
  }

  /// Returns the length of the packet at the front; nil until it is known.
  private func count(of octets: [UInt8]) -> Int? {
    switch end {
    case .marker(let marker):
      guard octets.count >= start.count + marker.count else { return nil }
      return (start.count...(octets.count - marker.count)).first { octets[$0...].starts(with: marker) }.map {
        $0 + marker.count
      }
    case .length(let offset, let width, let isBigEndian, let plus):
      guard octets.count >= offset + width else { return nil }
      let field = octets[offset..<(offset + width)]
      let length = (isBigEndian ? Array(field) : field.reversed()).reduce(0) { $0 << 8 | Int($1) }
      // A packet always includes its length field, whatever the length says.
      return max(length + plus, offset + width)
    }
  }
}

/// The received part of a packet.
struct PacketAssembly: Hashable, Sendable {
  var client: ClientID
  var characteristic: CharacteristicIndex
  var octets: [UInt8] = []
  /// The time at which the last part was received.
  var last: Instant
}
