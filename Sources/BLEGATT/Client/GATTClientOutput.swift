import BLEATT
import BLECore

/// What a turn of a client produces: PDUs to send, and what happened. Reused from turn to turn.
public struct GATTClientOutput: ~Copyable {
  /// What happened, in order.
  public var events: [GATTClientEvent] = []
  private var octets = OctetBuffer()
  private var pdus: [(end: Int, bearer: BearerID)] = []

  /// Nothing yet.
  public init() {}

  /// How many PDUs there are to send.
  public var pduCount: Int { pdus.count }

  /// Goes through the PDUs to send, in order, each with its bearer.
  public borrowing func forEachPDU(_ body: (Span<UInt8>, BearerID) -> Void) {
    octets.withSpan { all in
      var start = 0
      for pdu in pdus {
        body(all.extracting(start..<pdu.end), pdu.bearer)
        start = pdu.end
      }
    }
  }

  /// Forgets everything; the room stays.
  public mutating func removeAll() {
    octets.removeAll()
    pdus.removeAll(keepingCapacity: true)
    events.removeAll(keepingCapacity: true)
  }

  mutating func send(_ pdu: some ATTPDU, on bearer: BearerID) {
    pdu.encodePDU(into: &octets)
    pdus.append((octets.count, bearer))
  }
}
