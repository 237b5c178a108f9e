import Decoding

/// How many packets of which kind there were, in the kinds that Apple's PacketLogger counts.
package struct PacketCounters: Hashable, Sendable {
  /// All of them.
  package private(set) var total = 0
  /// Those with something wrong, which are counted by their kind, too.
  package private(set) var errors = 0
  /// Commands and events.
  package private(set) var hci = 0
  /// ACL data, and everything in it.
  package private(set) var acl = 0
  /// Synchronous and isochronous data.
  package private(set) var sco = 0
  /// Packets of the air, messages, and what is not known.
  package private(set) var others = 0

  /// Nothing counted yet.
  package init() {}

  /// Counts a packet.
  package mutating func count(_ summary: PacketSummary) {
    total += 1
    if summary.fault != nil { errors += 1 }
    switch summary.layer {
    case _ where summary.isOnAir: others += 1
    case .command, .event: hci += 1
    case .acl, .l2cap, .signalling, .channel, .att, .smp: acl += 1
    case .sco, .iso: sco += 1
    case .advertising, .linkControl, .linkData, .message, .unknown: others += 1
    }
  }

  /// All of them on one line.
  package var text: String {
    "\(total) total (\(errors) Err / \(hci) HCI / \(acl) ACL / \(sco) SCO / \(others) Misc)"
  }
}
