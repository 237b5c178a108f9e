import BLECore
import BLEGAP

extension IdentityPolicy {
  /// The random static address that follows from the policy; nil when the public one is used. The same text and seed give the
  /// same address at every start, and different profiles get different ones, so that no phone mixes up their caches.
  public func randomAddress(seed: UInt64) -> DeviceAddress? {
    switch self {
    case .fixedStatic(let address): address
    case .publicAddress: nil
    case .derivedStatic(let text):
      // FNV-1a over the text, then the finaliser of SplitMix64, so that every bit depends on every octet and on the seed.
      .randomStatic(
        from: Self.mix(
          text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 } ^ seed))
    }
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var mixed = value &+ 0x9E37_79B9_7F4A_7C15
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
