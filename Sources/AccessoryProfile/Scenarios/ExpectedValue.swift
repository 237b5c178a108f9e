/// A value that a step of a scenario expects: octets, or a value with numbers that may lie anywhere within a range.
package struct ExpectedValue: Hashable, Sendable {
  /// The octets; with ranges, an example of them.
  package let octets: [UInt8]
  /// The numbers that may differ from those of the octets.
  let ranges: [NumberRange]
  let format: ValueFormat

  /// A range of numbers at a place within the value. A missing bound excludes nothing.
  struct NumberRange: Hashable, Sendable {
    var path: [Part]
    var low: Double?
    var high: Double?

    func contains(_ number: Double) -> Bool { number >= low ?? -.infinity && number <= high ?? .infinity }
  }

  /// A step from a value to one of its parts.
  enum Part: Hashable, Sendable {
    case field(String)
    case member(Int)
  }

  /// Returns whether octets are as expected. Apart from the numbers with ranges, the value must be exactly that of the octets.
  package func matches(_ octets: [UInt8]) -> Bool {
    guard !ranges.isEmpty else { return octets == self.octets }
    let wanted = format.decode(self.octets)
    var value = format.decode(octets)
    for range in ranges {
      guard let number = value.part(range.path[...])?.number, range.contains(number),
        let example = wanted.part(range.path[...])
      else { return false }
      value = value.replacing(range.path[...], by: example)
    }
    return value == wanted
  }

  /// The value with its ranges as in the file; nil if it has none.
  package var withRanges: ProfileValue? {
    guard !ranges.isEmpty else { return nil }
    return ranges.reduce(format.decode(octets)) { value, range in
      var bounds: [String: ProfileValue] = [:]
      if let low = range.low { bounds["low"] = .number(low) }
      if let high = range.high { bounds["high"] = .number(high) }
      return value.replacing(range.path[...], by: .object(bounds))
    }
  }
}

extension ProfileValue {
  fileprivate func part(_ path: ArraySlice<ExpectedValue.Part>) -> ProfileValue? {
    switch path.first {
    case nil: self
    case .field(let name): self[name]?.part(path.dropFirst())
    case .member(let place): self[place]?.part(path.dropFirst())
    }
  }

  fileprivate func replacing(_ path: ArraySlice<ExpectedValue.Part>, by other: ProfileValue) -> ProfileValue {
    switch (path.first, self) {
    case (nil, _): return other
    case (.field(let name), .object(var fields)):
      fields[name] = fields[name]?.replacing(path.dropFirst(), by: other)
      return .object(fields)
    case (.member(let place), .array(var members)) where members.indices.contains(place):
      members[place] = members[place].replacing(path.dropFirst(), by: other)
      return .array(members)
    default: return self
    }
  }
}
