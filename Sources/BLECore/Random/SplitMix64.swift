/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014): small, and good enough where numbers must only
/// look random. Never for keys.
///
/// Below `Transport`, random numbers are an argument, like time: the same seed gives the same run.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
  private var state: UInt64

  /// Creates the generator of this seed.
  public init(seed: UInt64) { state = seed }

  /// Creates one of many independent generators with the same seed.
  public init(seed: UInt64, stream: UInt64) {
    var mixer = SplitMix64(seed: seed ^ (stream &* 0xD1B5_4A32_D192_ED03))
    state = mixer.next()
  }

  /// Returns a generator for the object with this name. Does not change this one.
  public func generator(for name: String) -> SplitMix64 { SplitMix64(seed: Self.seed(state, for: name)) }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mix(state)
  }

  /// Returns a number from 0 to `bound`, inclusive.
  public mutating func upTo(_ bound: UInt64) -> UInt64 {
    next().multipliedFullWidth(by: bound &+ 1).high
  }

  /// Returns a number within 0..<1.
  public mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Returns a number within 0..<1 that depends only on a seed and an index.
  public static func fraction(seed: UInt64, index: Int64) -> Double {
    let bits = mix(seed &+ UInt64(bitPattern: index) &* 0x9E37_79B9_7F4A_7C15 &+ 0x9E37_79B9_7F4A_7C15)
    return Double(bits >> 11) * 0x1p-53
  }

  /// Returns a seed for the object with this name. Every bit depends on every octet of the name and on the seed.
  public static func seed(_ seed: UInt64, for name: String) -> UInt64 {
    // FNV-1a.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for octet in name.utf8 { hash = (hash ^ UInt64(octet)) &* 0x100_0000_01B3 }
    return mix(seed ^ hash)
  }

  private static func mix(_ value: UInt64) -> UInt64 {
    var bits = value
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return bits ^ bits >> 31
  }
}
