import AccessoryProfile
import BLEGAP
import BLESMP
import CentralHost
import PeripheralHost
import UnderstudyCore

extension Profile {
  /// Returns the configuration of a proxy's host towards clients. The host advertises like this accessory, and has no services. With a passkey it
  /// demands that passkey from clients, as the accessory does; otherwise it pairs with Just Works.
  package func proxyConfiguration(passkey: UInt32?, seed: UInt64) -> HostConfiguration {
    var configuration = hostConfiguration(seed: seed)
    configuration.identity = .derivedStatic(from: "proxy of \(name)")
    configuration.privacy = PrivacyPolicy()
    (configuration.services, configuration.channels) = ([], [])
    // The accessory asks for parameters and security itself.
    configuration.connection.parameterRequest = nil
    configuration.securityRequests = .never
    // The accessory could not tell two clients apart.
    configuration.connection.maximumConnections = 1
    configuration.security = PairingPolicy()
    configuration.security.isPairable = true
    if let passkey {
      configuration.security.ioCapability = .displayOnly
      configuration.security.fixedPasskey = passkey
      configuration.security.requiresAuthentication = true
    }
    return configuration
  }
}

extension CentralConfiguration {
  /// Returns the configuration of a proxy's host towards the accessory. With a passkey it enters that passkey.
  package static func proxy(passkey: UInt32?, address: UInt64) -> CentralConfiguration {
    var configuration = CentralConfiguration(randomAddress: .randomStatic(from: address))
    configuration.security.isPairable = true
    if passkey != nil {
      configuration.security.ioCapability = .keyboardOnly
      configuration.security.prefersAuthentication = true
    }
    return configuration
  }
}
