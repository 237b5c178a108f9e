/// An observation of a run. Only many runs together show whether it is a problem.
package struct Sighting: Hashable, Sendable {
  /// The kinds of observations.
  package enum Kind: String, Sendable {
    /// A characteristic was read by a kind of central.
    case read
    /// A read of a characteristic by a kind of central was refused with an error.
    case refused
    /// A state was entered, lasted for a minute, or was left.
    case entered, held, left
  }

  package var kind: Kind
  /// The characteristic's id, or the state's name.
  package var subject: String
  /// The kind of central; empty for states.
  package var central = ""
  /// The error; empty if there is none.
  package var error = ""

  /// Creates an observation.
  package init(_ kind: Kind, _ subject: String, by central: String = "", error: String = "") {
    (self.kind, self.subject, self.central, self.error) = (kind, subject, central, error)
  }
}

/// The observations of runs, with their counts and the lowest seed of each.
package struct Sightings: Sendable {
  private var counts: [Sighting: (count: Int, seed: UInt64)] = [:]

  /// Creates an empty collection.
  package init() {}

  /// Returns the number of times that something was observed.
  package subscript(_ sighting: Sighting) -> Int { counts[sighting]?.count ?? 0 }

  /// Returns the lowest seed with which something was observed.
  package func seed(of sighting: Sighting) -> UInt64? { counts[sighting]?.seed }

  /// Returns all observations of this kind about this subject, with their counts, in a fixed order.
  package func all(_ kind: Sighting.Kind, of subject: String) -> [(sighting: Sighting, count: Int)] {
    counts.filter { $0.key.kind == kind && $0.key.subject == subject }.map { ($0.key, $0.value.count) }
      .sorted { ($0.sighting.error, $0.sighting.central) < ($1.sighting.error, $1.sighting.central) }
  }

  /// Adds an observation.
  mutating func add(_ sighting: Sighting, count: Int = 1, seed: UInt64) {
    let known = counts[sighting]
    counts[sighting] = ((known?.count ?? 0) + count, min(known?.seed ?? seed, seed))
  }

  // MARK: - Between processes

  private static let separator: Character = "\t"

  /// The observations as lines, for another process.
  var lines: [String] {
    counts.map { sighting, seen in
      [sighting.kind.rawValue, "\(seen.count)", sighting.subject, sighting.central, sighting.error]
        .joined(separator: String(Self.separator))
    }.sorted()
  }

  /// Adds the observation in a line.
  mutating func add(line: Substring, of seed: UInt64) {
    let parts = line.split(separator: Self.separator, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 5, let kind = Sighting.Kind(rawValue: parts[0]), let count = Int(parts[1]) else { return }
    add(Sighting(kind, parts[2], by: parts[3], error: parts[4]), count: count, seed: seed)
  }
}
