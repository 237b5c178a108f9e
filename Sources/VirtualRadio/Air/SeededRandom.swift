/// A stream of numbers that follows from its seed alone (SplitMix64), so that a run on the air can be repeated.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// A stream of its own for one controller, so that adding another controller does not change it.
  init(seed: UInt64, stream: UInt64) {
    var mixer = SeededRandom(seed: seed ^ (stream &* 0xD1B5_4A32_D192_ED03))
    state = mixer.next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 to `bound`, both included.
  mutating func upTo(_ bound: UInt64) -> UInt64 {
    next().multipliedFullWidth(by: bound &+ 1).high
  }

  /// A number from 0 to 1, 1 excluded.
  mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}
