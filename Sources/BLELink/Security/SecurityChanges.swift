import BLEGAP
import BLEHCI
import BLESMP

/// How a host pairs can change while it runs.
extension HostEngine {
  /// Pairs otherwise from now on. A pairing that has begun, keys and links stay as they are.
  package mutating func setSecurity(_ pairing: PairingPolicy, requests: SecurityRequestTiming) {
    policy.security.pairing = pairing
    policy.security.requests = requests
    for index in links.indices {
      let canEncrypt = controller.features.contains(.encryption)
      links[index].security.policy = pairing
      // Keys are of no use to a controller that cannot encrypt.
      if !canEncrypt { links[index].security.policy.isPairable = false }
    }
  }
}
