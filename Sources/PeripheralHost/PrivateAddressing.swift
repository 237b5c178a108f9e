import BLECore
import BLEGAP
import BLEHCI
import BLESMP

/// The private addresses of a host: when it makes new ones, and how (Core 5.4 Vol 3 Part C 10.7, Vol 6 Part B 1.3.2.2).
struct PrivateAddressing: Sendable {
  /// What resolvable ones are made with; nil without privacy.
  var key: IdentityResolvingKey?
  /// Whether there are sets with addresses that cannot be resolved.
  let needsNonResolvable: Bool
  /// Whether there are sets that call centrals, perhaps by private addresses.
  let needsTargets: Bool
  /// Who is to make those that can be resolved, and whether it is the controller.
  let maker: PrivacyPolicy.Maker
  var isLeftToController = false
  let rotation: Duration
  /// When the next ones are due; nil before the first ones are made.
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

  /// Makes new addresses when they are due; whether it has.
  mutating func renew(at now: Instant, random: inout any RandomNumberGenerator & Sendable) -> Bool {
    guard needsHost, due.map({ $0 <= now }) ?? true else { return false }
    due = now + rotation
    resolvable = key?.makeAddress(random: &random)
    if needsNonResolvable { nonResolvable = .nonResolvablePrivate(random: &random) }
    return true
  }

  private var needsHost: Bool { (key != nil && !isLeftToController) || needsNonResolvable || needsTargets }

  /// Decides who makes resolvable addresses on a controller whose resolving list has that many entries. Returns why none can be made as
  /// the policy wants it; nil when they can.
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

  /// Makes new ones the next time, whatever the time is.
  mutating func expire() { due = needsHost ? .zero : nil }
}
