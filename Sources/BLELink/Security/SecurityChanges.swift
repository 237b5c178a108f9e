import BLEGAP
import BLEHCI
import BLESMP

/// How a host pairs can change while it runs.
extension HostEngine {
  /// Pairs otherwise from now on. A pairing that has begun, keys and links stay as they are.
  package mutating func setSecurity(_ pairing: PairingPolicy, requests: SecurityRequestTiming) {
    policy.security.pairing = pairing
    policy.security.requests = requests
    for link in links.ids {
      let canEncrypt = controller.features.contains(.encryption)
      links[link].security.policy = pairing
      // Keys are of no use to a controller that cannot encrypt.
      if !canEncrypt { links[link].security.policy.isPairable = false }
    }
  }
}
