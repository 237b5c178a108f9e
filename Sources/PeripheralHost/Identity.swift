import BLECore
import BLEGAP

extension IdentityPolicy {
  /// Returns the random static address of the policy; nil when the public address is used. The same text and seed give the same address
  /// at every start, and different profiles get different addresses, so that no phone mixes up their caches.
  public func randomAddress(seed: UInt64) -> DeviceAddress? {
    switch self {
    case .fixedStatic(let address): address
    case .publicAddress: nil
    case .derivedStatic(let text): .randomStatic(from: SplitMix64.seed(seed, for: text))
    }
  }

  /// Returns an Identity Resolving Key derived from the policy, 16 octets. Like the address, it is the same at every start. A host that
  /// needs real privacy has to get a key that nobody can compute.
  func identityResolvingKey(seed: UInt64) -> [UInt8] {
    let text =
      switch self {
      case .fixedStatic(let address): "\(address)"
      case .publicAddress: ""
      case .derivedStatic(let text): text
      }
    var generator = SplitMix64(seed: seed).generator(for: "identity resolving key of \(text)")
    return (0..<16).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }
}
