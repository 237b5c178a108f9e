import Capture
import Decoding

/// A point of view on a connection.
package enum Viewpoint: Hashable, Sendable, CaseIterable {
  case peripheral, central, air

  /// The owner of the view, for messages.
  package var text: String {
    switch self {
    case .peripheral: "the peripheral's host"
    case .central: "the central's host"
    case .air: "the air"
    }
  }
}

/// Chooses one point of view if a capture shows the same connections from several, like captures of a virtual radio. It prefers the
/// peripheral's host to the central's host, and that to the air.
///
/// It must see every packet in order, because only the beginning of a connection gives the roles of its hosts.
package struct PointOfView: Sendable {
  /// The sources whose host is a peripheral.
  private var peripherals: Set<UInt32> = []
  /// Whether the capture has a connection of any host.
  private var hasHosts = false
  /// The centrals' connections, by source and handle.
  private var centrals: Set<UInt64> = []
  /// The centrals' sources.
  private var centralSources: Set<UInt32> = []
  private var seen: Set<Viewpoint> = []
  /// The number of packets that `accepts` has refused.
  package private(set) var omitted = 0

  /// Creates a view before the first packet.
  package init() {}

  /// Adds a packet. LE Connection Complete and its enhanced versions begin a connection (Core 5.4 Vol 4 Part E 7.7.65.1, .10).
  package mutating func receive(_ summary: PacketSummary, _ record: CaptureRecord) {
    takeRole(summary, record)
    if seen.count < Viewpoint.allCases.count, summary.isOnAir || summary.handle != nil,
      let viewpoint = viewpoint(of: summary)
    {
      seen.insert(viewpoint)
    }
  }

  private mutating func takeRole(_ summary: PacketSummary, _ record: CaptureRecord) {
    guard summary.layer == .event, [0x3E01, 0x3E0A, 0x3E29].contains(summary.opcode), summary.status == 0,
      let handle = summary.handle, record.octets.count > 7
    else { return }
    hasHosts = true
    let isCentral = record.octets[7] == 0
    if isCentral {
      centrals.insert(Self.key(summary.source, handle))
      centralSources.insert(summary.source)
    } else {
      centrals.remove(Self.key(summary.source, handle))
      peripherals.insert(summary.source)
    }
  }

  /// Returns whether the chosen point of view shows a packet that was just received, and counts it if not.
  package mutating func accepts(_ summary: PacketSummary) -> Bool {
    let isAccepted = isChosen(summary)
    omitted += isAccepted ? 0 : 1
    return isAccepted
  }

  /// The points of view in the capture, the preferred one first.
  package var known: [Viewpoint] { Viewpoint.allCases.filter { seen.contains($0) } }

  /// The chosen point of view; nil if the roles of hosts are not known.
  package var preferred: Viewpoint? {
    if hasHosts { return peripherals.isEmpty ? .central : .peripheral }
    return seen == [.air] ? .air : nil
  }

  /// Returns the point of view of a packet; nil for messages. A host with an unknown role counts as the peripheral's.
  package func viewpoint(of summary: PacketSummary) -> Viewpoint? {
    if summary.isOnAir { return .air }
    guard summary.layer != .message else { return nil }
    let isCentral =
      summary.handle.map { centrals.contains(Self.key(summary.source, $0)) }
      ?? (centralSources.contains(summary.source) && !peripherals.contains(summary.source))
    return isCentral ? .central : .peripheral
  }

  /// Returns whether the chosen point of view shows a packet.
  package func isChosen(_ summary: PacketSummary) -> Bool {
    if summary.isOnAir { return !hasHosts }
    guard let handle = summary.handle, centrals.contains(Self.key(summary.source, handle)) else { return true }
    return peripherals.isSubset(of: [summary.source])
  }

  private static func key(_ source: UInt32, _ handle: UInt16) -> UInt64 { UInt64(source) << 16 | UInt64(handle) }
}
