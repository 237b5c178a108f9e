import BLECore
import Simulation
import VirtualRadio

/// One run of the swarm as data. A seed determines a plan, shrinking reduces it, and a file stores it.
package struct SwarmPlan: Hashable, Sendable {
  /// An act, and the pause before it.
  package struct Step<Act: Hashable & Sendable>: Hashable, Sendable {
    package var pause: Duration
    package var act: Act

    package init(after pause: Duration, _ act: Act) { (self.pause, self.act) = (pause, act) }
  }

  /// A central's kind and acts.
  package struct Central: Hashable, Sendable {
    package var kind: CentralKind
    package var steps: [Step<CentralAct>]
    /// Whether its controller has BR/EDR.
    package var isDual = false

    package init(_ kind: CentralKind, _ steps: [Step<CentralAct>] = []) { (self.kind, self.steps) = (kind, steps) }
  }

  /// A peer over BR/EDR: its kind and acts.
  package struct Peer: Hashable, Sendable {
    package var kind: PeerKind
    /// The number of the central that is the same device; nil if none is.
    package var central: Int?
    package var steps: [Step<PeerAct>]

    package init(_ kind: PeerKind, _ steps: [Step<PeerAct>] = [], central: Int? = nil) {
      (self.kind, self.steps, self.central) = (kind, steps, central)
    }
  }

  /// The seed for everything random.
  package var seed: UInt64
  /// The text of the profile, or the name of a shipped one.
  package var profile: String
  /// The name of the preset of the accessory's controller.
  package var preset: String
  /// The profile of another accessory that shares the controller, if any.
  package var companion: String?
  package var centrals: [Central]
  /// The peers over BR/EDR.
  package var peers: [Peer] = []
  package var owner: [Step<OwnerAct>]
  /// The time before faults end and the judges check the final state.
  package var duration: Duration

  package init(
    seed: UInt64, profile: String, preset: String, centrals: [Central] = [], owner: [Step<OwnerAct>] = [],
    duration: Duration
  ) {
    (self.seed, self.profile, self.preset, self.centrals) = (seed, profile, preset, centrals)
    (self.owner, self.duration) = (owner, duration)
  }
}

extension SwarmPlan {
  /// Whether the accessory's controller has BR/EDR.
  var hasClassicController: Bool { ControllerConfiguration.named(preset)?.classic != nil }

  /// Whether packets are lost, doubled or delayed between host and controller.
  var hasLineTrouble: Bool {
    owner.contains {
      switch $0.act {
      case .line, .suspend: true
      default: false
      }
    }
  }

  /// Whether packets are doubled: the host then counts completed packets twice, or the controller gets a packet twice.
  var doublesPackets: Bool {
    owner.contains { if case .line(_, _, .doubled) = $0.act { true } else { false } }
  }

  /// Whether a line, a restart, a kill or the owner changes state that the rules depend on.
  var isCut: Bool {
    owner.contains {
      switch $0.act {
      case .line, .restartController, .kill, .killWithin, .restore, .reset, .suspend, .alterBond, .importBond: true
      default: false
      }
    }
  }

  /// Whether the accessory's answers may be untrue. Delays and ends of links leave them true.
  var hasDistortion: Bool {
    owner.contains { step in
      switch step.act {
      case .line, .restartController, .kill, .killWithin, .reset, .restore, .suspend: true
      case .arm(let fault): !FaultChoice.isTruthful(fault)
      default: false
      }
    }
  }
}

/// The kinds of centrals.
package enum CentralKind: String, Hashable, Sendable, CaseIterable {
  /// Pairs in any way that the accessory wants, and types the passkey.
  case phone
  /// Has no keyboard and no display, so it pairs by Just Works.
  case plain
  /// Pairs with LE legacy pairing, and signs its writes.
  case old
  /// Claims another central's identity when it pairs.
  case liar
  /// Has a private address, which changes each time that it comes back, and distributes its identity when it bonds.
  case roamer
  /// Has a private address, which changes each time that it comes back, and never distributes its identity.
  case anonymous
  /// Sends random PDUs, valid or not, in any state.
  case hostile

  /// Whether its user types the passkey that the accessory shows.
  var typesPasskeys: Bool { [.phone, .old, .roamer].contains(self) }
}
