/// The numbers of packets by kind, with the kinds of Apple's PacketLogger.
package struct PacketCounters: Hashable, Sendable {
  /// All packets.
  package private(set) var total = 0
  /// Packets with a fault. They also count for their kind.
  package private(set) var errors = 0
  /// Commands and events.
  package private(set) var hci = 0
  /// ACL data, and everything in it.
  package private(set) var acl = 0
  /// Synchronous and isochronous data.
  package private(set) var sco = 0
  /// Packets on the air, messages, and unknown packets.
  package private(set) var others = 0

  /// Creates counters at zero.
  package init() {}

  /// Counts a packet.
  package mutating func count(_ summary: PacketSummary) {
    total += 1
    if summary.fault != nil { errors += 1 }
    switch summary.layer {
    case _ where summary.isOnAir: others += 1
    case .command, .event: hci += 1
    case .sco, .iso: sco += 1
    case let layer: if layer.isACL { acl += 1 } else { others += 1 }
    }
  }

  /// All counters on one line.
  package var text: String {
    "\(total) total (\(errors) Err / \(hci) HCI / \(acl) ACL / \(sco) SCO / \(others) Misc)"
  }
}
