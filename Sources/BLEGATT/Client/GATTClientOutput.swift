import BLEATT
import BLECore

/// The output of a client: PDUs to send, and events. Reused for every call.
public struct GATTClientOutput: ~Copyable {
  /// The events, in order.
  public var events: [GATTClientEvent] = []
  private var octets = OctetBuffer()
  private var pdus: [(end: Int, bearer: BearerID)] = []

  /// Creates an empty output.
  public init() {}

  /// The number of PDUs to send.
  public var pduCount: Int { pdus.count }

  /// Calls `body` for each PDU to send, in order, with its bearer.
  public borrowing func forEachPDU(_ body: (Span<UInt8>, BearerID) -> Void) {
    octets.withSpan { all in
      var start = 0
      for pdu in pdus {
        body(all.extracting(start..<pdu.end), pdu.bearer)
        start = pdu.end
      }
    }
  }

  /// Removes everything, but keeps the capacity.
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
