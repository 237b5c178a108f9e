import BLECore

/// Randomness that is the same in every run.
typealias SeededRandom = SplitMix64

extension SplitMix64 {
  init(_ seed: UInt64) { self.init(seed: seed) }

  mutating func octets(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}
