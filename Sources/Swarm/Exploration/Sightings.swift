/// Something that a run has seen, of which only many runs together say whether all is well.
package struct Sighting: Hashable, Sendable {
  /// What was seen.
  package enum Kind: String, Sendable {
    /// A characteristic was read by a kind of central.
    case read
    /// A read of a characteristic was refused to a kind of central, with that error.
    case refused
    /// A state was begun, was there for a minute, has ended.
    case entered, held, left
  }

  package var kind: Kind
  /// The characteristic's id, or the state's name.
  package var subject: String
  /// The kind of central; empty for states.
  package var central = ""
  /// The error; empty where there is none.
  package var error = ""

  /// A sighting.
  package init(_ kind: Kind, _ subject: String, by central: String = "", error: String = "") {
    (self.kind, self.subject, self.central, self.error) = (kind, subject, central, error)
  }
}

/// What runs have seen, how often, and with which seed first.
package struct Sightings: Sendable {
  private var counts: [Sighting: (count: Int, seed: UInt64)] = [:]

  /// Nothing yet.
  package init() {}

  /// How often something was seen.
  package subscript(_ sighting: Sighting) -> Int { counts[sighting]?.count ?? 0 }

  /// With which seed something was seen; of several the lowest.
  package func seed(of sighting: Sighting) -> UInt64? { counts[sighting]?.seed }

  /// Everything of that kind about that subject, with how often, in a fixed order.
  package func all(_ kind: Sighting.Kind, of subject: String) -> [(sighting: Sighting, count: Int)] {
    counts.filter { $0.key.kind == kind && $0.key.subject == subject }.map { ($0.key, $0.value.count) }
      .sorted { ($0.sighting.error, $0.sighting.central) < ($1.sighting.error, $1.sighting.central) }
  }

  /// Adds something that was seen.
  mutating func add(_ sighting: Sighting, count: Int = 1, seed: UInt64) {
    let known = counts[sighting]
    counts[sighting] = ((known?.count ?? 0) + count, min(known?.seed ?? seed, seed))
  }

  // MARK: - Between processes

  private static let separator: Character = "\t"

  /// What was seen, as a process tells another.
  var lines: [String] {
    counts.map { sighting, seen in
      [sighting.kind.rawValue, "\(seen.count)", sighting.subject, sighting.central, sighting.error]
        .joined(separator: String(Self.separator))
    }.sorted()
  }

  /// Adds what a line tells.
  mutating func add(line: Substring, of seed: UInt64) {
    let parts = line.split(separator: Self.separator, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 5, let kind = Sighting.Kind(rawValue: parts[0]), let count = Int(parts[1]) else { return }
    add(Sighting(kind, parts[2], by: parts[3], error: parts[4]), count: count, seed: seed)
  }
}
