/// Where random numbers come from.
///
/// Whoever needs random numbers is given one of these, so that below the command line and the library's options nothing draws
/// any by itself. It is a value: of two copies each goes on by itself, so it belongs to one owner.
public enum RandomSource: RandomNumberGenerator, Hashable, Sendable {
  /// The system's generator, which is fit for keys. For everything that runs in earnest.
  case secure
  /// A sequence that follows from a seed, for tests and runs that are to be repeated. Never for keys that have to stay secret.
  case seeded(SplitMix64)

  /// The sequence of that seed.
  public init(seed: UInt64) { self = .seeded(SplitMix64(seed: seed)) }

  /// The next 64 random bits.
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

  /// A source for the part with that name, whose numbers do not depend on how many others draw.
  public func source(for name: String) -> RandomSource {
    switch self {
    case .secure: .secure
    case .seeded(let generator): .seeded(generator.generator(for: name))
    }
  }
}
