import AccessoryProfile
import BLECore
import BLEGAP
import BLELink
import PeripheralHost

extension Profile {
  /// Returns the host configuration for this profile.
  public func hostConfiguration(seed: UInt64) -> HostConfiguration {
    var configuration = HostConfiguration(
      name: name, appearance: appearance.rawValue, identity: identity, seed: seed, advertising: advertising,
      connection: connection, services: services, gatt: gatt, channels: channels.compactMap(\.published))
    // The first advertising events already need the data that the runtime would supply later.
    let begin = liveAdvertising.isEmpty ? [] : ProfileRuntime(profile: self, seed: seed).advertisedAtStart()
    for (set, data, response) in begin {
      guard let index = configuration.advertising.firstIndex(where: { $0.id == set }) else { continue }
      (configuration.advertising[index].data, configuration.advertising[index].scanResponse) = (data, response)
    }
    configuration.classic = classic
    configuration.serviceRecords = serviceRecords
    configuration.startsAsleep = sleep.startsAsleep
    configuration.privacy = privacy
    configuration.security = security.pairing
    configuration.securityRequests = security.requests
    return configuration
  }
}
