import BLECore

/// The known deviations of controllers from what they report. All of them are listed here, with their reasons.
public struct ControllerQuirks: Hashable, Sendable {
  /// A deviation from what the controller reports.
  package enum Quirk: Hashable, Sendable {
    /// It reports support for the commands of flow control towards the host, but crashes on them or does not obey (Core 5.4 Vol 4 Part E
    /// 7.3.38).
    case falseHostFlowControl
    /// It accepts Host Buffer Size, but answers with an uninitialized status.
    case unsetHostBufferStatus
    /// It reports support for this command, but does not answer it.
    case unanswered(CommandOpcode)
    /// It reports the maximum advertising data of a chain of packets, but accepts at most this much in a connectable set.
    case shortConnectableData(octets: Int)
  }

  private let quirks: [Quirk]

  /// Creates the quirks of controllers with this manufacturer and version.
  init(of profile: ControllerProfile) {
    quirks = Self.table.filter { entry in
      entry.manufacturer == profile.manufacturer && entry.version.map { $0 == profile.version } ?? true
    }.map(\.quirk)
  }

  /// Returns whether this quirk is known.
  func contains(_ quirk: Quirk) -> Bool { quirks.contains(quirk) }

  /// The maximum advertising data of a connectable set, in octets, if known.
  var longestConnectableData: Int? {
    for case .shortConnectableData(let octets) in quirks { return octets }
    return nil
  }

  /// The commands that it claims to support but does not answer.
  var unansweredCommands: [CommandOpcode] {
    quirks.compactMap { if case .unanswered(let opcode) = $0 { opcode } else { nil } }
  }

  private struct Entry {
    let manufacturer: ControllerManufacturer
    /// The reported version of the specification; nil for any.
    var version: CoreVersion?
    let quirk: Quirk
  }

  private static let table = [
    // The limit is CONFIG_BT_CTLR_ADV_DATA_LEN_MAX without chains, regardless of LE Read Maximum Advertising Data Length.
    Entry(manufacturer: .zephyr, quirk: .shortConnectableData(octets: 191)),
    // `host_buffer_size` sets a status only on failure (3.5.0, 4.0.0).
    Entry(manufacturer: .zephyr, quirk: .unsetHostBufferStatus),
    // RootCanal 1.13.0 fails an assertion in HCI_Set_Controller_To_Host_Flow_Control.
    Entry(manufacturer: .google, quirk: .falseHostFlowControl),
    // Bumble 0.0.236's virtual controller enables flow control, but does not count, and sends longer packets than allowed.
    Entry(manufacturer: .none, version: .v5_0, quirk: .falseHostFlowControl),
    // It reports support for LE Set PHY, but has no handler for it.
    Entry(manufacturer: .none, version: .v5_0, quirk: .unanswered(.leSetPHY)),
  ]
}
