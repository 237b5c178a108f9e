import AccessoryProfile

/// A line of a transcript: a step, or an event of a host.
package struct Moment: Hashable, Sendable {
  /// The maximum number of moments of a case. A longer case keeps its first and its last ones.
  package static let limit = 4000
  /// The maximum number of characters of a text.
  private static let textLimit = 2000

  /// The time since the start of the case, in nanoseconds.
  package var nanoseconds: Int64
  /// Who it is about: `step`, `failed`, `skipped`, or the name of a host.
  package var who: String
  /// The step or the event.
  package var text: String

  /// Creates a moment.
  package init(nanoseconds: Int64, who: String, text: String) {
    (self.nanoseconds, self.who, self.text) = (nanoseconds, who, text)
  }

  /// Parses a line of a transcript, such as `1.250000 phone: {"event":"mtu"}`; nil if it is not one.
  package init?(_ line: String) {
    let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let colon = parts[1].firstRange(of: ": ") else { return nil }
    let numbers = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    guard numbers.count == 2, numbers[1].count == 6, let seconds = Int64(numbers[0]),
      let microseconds = Int64(numbers[1]), seconds.magnitude < 1 << 32
    else { return nil }
    nanoseconds = seconds * 1_000_000_000 + microseconds * 1000
    who = String(parts[1][..<colon.lowerBound])
    text = String(parts[1][colon.upperBound...].prefix(Self.textLimit))
  }

  /// Returns the moments of a transcript, at most `limit`.
  package static func all(of transcript: [String]) -> [Moment] {
    var kept = EndsOfSequence<Moment>(limit: limit)
    for line in transcript { if let moment = Moment(line) { kept.append(moment) } }
    var moments = kept.elements
    if kept.dropped > 0 {
      let gap = Moment(
        nanoseconds: moments[kept.head].nanoseconds, who: "report", text: "\(kept.dropped) events are left out here")
      moments.insert(gap, at: kept.head)
    }
    return moments
  }
}
