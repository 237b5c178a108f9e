/// The configuration of a simulated air.
package struct AirConfiguration: Hashable, Sendable {
  /// The timing of data on connections.
  package enum Timing: Hashable, Sendable {
    /// Data goes in connection events, as much as fits, and is acknowledged as on a real link.
    case linkLayer
    /// Data is delivered and acknowledged at once, for tests that are not about time. Advertising, scanning and supervision keep their
    /// timing.
    case immediate
  }

  /// The seed of all randomness on the air. The same seed and the same inputs give the same octets.
  package var seed: UInt64
  /// The timing of data on connections.
  package var timing: Timing

  /// Creates a configuration with this seed and timing.
  package init(seed: UInt64 = 1, timing: Timing = .linkLayer) {
    self.seed = seed
    self.timing = timing
  }
}
