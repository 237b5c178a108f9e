import BLECore

/// What the space between controllers does to packets: who can be heard by whom, how strongly, and what gets lost.
///
/// Every reception on the air asks here, so this is where further impairments belong.
struct Propagation {
  private struct Path: Hashable {
    var from: ControllerID
    var to: ControllerID
  }

  private var unreachable: Set<Path> = []
  private var loss: [Path: Double] = [:]
  private var strength: [Path: Int8] = [:]
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed, stream: .max) }

  /// The received strength in dBm where nothing else was set.
  static let defaultStrength: Int8 = -50

  mutating func setReachable(_ isReachable: Bool, _ first: ControllerID, _ second: ControllerID) {
    for path in [Path(from: first, to: second), Path(from: second, to: first)] {
      if isReachable { unreachable.remove(path) } else { unreachable.insert(path) }
    }
  }

  mutating func setLoss(_ fraction: Double, from: ControllerID, to: ControllerID) {
    let bounded = min(max(fraction, 0), 1)
    loss[Path(from: from, to: to)] = bounded > 0 ? bounded : nil
  }

  mutating func setStrength(_ dBm: Int8, from: ControllerID, to: ControllerID) {
    strength[Path(from: from, to: to)] = dBm
  }

  mutating func forget(_ controller: ControllerID) {
    unreachable = unreachable.filter { $0.from != controller && $0.to != controller }
    loss = loss.filter { $0.key.from != controller && $0.key.to != controller }
    strength = strength.filter { $0.key.from != controller && $0.key.to != controller }
  }

  /// Whether every packet on that path arrives.
  func isClean(from: ControllerID, to: ControllerID) -> Bool {
    let path = Path(from: from, to: to)
    return !unreachable.contains(path) && loss[path] == nil
  }

  /// Whether any packet on that path can arrive.
  func canCarry(from: ControllerID, to: ControllerID) -> Bool {
    let path = Path(from: from, to: to)
    return !unreachable.contains(path) && (loss[path] ?? 0) < 1
  }

  /// Whether the next packet on that path arrives. Draws a number only where packets are lost at random.
  mutating func carries(from: ControllerID, to: ControllerID) -> Bool {
    let path = Path(from: from, to: to)
    if unreachable.contains(path) { return false }
    guard let fraction = loss[path] else { return true }
    return random.fraction() >= fraction
  }

  func strength(from: ControllerID, to: ControllerID) -> Int8 {
    strength[Path(from: from, to: to)] ?? Self.defaultStrength
  }
}
