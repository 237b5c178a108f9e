import AccessoryProfile
import BLEGAP
import BLESMP
import CentralHost
import PeripheralHost
import UnderstudyCore

extension Profile {
  /// Returns the configuration of the host that advertises like this accessory for a proxy. Its own database is not used. If there is a passkey, it
  /// demands it from clients, as the accessory does; otherwise it pairs without (Just Works).
  package func proxyConfiguration(passkey: UInt32?, seed: UInt64) -> HostConfiguration {
    var configuration = hostConfiguration(seed: seed)
    configuration.identity = .derivedStatic(from: "proxy of \(name)")
    configuration.privacy = PrivacyPolicy()
    (configuration.services, configuration.channels) = ([], [])
    // The accessory asks for parameters and security itself.
    configuration.connection.parameterRequest = nil
    configuration.securityRequests = .never
    // An accessory that learns of a second client would have to tell the two apart.
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
  /// Returns the configuration of the host that uses an accessory for a proxy. With a passkey it types that one.
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
