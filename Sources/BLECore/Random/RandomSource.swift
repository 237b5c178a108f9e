/// A source of random numbers.
///
/// Code that needs random numbers gets one of these, so that below the command line and the library's options nothing else draws any. It is
/// a value: copies continue independently, so each must have a single owner.
public enum RandomSource: RandomNumberGenerator, Hashable, Sendable {
  /// The system's generator, which is suitable for keys, for all production use.
  case secure
  /// A sequence derived from a seed, for tests and reproducible runs. Never for secret keys.
  case seeded(SplitMix64)

  /// Creates the sequence of this seed.
  public init(seed: UInt64) { self = .seeded(SplitMix64(seed: seed)) }

  /// Returns the next 64 random bits.
  public mutating func next() -> UInt64 {
    switch self {
    case .secure:
      var system = SystemRandomNumberGenerator()
      return system.next()
    case .seeded(var generator):
      defer { self = .seeded(generator) }
      return generator.next()
    }
  }

  /// Returns a source for the part with this name. Its numbers do not depend on how many others are drawn.
  public func source(for name: String) -> RandomSource {
    switch self {
    case .secure: .secure
    case .seeded(let generator): .seeded(generator.generator(for: name))
    }
  }
}

extension RandomNumberGenerator {
  /// Returns this many random octets.
  @inlinable
  package mutating func octets(_ count: Int) -> [UInt8] {
    var octets: [UInt8] = []
    octets.reserveCapacity(count + 8)
    while octets.count < count { octets += next().littleEndianOctets }
    return Array(octets.prefix(count))
  }
}
