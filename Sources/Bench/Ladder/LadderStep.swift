import BLECore
import BLEGAP

/// One rung of the ladder: how octets are sent to the accessory, and over what kind of link.
package struct LadderStep: Hashable, Sendable {
  /// Its number in the ladder, from 1.
  package var number: Int
  /// What it changes compared with the previous step.
  package var name: String
  /// How the octets are sent.
  package var method: SendingMethod
  /// The wanted link.
  package var link: LinkShape
  /// Apple's result in kbit/s (WWDC 2017 session 712); nil if the talk has none.
  package var appleKbps: Double?

  /// Returns the step as a central of a maker performs it: with its interval, and with no more than it supports. Apple's figure is not
  /// about that link.
  package func limited(to persona: CentralPersona) -> LadderStep {
    var step = self
    step.link.interval = persona.intervals.lowerBound
    step.link.mtu = min(link.mtu, persona.mtu)
    step.link.dataLength = min(link.dataLength, persona.dataLength)
    if persona.phy == nil { step.link.phy = .le1M }
    step.appleKbps = nil
    return step
  }

  /// The throughput to compare with.
  package struct Reference: Hashable, Sendable {
    /// The source of the reference.
    package enum Source: String, Hashable, Sendable {
      /// Measured by Apple (WWDC 2017 session 712).
      case apple
      /// Computed from the timing of the PHY, because the talk has no figure.
      case computed
    }

    /// The throughput in kbit/s.
    package var kbps: Double
    /// Its source.
    package var source: Source
  }

  /// Returns Apple's figure. If there is none, returns the maximum that the timing of the PHY allows on the wanted link (Core
  /// 5.4 Vol 6 Part B 2.1.1, 2.1.2, 4.1.1, 4.5.1), in connection events as long as the central's controller makes them.
  package func reference(octets: Int, events: EventLimit = .none) -> Reference {
    if let appleKbps { return Reference(kbps: appleKbps, source: .apple) }
    let unit = method == .channel ? LadderService.unit : min(link.mtu - 3, 512)
    let budget = LinkBudget(
      link: link, method: method, octets: octets, unit: unit, mps: LadderService.mps, packetLength: link.dataLength)
    return Reference(kbps: LinkBudget.kbps(octets, in: budget.shortestTime(in: events)), source: .computed)
  }

  /// Returns the minimum time to send that many octets, without the preparation.
  package func shortestTime(octets: Int) -> Duration {
    LinkBudget(
      link: link, method: method == .channel ? .commands : method, octets: octets, unit: min(link.mtu - 3, 512),
      packetLength: link.dataLength
    ).shortestTime
  }
}

/// How octets are sent from a central to an accessory.
package enum SendingMethod: String, Hashable, Sendable {
  /// Write Requests, each after the response to the one before (Core 5.4 Vol 3 Part F 3.4.5.1).
  case request
  /// Write Commands, each after the acknowledgement of the one before (Core 5.4 Vol 3 Part F 3.4.5.3).
  case singleCommand = "single-command"
  /// Write Commands, as many as the controller accepts.
  case commands
  /// SDUs of a credit-based channel (Core 5.4 Vol 3 Part A 10.1).
  case channel

  /// Whether each value waits for the one before, so that connection events are never filled.
  var isOneAtATime: Bool { self == .request || self == .singleCommand }
}

/// The properties of a link that affect its throughput.
package struct LinkShape: Hashable, Sendable {
  /// The time between connection events.
  package var interval: Duration
  /// The MTU of the ATT bearer, in octets.
  package var mtu: Int
  /// The longest payload of a data PDU from the central, 27...251 octets.
  package var dataLength: Int
  /// The PHY that the central sends on.
  package var phy: PHY

  /// Creates a link.
  package init(interval: Duration, mtu: Int, dataLength: Int, phy: PHY) {
    self.interval = interval
    self.mtu = mtu
    self.dataLength = dataLength
    self.phy = phy
  }

  /// Returns the properties of a new link.
  static func initial(interval: Duration) -> LinkShape {
    LinkShape(interval: interval, mtu: 23, dataLength: 27, phy: .le1M)
  }
}
