import BLEHCI
import BLESMP
import VirtualRadio

/// Security mode 4 (Core 5.4 Vol 3 Part C 5.2.2.8).
extension PairingPolicy {
  static let level3 = PairingPolicy.pairable(.offered, .displayYesNo) { $0.requiresAuthentication = true }
  static let level4 = PairingPolicy.pairable(.only, .displayYesNo) {
    ($0.requiresAuthentication, $0.keySizes) = (true, 16...16)
  }
}

extension ControllerConfiguration {
  /// A controller without Secure Connections.
  static let withoutSecureConnections: ControllerConfiguration = {
    var configuration = ControllerConfiguration.dual
    configuration.classic?.secondFeatures = []
    return configuration
  }()
}
