import Transport

/// The findings about a serial port, before and while it is opened.
struct PortCheck {
  /// The facts known about the port.
  var facts: PortFacts

  /// The observation about the port itself.
  var port: Observation {
    guard facts.exists else { return .portMissing(path: facts.path) }
    guard facts.isAccessible else { return .portForbidden(path: facts.path, group: facts.group) }
    guard facts.holders.isEmpty else { return .portHeld(path: facts.path, by: facts.holders, isLocked: false) }
    return .portReady(path: facts.path, stablePath: facts.port?.stablePath, isUSB: facts.port != nil)
  }

  /// Returns the observation about a port that could not be opened.
  func refused(_ error: TransportError) -> Observation {
    switch error.kind {
    case .notFound: .portMissing(path: facts.path)
    case .permissionDenied: .portForbidden(path: facts.path, group: facts.group)
    case .busy: .portHeld(path: facts.path, by: facts.holders, isLocked: true)
    default: .unreachable(error)
    }
  }

  /// The observation about ModemManager, which uses only ports on USB.
  var modemManager: Observation {
    guard let port = facts.port else { return .skipped(.notUSB) }
    guard facts.modemManagerRuns else { return .noModemManager }
    return port.isIgnoredByModemManager ? .modemManagerKeptAway : .modemManagerNear
  }
}

extension SerialSettings {
  /// The settings at which a controller may answer: these, then the common ones.
  var alternatives: [SerialSettings] {
    let common = [true, false].flatMap { flowControl in
      [1_000_000, 115_200, 460_800, 921_600].map { baud in
        SerialSettings(path: path, baud: baud, flowControl: flowControl)
      }
    }
    return [self] + common.filter { $0 != self }
  }
}
