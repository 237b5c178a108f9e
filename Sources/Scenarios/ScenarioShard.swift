/// One of several equal parts of the selected cases, each for one machine: `2/8` is the second of eight.
package struct ScenarioShard: Hashable, Sendable {
  /// The number of the part, from 1.
  package var number: Int
  /// The number of parts.
  package var count: Int

  /// Parses a text such as `2/8`; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let number = parts[0], let count = parts[1], count >= 1, 1...count ~= number else {
      return nil
    }
    (self.number, self.count) = (number, count)
  }

  /// Returns whether the part has the case at this index, counted from 0. Neighbors are in different parts, which spreads slow scenarios.
  func includes(_ index: Int) -> Bool { index % count == number - 1 }
}
