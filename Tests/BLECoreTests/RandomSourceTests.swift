import BLECore
import Testing

@Suite("Sources of random numbers")
struct RandomSourceTests {
  /// Returns the next numbers of a source.
  private func numbers(_ source: RandomSource, _ count: Int = 16) -> [UInt64] {
    var source = source
    return (0..<count).map { _ in source.next() }
  }

  @Test("a seed determines the sequence")
  func seeded() {
    var generator = SplitMix64(seed: 7)
    #expect(numbers(RandomSource(seed: 7)) == (0..<16).map { _ in generator.next() })
    #expect(numbers(RandomSource(seed: 7)) != numbers(RandomSource(seed: 8)))
  }

  @Test("parts have their own sequences, which the draws of others do not change")
  func parts() {
    let whole = RandomSource(seed: 7)
    let names = ["", "a", "b", "heart-rate", "heart-rate-2"]
    #expect(Set(names.map { numbers(whole.source(for: $0)) }).count == names.count)
    for name in names {
      #expect(numbers(whole.source(for: name)) == numbers(whole.source(for: name)))
      #expect(numbers(whole.source(for: name)) != numbers(whole))
    }
  }

  @Test("the system's numbers never repeat")
  func secure() {
    #expect(Set(numbers(.secure, 1000)).count == 1000)
    #expect(numbers(.secure) != numbers(.secure))
    #expect(RandomSource.secure.source(for: "a") == .secure)
  }

  @Test("octets come from whole numbers, least significant first", arguments: [0, 1, 7, 8, 9, 32])
  func octets(count: Int) {
    var source = RandomSource(seed: 7)
    let octets = numbers(source).flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    #expect(source.octets(count) == Array(octets.prefix(count)))
  }
}
