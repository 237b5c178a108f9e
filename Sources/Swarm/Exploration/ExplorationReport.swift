import AccessoryProfile
import BLEGATT

/// The findings of an exploration of a profile, from single runs and from all runs together.
package struct ExplorationReport: Sendable {
  /// A finding, and a plan that shows it.
  package struct Entry: Sendable {
    package var finding: Finding
    /// The number of seeds that found it.
    package var seeds: Int
    /// The lowest seed whose plan shows it; nil if the finding is that something never happened.
    package var seed: UInt64?
    /// The finding that a smaller plan must show; nil if there is no plan.
    package var aim: PlanShrinking.Aim?
  }

  /// The findings, in the order of the rules.
  package private(set) var entries: [Entry] = []
  /// Notes about things that were never tried. They are not findings.
  package private(set) var notes: [String] = []

  /// Creates the report of a search through plans of `profile`.
  package init(_ search: SwarmSearch, of profile: Profile) {
    for failure in search.failures.sorted(by: { $0.seed < $1.seed }) { add(failure) }
    addReading(search.sightings, of: profile)
    addStates(search.sightings, of: profile)
    if search.leftOut.count > 0, search.leftOut.count == search.finished {
      entries.append(
        Entry(
          finding: Finding("start", "no controller supports what the profile needs: \(search.leftOut.reason)"),
          seeds: search.finished, seed: nil, aim: nil))
    }
    let order = SwarmRule.exploration.map(\.name)
    entries = entries.enumerated().sorted {
      (order.firstIndex(of: $0.element.finding.rule) ?? order.count, $0.offset)
        < (order.firstIndex(of: $1.element.finding.rule) ?? order.count, $1.offset)
    }.map(\.element)
  }

  /// The rules without findings.
  package var kept: [SwarmRule] {
    SwarmRule.exploration.filter { rule in !entries.contains { $0.finding.rule == rule.name } }
  }

  private mutating func add(_ failure: SwarmSearch.Failure) {
    let finding = failure.finding
    let known = entries.firstIndex { $0.finding.rule == finding.rule && $0.finding.subject == finding.subject }
    if let known {
      entries[known].seeds += 1
      return
    }
    entries.append(
      Entry(
        finding: finding, seeds: 1, seed: failure.seed, aim: .finding(rule: finding.rule, subject: finding.subject)))
  }

  // MARK: - Findings from all runs

  private mutating func addReading(_ sightings: Sightings, of profile: Profile) {
    let readable = profile.services.flatMap(\.characteristics).filter { $0.properties.contains(.read) }.map(\.id)
    for id in readable where sightings.all(.read, of: id).isEmpty {
      let refusals = sightings.all(.refused, of: id)
      guard !refusals.isEmpty else {
        notes.append("\(id) was never read")
        continue
      }
      let errors = Dictionary(grouping: refusals) { $0.sighting.error }.sorted { $0.key < $1.key }
      let words = errors.map { error, refusals in
        "\(error) to \(refusals.map(\.sighting.central).joined(separator: ", "))"
      }
      let count = refusals.reduce(0) { $0 + $1.count }
      // Prefer a central whose kind a scenario can express.
      let sayable = [CentralKind.phone, .plain].map(\.rawValue)
      let shown = (refusals.first { sayable.contains($0.sighting.central) } ?? refusals.first)?.sighting
      entries.append(
        Entry(
          finding: Finding(
            "readable", about: id,
            "\(id) can be read by its properties, and \(count) of \(count) reads were refused: "
              + words.joined(separator: "; ")),
          seeds: 1, seed: shown.flatMap { sightings.seed(of: $0) }, aim: shown.map { .sightings([$0]) }))
    }
  }

  private mutating func addStates(_ sightings: Sightings, of profile: Profile) {
    // A single state cannot be left.
    guard profile.states.count > 1 else { return }
    for state in profile.states {
      let (entered, held) = (Sighting(.entered, state), Sighting(.held, state))
      if sightings[entered] == 0 {
        entries.append(
          Entry(
            finding: Finding("state", about: state, "the state \(state) is never reached"), seeds: 0, seed: nil,
            aim: nil))
      } else if sightings[Sighting(.left, state)] == 0 {
        guard let seed = sightings.seed(of: held) else {
          notes.append("the state \(state) never lasted for a minute")
          continue
        }
        entries.append(
          Entry(
            finding: Finding(
              "state", about: state, "the state \(state) was entered \(sightings[entered]) times and is never left"),
            seeds: sightings[held], seed: seed, aim: .sightings([entered, held])))
      }
    }
  }
}
