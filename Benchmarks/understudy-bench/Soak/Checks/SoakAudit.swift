import BLECore

/// What the hosts and the controllers of a soak hold at one moment.
struct SoakHoldings: Hashable, Sendable {
  /// How many links the accessory's host knows, and how many its controller knows.
  var accessoryLinks = 0
  var accessoryControllerLinks = 0
  /// The same for all centrals together.
  var centralLinks = 0
  var centralControllerLinks = 0
  /// How many packets of the hosts the controllers have not given back.
  var packets = 0
  /// How many channels, clients and questions the accessory's application holds.
  var held = 0
  /// How many commands wait in the hosts.
  var commands = 0
  /// How many hosts are woken again and again.
  var storms = 0
}

/// A check for what stays behind: what is wrong for longer than any end of a link may take.
struct SoakAudit: Hashable, Sendable {
  /// What can be wrong.
  enum Finding: String, CaseIterable, Hashable, Sendable {
    case accessoryHost = "the accessory's host and its controller do not have the same links"
    case centralHost = "the centrals' hosts and their controllers do not have the same links"
    case ends = "the accessory and its centrals do not have the same links"
    case packets = "without any link, controllers have not given back their buffers"
    case held = "without any link, the accessory holds channels, clients or questions"
    case commands = "commands wait that are never sent"
    case storm = "a host is woken again and again"
  }

  /// How long something may be wrong. It is longer than the longest supervision timeout, and longer than a
  /// central takes to notice that its controller has forgotten a link.
  static let grace = Duration.seconds(90)

  private var since: [Finding: Instant] = [:]

  /// Takes what is held at `now`. Returns what has been wrong for too long, once each time.
  mutating func check(_ holdings: SoakHoldings, at now: Instant) -> [Finding] {
    var overdue: [Finding] = []
    for finding in Finding.allCases {
      guard Self.isWrong(finding, holdings) else {
        since[finding] = nil
        continue
      }
      guard let began = since[finding] else {
        since[finding] = now
        continue
      }
      guard now - began > Self.grace else { continue }
      overdue.append(finding)
      since[finding] = now
    }
    return overdue
  }

  private static func isWrong(_ finding: Finding, _ holdings: SoakHoldings) -> Bool {
    let hasLinks = holdings.accessoryLinks + holdings.accessoryControllerLinks + holdings.centralLinks > 0
    return switch finding {
    case .accessoryHost: holdings.accessoryLinks != holdings.accessoryControllerLinks
    case .centralHost: holdings.centralLinks != holdings.centralControllerLinks
    case .ends: holdings.accessoryLinks != holdings.centralLinks
    case .packets: !hasLinks && holdings.packets > 0
    case .held: !hasLinks && holdings.held > 0
    case .commands: holdings.commands > 0
    case .storm: holdings.storms > 0
    }
  }
}
