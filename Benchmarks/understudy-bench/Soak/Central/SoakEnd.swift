import VirtualRadio

/// How a session of the soak ends.
enum SoakEnd: String, CaseIterable, Hashable, Sendable {
  case centralDisconnects = "central disconnects"
  case accessoryDisconnects = "accessory disconnects"
  case linkLoss = "link loss"
  case accessorySilentReset = "accessory's controller resets silently"
  case accessoryNOPReset = "accessory's controller resets with a NOP"
  case accessoryHardwareError = "accessory's controller reports a hardware error"
  case accessoryAssertion = "accessory's controller fails an assertion"
  case accessoryHostRestart = "accessory's host starts again"
  case centralSilentReset = "central's controller resets silently"
  case centralNOPReset = "central's controller resets with a NOP"
  case centralHardwareError = "central's controller reports a hardware error"
  case centralHostRestart = "central's host starts again"

  /// The ends that need only the two hosts, for boards.
  static let ofHosts: [SoakEnd] = [
    .centralDisconnects, .accessoryDisconnects, .accessoryHostRestart, .centralHostRestart,
  ]

  /// What a controller says when it restarts in this way; nil for what does not restart a controller.
  var notice: RestartNotice? {
    switch self {
    case .accessorySilentReset, .centralSilentReset: .silently
    case .accessoryNOPReset, .centralNOPReset: .nop
    case .accessoryHardwareError, .centralHardwareError: .hardwareError(0x42)
    case .accessoryAssertion: .zephyrAssertion(file: "ull_conn.c", line: 1042)
    default: nil
    }
  }

  /// Whether a controller or a host begins anew.
  var isRestart: Bool { notice != nil || self == .accessoryHostRestart || self == .centralHostRestart }

  /// Whether every link of the accessory ends, including those of other centrals.
  var endsAllLinks: Bool {
    switch self {
    case .accessorySilentReset, .accessoryNOPReset, .accessoryHardwareError, .accessoryAssertion,
      .accessoryHostRestart:
      true
    default: false
    }
  }

  /// Whether the central's host must notice by itself that its controller has begun anew.
  var isUnannounced: Bool { self == .centralSilentReset }

  /// Whether the central's controller begins anew.
  var isOfCentralController: Bool {
    self == .centralSilentReset || self == .centralNOPReset || self == .centralHardwareError
  }
}
