import AccessoryProfile
import BLECore
import BLELink
import PeripheralHost

extension Profile {
  /// What the host is to be for this profile.
  public func hostConfiguration(seed: UInt64) -> HostConfiguration {
    var configuration = HostConfiguration(
      name: name, appearance: appearance.rawValue, identity: identity, seed: seed, advertising: advertising,
      connection: connection, services: services, gatt: gatt, channels: channels.compactMap(\.published))
    configuration.privacy = privacy
    configuration.security = security.pairing
    configuration.securityRequests = security.requests
    return configuration
  }
}
