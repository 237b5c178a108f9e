import BLEHCI
import BLESMP

extension ControllerProfile {
  /// The commands that choose how the controller pairs over BR/EDR (Core 5.4 Vol 4 Part E 7.3.59, 7.3.92). They come before any connection.
  package func pairingCommands(_ policy: PairingPolicy) -> [any HCICommand] {
    var commands: [any HCICommand] = []
    if classicFeatures?.contains(.secureSimplePairing) ?? false {
      commands.append(HCIWriteSimplePairingMode { $0.isEnabled = true })
    }
    if supportsClassicSecureConnections, policy.secureConnections != .none {
      commands.append(HCIWriteSecureConnectionsHostSupport { $0.isEnabled = true })
    }
    return commands
  }
}
