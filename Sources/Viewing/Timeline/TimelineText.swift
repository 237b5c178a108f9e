import BLECore
import Capture
import Decoding

extension ConnectionTimeline.Connection {
  /// The connection's name in texts.
  package var name: String {
    let peer = address.map { ", " + DeviceAddress(bits: $0).description } ?? ""
    return "connection \(PacketWords.hex(UInt64(handle), isOnAir ? 8 : 4))\(peer)"
  }

  /// The heading of its history.
  package var headline: String { "\(name), from \(PacketWords.clock(began)), \(PacketWords.span(duration))" }

  /// Returns the columns of an entry: time since the first packet, aspect, text.
  package func columns(of entry: ConnectionTimeline.Entry) -> (since: String, aspect: String, text: String) {
    (
      PacketWords.padded("+" + PacketWords.span(time(of: entry)), 14),
      PacketWords.padded(entry.aspect.rawValue, 12), entry.text
    )
  }
}

/// A scale for the time of a connection, from 0 to 1.
package struct TimelineScale: Sendable {
  private let began: Int64
  private let length: Int64

  /// Creates the scale from a connection's first packet to its last.
  package init(_ connection: ConnectionTimeline.Connection) {
    began = connection.began
    length = max(1, connection.duration)
  }

  /// Returns the position of a time in nanoseconds since 1970-01-01 00:00 UTC. Times outside are moved to the ends.
  package func place(of time: Int64) -> Double {
    Double(min(max(0, time.elapsed(since: began)), length)) / Double(length)
  }

  /// Five equidistant marks: the position, and the time since the beginning.
  package var marks: [(place: Double, label: String)] {
    (0...4).map { step in
      let time = length / 4 * Int64(step)
      return (Double(time) / Double(length), PacketWords.span(time))
    }
  }
}
