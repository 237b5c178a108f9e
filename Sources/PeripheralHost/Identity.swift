import BLECore
import BLEGAP

extension IdentityPolicy {
  /// The random static address that follows from the policy; nil when the public one is used. The same text and seed give the
  /// same address at every start, and different profiles get different ones, so that no phone mixes up their caches.
  public func randomAddress(seed: UInt64) -> DeviceAddress? {
    switch self {
    case .fixedStatic(let address): address
    case .publicAddress: nil
    case .derivedStatic(let text): .randomStatic(from: SplitMix64.seed(seed, for: text))
    }
  }
}
