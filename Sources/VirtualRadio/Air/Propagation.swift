import BLECore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The effect of the space between controllers on packets: which controllers hear each other, how strongly, and which packets are lost.
///
/// Every reception on the air is decided here. Without impairments this costs one check.
struct Propagation {
  private struct Path: Hashable {
    var from: ControllerID
    var to: ControllerID
  }

  /// The impairment of paths that have none of their own.
  private(set) var ordinary = PathImpairment()
  private var own: [Path: PathImpairment] = [:]
  /// The position in the pattern of losses, by path.
  private var positions: [Path: Int] = [:]
  private var hung: Set<ControllerID> = []
  /// Whether every packet on every path arrives.
  private var isClear = true
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed, stream: .max) }

  // MARK: Changing

  mutating func setDefault(_ impairment: PathImpairment) {
    ordinary = impairment
    positions = positions.filter { own[$0.key] != nil }
    review()
  }

  mutating func setImpairment(_ impairment: PathImpairment?, from: ControllerID, to: ControllerID) {
    let path = Path(from: from, to: to)
    own[path] = impairment
    positions[path] = nil
    review()
  }

  mutating func setHung(_ isHung: Bool, _ controller: ControllerID) {
    if isHung { hung.insert(controller) } else { hung.remove(controller) }
    review()
  }

  mutating func forget(_ controller: ControllerID) {
    own = own.filter { $0.key.from != controller && $0.key.to != controller }
    positions = positions.filter { $0.key.from != controller && $0.key.to != controller }
    hung.remove(controller)
    review()
  }

  private mutating func review() {
    isClear = ordinary.isClean && hung.isEmpty && own.values.allSatisfy(\.isClean)
  }

  // MARK: Asking

  func impairment(from: ControllerID, to: ControllerID) -> PathImpairment {
    own.isEmpty ? ordinary : own[Path(from: from, to: to)] ?? ordinary
  }

  private func isEitherHung(_ from: ControllerID, _ to: ControllerID) -> Bool {
    hung.contains(from) || hung.contains(to)
  }

  func isHung(_ controller: ControllerID) -> Bool { !isClear && hung.contains(controller) }

  /// Returns whether every packet on this path arrives.
  func isClean(from: ControllerID, to: ControllerID) -> Bool {
    isClear || (impairment(from: from, to: to).isClean && !isEitherHung(from, to))
  }

  /// Returns whether any packet on this path can arrive.
  func canCarry(from: ControllerID, to: ControllerID) -> Bool {
    isClear || (impairment(from: from, to: to).canCarry && !isEitherHung(from, to))
  }

  /// Returns whether the next packet on this path arrives. Its PDU has `payload` octets after the two header octets. Draws a random number
  /// only on paths with random loss.
  mutating func carries(from: ControllerID, to: ControllerID, payload: Int) -> Bool {
    if isClear { return true }
    let impairment = impairment(from: from, to: to)
    guard impairment.isReachable, !isEitherHung(from, to) else { return false }
    if case .pattern(let pattern) = impairment.loss, !pattern.isEmpty {
      let path = Path(from: from, to: to)
      let position = positions[path, default: 0]
      positions[path] = (position + 1) % pattern.count
      if pattern[position % pattern.count] { return false }
    }
    let chance = chanceOfArrival(payload, impairment)
    return chance >= 1 || random.fraction() >= 1 - chance
  }

  /// Returns a packet's chance of arrival after random loss and bit errors.
  private func chanceOfArrival(_ payload: Int, _ impairment: PathImpairment) -> Double {
    var chance = 1.0
    if case .fraction(let fraction) = impairment.loss, fraction > 0 { chance -= min(fraction, 1) }
    if impairment.bitErrorRate > 0 {
      // Access address 4, header 2, CRC 3 octets.
      chance *= pow(1 - min(impairment.bitErrorRate, 1), Double((9 + payload) * 8))
    }
    return chance
  }

  func strength(from: ControllerID, to: ControllerID) -> Int8 { impairment(from: from, to: to).strength }
}
