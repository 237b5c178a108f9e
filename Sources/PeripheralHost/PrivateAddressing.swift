import BLECore
import BLECryptography
import BLEGAP
import BLEHCI

/// The private addresses of a host: when and how it generates new ones (Core 5.4 Vol 3 Part C 10.7, Vol 6 Part B 1.3.2.2).
struct PrivateAddressing: Sendable {
  /// The key of resolvable addresses; nil without privacy.
  var key: IdentityResolvingKey?
  /// Whether there are sets with non-resolvable addresses.
  let needsNonResolvable: Bool
  /// Whether there are directed sets, whose targets may use private addresses.
  let needsTargets: Bool
  /// The part that should generate resolvable addresses, and whether the controller does.
  let maker: PrivacyPolicy.Maker
  var isLeftToController = false
  let rotation: Duration
  /// When the next addresses are due; nil before the first ones are generated.
  private(set) var due: Instant?
  private(set) var resolvable: DeviceAddress?
  private(set) var nonResolvable: DeviceAddress?

  init(_ policy: PrivacyPolicy, key: [UInt8], sets: [AdvertisingSetDefinition]) {
    self.key = policy.isPrivate ? IdentityResolvingKey(key) : nil
    needsNonResolvable = sets.contains { $0.address == .nonResolvable }
    needsTargets = sets.contains { $0.target != nil }
    maker = policy.maker
    rotation = max(policy.rotation, .milliseconds(100))
  }

  /// Generates new addresses if they are due. Returns whether it did.
  mutating func renew(at now: Instant, random: inout any RandomNumberGenerator & Sendable) -> Bool {
    guard needsHost, due.map({ $0 <= now }) ?? true else { return false }
    due = now + rotation
    resolvable = key?.makeAddress(random: &random)
    if needsNonResolvable { nonResolvable = .nonResolvablePrivate(random: &random) }
    return true
  }

  private var needsHost: Bool { (key != nil && !isLeftToController) || needsNonResolvable || needsTargets }

  /// Decides whether the host or the controller generates resolvable addresses, for a controller whose resolving list has this many
  /// entries. Returns why the policy cannot be followed; nil if it can.
  mutating func choose(resolvingListSize: Int) -> String? {
    let canRotate = rotation <= PrivacyPolicy.longestControllerRotation
    isLeftToController = key != nil && maker != .host && resolvingListSize > 0 && canRotate
    if !needsHost { due = nil }
    guard !isLeftToController, key != nil, maker == .controller else { return nil }
    let reason =
      resolvingListSize == 0
      ? "the controller has no resolving list"
      : "a controller cannot use a private address for longer than \(PrivacyPolicy.longestControllerRotation)"
    return reason + ", but `privacy: controller` requires it: use auto or host"
  }

  /// Makes new addresses due immediately.
  mutating func expire() { due = needsHost ? .zero : nil }
}
