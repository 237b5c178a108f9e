import BLECore

/// One rung of the ladder: how octets go to the accessory, and over what kind of link.
package struct LadderStep: Hashable, Sendable {
  /// Its place in the ladder, from 1.
  package var number: Int
  /// What it changes against the one before.
  package var name: String
  /// How the octets go.
  package var method: SendingMethod
  /// The link that is wanted.
  package var link: LinkShape
  /// What Apple measured, in kbit/s (WWDC 2017 session 712); nil for what the talk has not.
  package var appleKbps: Double?

  /// What to compare its throughput with, in kbit/s.
  package struct Reference: Hashable, Sendable {
    /// Where a reference comes from.
    package enum Source: String, Hashable, Sendable {
      /// Measured by Apple (WWDC 2017 session 712).
      case apple
      /// Computed from the timing of the PHY, where the talk has no figure.
      case computed
    }

    /// The throughput.
    package var kbps: Double
    /// Where it comes from.
    package var source: Source
  }

  /// Apple's figure; where there is none, what the timing of the PHY allows at most on the link that is wanted (Core 5.4 Vol 6 Part B
  /// 2.1.1, 2.1.2, 4.1.1, 4.5.1), in connection events as long as the central's controller makes them.
  package func reference(octets: Int, events: EventLimit = .none) -> Reference {
    if let appleKbps { return Reference(kbps: appleKbps, source: .apple) }
    let unit = method == .channel ? LadderService.unit : min(link.mtu - 3, 512)
    let budget = LinkBudget(
      link: link, method: method, octets: octets, unit: unit, mps: LadderService.mps, packetLength: link.dataLength)
    return Reference(kbps: LinkBudget.kbps(octets, in: budget.shortestTime(in: events)), source: .computed)
  }

  /// How long it takes at least to send that many octets, apart from what comes before.
  package func shortestTime(octets: Int) -> Duration {
    LinkBudget(
      link: link, method: method == .channel ? .commands : method, octets: octets, unit: min(link.mtu - 3, 512),
      packetLength: link.dataLength
    ).shortestTime
  }
}

/// How octets go from a central to an accessory.
package enum SendingMethod: String, Hashable, Sendable {
  /// Write Requests, each after the response to the one before (Core 5.4 Vol 3 Part F 3.4.5.1).
  case request
  /// Write Commands, each when the one before has been acknowledged (Core 5.4 Vol 3 Part F 3.4.5.3).
  case singleCommand = "single-command"
  /// Write Commands, as many as the controller takes.
  case commands
  /// SDUs of a credit-based channel (Core 5.4 Vol 3 Part A 10.1).
  case channel

  /// Whether one value waits for the one before, so that its connection events are never filled.
  var isOneAtATime: Bool { self == .request || self == .singleCommand }
}

/// What a link is like, as far as its throughput depends on it.
package struct LinkShape: Hashable, Sendable {
  /// The time between connection events.
  package var interval: Duration
  /// The MTU of the ATT bearer, in octets.
  package var mtu: Int
  /// The longest payload of a data PDU from the central, 27...251 octets.
  package var dataLength: Int
  /// The PHY that the central sends on.
  package var phy: PHY

  /// A link like that.
  package init(interval: Duration, mtu: Int, dataLength: Int, phy: PHY) {
    self.interval = interval
    self.mtu = mtu
    self.dataLength = dataLength
    self.phy = phy
  }

  /// What every link is at its beginning.
  static func initial(interval: Duration) -> LinkShape {
    LinkShape(interval: interval, mtu: 23, dataLength: 27, phy: .le1M)
  }
}
