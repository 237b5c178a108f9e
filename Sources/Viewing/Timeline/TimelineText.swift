import BLECore
import Capture
import Decoding

extension ConnectionTimeline.Connection {
  /// How people tell it from others.
  package var name: String {
    let peer = address.map { ", " + DeviceAddress(bits: $0).description } ?? ""
    return "connection \(PacketWords.hex(UInt64(handle), isOnAir ? 8 : 4))\(peer)"
  }

  /// The line above its history.
  package var headline: String { "\(name), from \(PacketWords.clock(began)), \(PacketWords.span(duration))" }

  /// The columns of an entry: time since the first packet, aspect, text.
  package func columns(of entry: ConnectionTimeline.Entry) -> (since: String, aspect: String, text: String) {
    (
      PacketWords.padded("+" + PacketWords.span(time(of: entry)), 14),
      PacketWords.padded(entry.aspect.rawValue, 12), entry.text
    )
  }
}

/// Where times of a connection are on a line from 0 to 1.
package struct TimelineScale: Sendable {
  private let began: Int64
  private let length: Int64

  /// The line from a connection's first packet to its last.
  package init(_ connection: ConnectionTimeline.Connection) {
    began = connection.began
    length = max(1, connection.duration)
  }

  /// The place of a time, in nanoseconds since 1970-01-01 00:00 UTC; times outside are at the ends.
  package func place(of time: Int64) -> Double {
    Double(min(max(0, time.elapsed(since: began)), length)) / Double(length)
  }

  /// Five marks at equal distances: where, and how long after the beginning.
  package var marks: [(place: Double, label: String)] {
    (0...4).map { step in
      let time = length / 4 * Int64(step)
      return (Double(time) / Double(length), PacketWords.span(time))
    }
  }
}
