/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014): small, and good enough for
/// values that only have to look alive.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  /// A generator whose numbers follow from the seed.
  public init(seed: UInt64) { state = seed }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  static func mix(_ value: UInt64) -> UInt64 {
    var bits = value
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }

  /// A number within 0..<1 that follows from a seed and an index, the same whenever it is asked for.
  static func fraction(seed: UInt64, index: Int64) -> Double {
    let bits = mix(seed &+ UInt64(bitPattern: index) &* 0x9E37_79B9_7F4A_7C15 &+ 0x9E37_79B9_7F4A_7C15)
    return Double(bits >> 11) * 0x1p-53
  }

  /// A seed for the thing with that name.
  static func seed(_ seed: UInt64, for name: String) -> UInt64 {
    // FNV-1a.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for octet in name.utf8 { hash = (hash ^ UInt64(octet)) &* 0x100_0000_01B3 }
    return mix(seed ^ hash)
  }
}
