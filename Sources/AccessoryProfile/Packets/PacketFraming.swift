import BLECore
import BLEGATT

/// How a client's writes become packets: some protocols cut theirs into as many writes as they need, or put several into one.
public struct PacketFraming: Hashable, Sendable {
  /// What every packet begins with; what comes before is passed over. Empty for nothing.
  public var start: [UInt8]
  /// Where a packet ends.
  public var end: End
  /// The longest packet, in octets.
  public var longest: Int
  /// How long there may be between two parts of a packet; after that, the first is forgotten.
  public var limit: Duration

  /// Where a packet ends.
  public enum End: Hashable, Sendable {
    /// With these octets.
    case marker([UInt8])
    /// An integer of so many octets, so far behind the beginning, says it; the packet is so much longer than that.
    case length(at: Int, octets: Int, isBigEndian: Bool, plus: Int)
  }

  /// What there is at the front of what has come.
  enum Found: Hashable {
    case packet([UInt8])
    /// More is needed.
    case part
    case tooLong
  }

  /// Takes the next packet from the front.
  func take(from octets: inout [UInt8]) -> Found {
    skipToStart(&octets)
    guard octets.count >= start.count else { return octets.count > longest ? .tooLong : .part }
    guard let count = count(of: octets) else { return octets.count > longest ? .tooLong : .part }
    guard count <= longest else { return .tooLong }
    guard octets.count >= count else { return .part }
    defer { octets.removeFirst(count) }
    return .packet(Array(octets.prefix(count)))
  }

  /// Drops what cannot be the beginning of a packet.
  private func skipToStart(_ octets: inout [UInt8]) {
    guard !start.isEmpty else { return }
    let begin = octets.indices.first { place in
      octets[place...].starts(with: start) || start.starts(with: octets[place...])
    }
    octets.removeFirst(begin ?? octets.count)
  }

  /// How long the packet at the front is; nil while that is not known.
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
      // A packet holds what says how long it is, whatever that says.
      return max(length + plus, offset + width)
    }
  }
}

/// What has come of a packet so far.
struct PacketAssembly: Hashable, Sendable {
  var client: ClientID
  var characteristic: CharacteristicIndex
  var octets: [UInt8] = []
  /// When the last part came.
  var last: Instant
}
