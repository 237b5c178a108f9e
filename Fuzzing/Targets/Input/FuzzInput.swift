/// The octets of an input, taken from the front. After their end there are zeros, so that every octet string is an input.
package struct FuzzInput {
  private let octets: [UInt8]
  private var offset = 0

  init(_ octets: some Sequence<UInt8>) { self.octets = Array(octets) }

  /// Whether all octets have been taken.
  var isAtEnd: Bool { offset >= octets.count }

  /// Takes the next octet.
  mutating func octet() -> UInt8 {
    guard offset < octets.count else { return 0 }
    defer { offset += 1 }
    return octets[offset]
  }

  /// Takes the next two octets, least significant first.
  mutating func word() -> UInt16 {
    let low = UInt16(octet())
    return low | UInt16(octet()) << 8
  }

  /// Takes the next octet as a number below `bound`, which is 1...256.
  mutating func below(_ bound: Int) -> Int { Int(octet()) % bound }

  /// Takes the lowest bit of the next octet.
  mutating func flag() -> Bool { octet() & 1 == 1 }

  /// Takes that many octets, or as many as there are.
  mutating func octets(_ count: Int) -> [UInt8] {
    let end = min(offset + count, octets.count)
    defer { offset = end }
    return Array(octets[offset..<end])
  }

  /// Takes octets that follow their count, which is one octet.
  mutating func run() -> [UInt8] { octets(Int(octet())) }

  /// Takes all octets that are left.
  mutating func rest() -> [UInt8] { octets(octets.count) }
}

/// A writer of inputs for `FuzzInput`.
struct FuzzScript {
  private(set) var octets: [UInt8] = []

  /// Appends octets.
  mutating func append(_ more: UInt8...) { octets += more }

  /// Appends octets.
  mutating func append(_ more: [UInt8]) { octets += more }

  /// Appends two octets, least significant first.
  mutating func append(word: UInt16) { octets += [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)] }

  /// Appends octets after their count; at most 255 of them.
  mutating func append(run: [UInt8]) { octets += [UInt8(min(run.count, 255))] + run.prefix(255) }
}
