import BLECore
import BLEHCI

/// What is known of some controllers that they do otherwise than they report. Everything of that kind is here, with its reason.
public struct ControllerQuirks: Hashable, Sendable {
  /// Something that a controller reports and that is not so.
  package enum Quirk: Hashable, Sendable {
    /// It names the commands of flow control towards the host, and fails when they come, or does not obey (Core 5.4 Vol 4 Part E
    /// 7.3.38).
    case falseHostFlowControl
    /// It takes Host Buffer Size, and answers with a status that it has not set.
    case unsetHostBufferStatus
    /// It names a command, and does not answer it.
    case unanswered(CommandOpcode)
    /// It reports how much advertising data a chain of packets can carry, and takes that much at most in a connectable set.
    case shortConnectableData(octets: Int)
  }

  private let quirks: [Quirk]

  /// What is known of controllers that say this of themselves.
  init(of profile: ControllerProfile) {
    quirks = Self.table.filter { entry in
      entry.manufacturer == profile.manufacturer && entry.version.map { $0 == profile.version } ?? true
    }.map(\.quirk)
  }

  /// Whether one is known.
  func contains(_ quirk: Quirk) -> Bool { quirks.contains(quirk) }

  /// How much advertising data a connectable set takes, in octets, where that is known.
  var longestConnectableData: Int? {
    for case .shortConnectableData(let octets) in quirks { return octets }
    return nil
  }

  /// The commands that it names and does not answer.
  var unansweredCommands: [CommandOpcode] {
    quirks.compactMap { if case .unanswered(let opcode) = $0 { opcode } else { nil } }
  }

  private struct Entry {
    let manufacturer: ControllerManufacturer
    /// The version of the specification that it reports; nil for any.
    var version: CoreVersion?
    let quirk: Quirk
  }

  private static let table = [
    // CONFIG_BT_CTLR_ADV_DATA_LEN_MAX without chains, whatever LE Read Maximum Advertising Data Length says.
    Entry(manufacturer: .zephyr, quirk: .shortConnectableData(octets: 191)),
    // `host_buffer_size` sets a status only where it fails (3.5.0, 4.0.0).
    Entry(manufacturer: .zephyr, quirk: .unsetHostBufferStatus),
    // RootCanal 1.13.0 ends with an assertion in HCI_Set_Controller_To_Host_Flow_Control.
    Entry(manufacturer: .google, quirk: .falseHostFlowControl),
    // Bumble 0.0.236's virtual controller switches flow control on, but does not count, and sends longer packets than it was told.
    Entry(manufacturer: .none, version: .v5_0, quirk: .falseHostFlowControl),
    // It names LE Set PHY in its mask and has no handler for it.
    Entry(manufacturer: .none, version: .v5_0, quirk: .unanswered(.leSetPHY)),
  ]
}
