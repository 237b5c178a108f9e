import AccessoryProfile
import BLECore
import BLEGAP
import BLELink
import PeripheralHost

extension Profile {
  /// What the host is to be for this profile.
  public func hostConfiguration(seed: UInt64) -> HostConfiguration {
    var configuration = HostConfiguration(
      name: name, appearance: appearance.rawValue, identity: identity, seed: seed, advertising: advertising,
      connection: connection, services: services, gatt: gatt, channels: channels.compactMap(\.published))
    // What the first advertising events say, before the runtime tells more.
    let begin = liveAdvertising.isEmpty ? [] : ProfileRuntime(profile: self, seed: seed).advertisedAtStart()
    for (set, data, response) in begin {
      guard let index = configuration.advertising.firstIndex(where: { $0.id == set }) else { continue }
      (configuration.advertising[index].data, configuration.advertising[index].scanResponse) = (data, response)
    }
    configuration.startsAsleep = sleep.startsAsleep
    configuration.privacy = privacy
    configuration.security = security.pairing
    configuration.securityRequests = security.requests
    return configuration
  }
}
