import Capture

/// Keeps records of packets for a report, in bounded memory. Advertising, empty packets and acknowledgements ("quiet" records) have a limit of
/// their own, because they would displace the others.
package struct RecordShelf {
  private static let (loudLimit, quietLimit) = (40_000, 10_000)

  private var loud = EndsOfSequence<CaptureRecord>(limit: loudLimit)
  private var quiet = EndsOfSequence<CaptureRecord>(limit: quietLimit)

  /// Creates an empty shelf.
  package init() {}

  /// Adds a record.
  package mutating func append(_ record: CaptureRecord) {
    if Self.isQuiet(record) { quiet.append(record) } else { loud.append(record) }
  }

  /// The time of the first kept record; nil if there is none.
  package var began: Int64? { [loud.elements.first, quiet.elements.first].compactMap { $0?.nanoseconds }.min() }

  /// The number of records that were not kept.
  var dropped: Int { loud.dropped + quiet.dropped }

  /// The kept records, in the order of their times.
  var records: [CaptureRecord] {
    // Records with equal times stay in the order of their arrival.
    (loud.elements + quiet.elements).enumerated().sorted {
      ($0.element.nanoseconds, $0.offset) < ($1.element.nanoseconds, $1.offset)
    }.map(\.element)
  }

  /// Returns whether a record says little: advertising and its reports, empty packets on the air, and acknowledgements of a controller
  /// (Core 5.4 Vol 4 Part E 7.7.19, 7.7.65; Vol 6 Part B 2.3, 2.4).
  static func isQuiet(_ record: CaptureRecord) -> Bool {
    let octets = record.octets
    guard !record.isFlagged else { return false }
    switch record.content {
    case .message: return false
    case .hci:
      guard octets.count > 3, octets[0] == 0x04 else { return false }
      return octets[1] == 0x13 || octets[1] == 0x3E && [0x02, 0x0B, 0x0D, 0x0F].contains(octets[3])
    case .air(let reception):
      guard octets.count >= 2 else { return false }
      switch reception.kind {
      case .toPeripheral, .toCentral: return octets[1] == 0 && record.comment == nil
      case nil: return octets[1] == 0 && reception.accessAddress != AirReception.advertisingAccessAddress
      // CONNECT_IND, AUX_CONNECT_REQ and AUX_CONNECT_RSP begin a connection.
      default: return ![0x05, 0x08].contains(octets[0] & 0x0F)
      }
    }
  }
}
