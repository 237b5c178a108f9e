import BLEGAP
import BLEHCI
import BLESMP

/// Changes of the pairing policy while a host runs.
extension HostEngine {
  /// Sets the policy for future pairings. A pairing in progress, keys and links are not changed.
  package mutating func setSecurity(_ pairing: PairingPolicy, requests: SecurityRequestTiming) {
    policy.security.pairing = pairing
    policy.security.requests = requests
    for link in links.ids {
      let canEncrypt = hci.profile.features.contains(.encryption)
      links[link].security.policy = pairing
      // A controller that cannot encrypt has no use for keys.
      if !canEncrypt { links[link].security.policy.isPairable = false }
    }
  }
}
