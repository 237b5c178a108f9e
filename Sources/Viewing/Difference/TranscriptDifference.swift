/// The differences between two transcripts, and their common steps.
package struct TranscriptDifference: Sendable {
  /// A step of one or both transcripts.
  package struct Line: Sendable {
    /// The step in the first transcript; nil if only the second has it.
    package var first: Transcript.Step?
    /// The step in the second transcript; nil if only the first has it.
    package var second: Transcript.Step?

    /// The step's text.
    package var text: String { first?.text ?? second?.text ?? "" }
    /// Whether both have it.
    package var isCommon: Bool { first != nil && second != nil }
  }

  /// The steps of both transcripts. Those of each transcript are in order.
  package private(set) var lines: [Line] = []
  /// Whether both transcripts are the same.
  package var isEmpty: Bool { lines.allSatisfy(\.isCommon) }

  /// Computes the difference with the fewest steps that are not common.
  package init(_ first: Transcript, _ second: Transcript) {
    // Equal steps get equal numbers.
    var numbers: [String: Int32] = [:]
    func number(_ step: Transcript.Step) -> Int32 {
      let next = Int32(numbers.count)
      if let known = numbers[step.text] { return known }
      numbers[step.text] = next
      return next
    }
    let (a, b) = (first.steps.map(number), second.steps.map(number))
    var pairs: [(Int, Int)] = []
    Self.match(a[...], b[...], into: &pairs)
    var (left, right) = (0, 0)
    for (x, y) in pairs + [(a.count, b.count)] {
      lines += first.steps[left..<x].map { Line(first: $0, second: nil) }
      lines += second.steps[right..<y].map { Line(first: nil, second: $0) }
      if x < a.count, y < b.count { lines.append(Line(first: first.steps[x], second: second.steps[y])) }
      (left, right) = (x + 1, y + 1)
    }
  }

  /// Finds the longest common subsequence by Hirschberg's algorithm (CACM 18, 1975), which needs memory for only two rows.
  private static func match(_ a: ArraySlice<Int32>, _ b: ArraySlice<Int32>, into pairs: inout [(Int, Int)]) {
    var (a, b) = (a, b)
    while let x = a.first, let y = b.first, x == y {
      pairs.append((a.startIndex, b.startIndex))
      a = a.dropFirst()
      b = b.dropFirst()
    }
    var tail: [(Int, Int)] = []
    while let x = a.last, let y = b.last, x == y {
      tail.append((a.endIndex - 1, b.endIndex - 1))
      a = a.dropLast()
      b = b.dropLast()
    }
    defer { pairs += tail.reversed() }
    guard !a.isEmpty, !b.isEmpty else { return }
    if a.count == 1 {
      if let place = b.firstIndex(of: a[a.startIndex]) { pairs.append((a.startIndex, place)) }
      return
    }
    let middle = a.startIndex + a.count / 2
    let above = lengths(Array(a[..<middle]), Array(b))
    let below = lengths(a[middle...].reversed(), b.reversed())
    let cut = (0...b.count).max { above[$0] + below[b.count - $0] < above[$1] + below[b.count - $1] } ?? 0
    match(a[..<middle], b.prefix(cut), into: &pairs)
    match(a[middle...], b.dropFirst(cut), into: &pairs)
  }

  /// Returns the length of the longest common subsequence of `a` and each prefix of `b`.
  private static func lengths(_ a: [Int32], _ b: [Int32]) -> [Int32] {
    var row = [Int32](repeating: 0, count: b.count + 1)
    for x in a {
      var diagonal: Int32 = 0
      for place in 0..<b.count {
        let above = row[place + 1]
        row[place + 1] = b[place] == x ? diagonal + 1 : max(above, row[place])
        diagonal = above
      }
    }
    return row
  }

  /// Returns the lines that are not common, each with up to `context` lines before and after it. Lines that touch form one hunk.
  package func hunks(context: Int) -> [ArraySlice<Line>] {
    var hunks: [Range<Int>] = []
    for place in lines.indices where !lines[place].isCommon {
      let range = max(0, place - context)..<min(lines.count, place + context + 1)
      if let last = hunks.last, last.upperBound >= range.lowerBound {
        hunks[hunks.count - 1] = last.lowerBound..<range.upperBound
      } else {
        hunks.append(range)
      }
    }
    return hunks.map { lines[$0] }
  }
}
