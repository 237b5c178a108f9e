/// How a simulated air behaves.
package struct AirConfiguration: Hashable, Sendable {
  /// How data on connections takes its time.
  package enum Timing: Hashable, Sendable {
    /// Data goes in connection events, as much as fits into them, and acknowledgements take their way.
    case linkLayer
    /// Data goes at once and is acknowledged at once, for tests that are not about time. Advertising, scanning and
    /// supervision keep their time.
    case immediate
  }

  /// What all randomness on the air comes from: the same seed and the same inputs give the same octets.
  package var seed: UInt64
  /// How data on connections takes its time.
  package var timing: Timing

  /// An air with that seed and timing.
  package init(seed: UInt64 = 1, timing: Timing = .linkLayer) {
    self.seed = seed
    self.timing = timing
  }
}
