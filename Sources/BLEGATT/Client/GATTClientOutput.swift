import BLEATT
import BLECore

/// What a turn of a client produces: PDUs to send, and what happened. Reused from turn to turn.
public struct GATTClientOutput: ~Copyable {
  /// What happened, in order.
  public var events: [GATTClientEvent] = []
  private var octets = OctetBuffer()
  private var ends: [Int] = []

  /// Nothing yet.
  public init() {}

  /// How many PDUs there are to send.
  public var pduCount: Int { ends.count }

  /// Goes through the PDUs to send, in order.
  public borrowing func forEachPDU(_ body: (Span<UInt8>) -> Void) {
    octets.withSpan { all in
      var start = 0
      for end in ends {
        body(all.extracting(start..<end))
        start = end
      }
    }
  }

  /// Forgets everything; the room stays.
  public mutating func removeAll() {
    octets.removeAll()
    ends.removeAll(keepingCapacity: true)
    events.removeAll(keepingCapacity: true)
  }

  mutating func send(_ pdu: some ATTPDU) {
    pdu.encodePDU(into: &octets)
    ends.append(octets.count)
  }
}
