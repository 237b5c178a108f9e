import AccessoryProfile
import BLECore
import Simulation
import UnderstudyTesting

/// One run of a plan, and what its judges say.
package struct SwarmRun {
  /// What was found, in order; empty when everything held.
  package private(set) var findings: [Finding] = []
  /// What happened, in lines for people.
  package private(set) var transcript: [String] = []
  /// What was seen, of which only many runs together say whether all is well.
  package private(set) var sightings = Sightings()
  /// How much virtual time passed.
  package private(set) var duration = Duration.zero

  /// After faults have ended, this much passes before the judges look at what is left.
  private static let calm = Duration.seconds(60)
  /// More findings than this say nothing new.
  private static let limit = 20

  /// Runs a plan. Throws when it cannot begin: its profile does not load. Where it `explores` a profile that somebody has written, its
  /// rules are judged too.
  package init(_ plan: SwarmPlan, explores: Bool = false) throws {
    let stage = try SwarmStage(plan)
    var judges = Self.judges(of: plan, hasFaults: !stage.accessory.profile.faults.isEmpty)
    if explores { judges.append(RuleJudge()) }
    var recorder = SightingRecorder(stage)
    let begin = stage.simulation.now
    run(stage, until: begin + plan.duration, &judges, &recorder)
    stage.calm()
    run(stage, until: stage.simulation.now + Self.calm, &judges, &recorder)
    sightings = recorder.sightings
    for index in judges.indices { judges[index].close(stage, findings: &findings) }
    findings = Array(findings.prefix(Self.limit))
    transcript = stage.air.transcript.lines
    duration = stage.simulation.now - begin
  }

  private static func judges(of plan: SwarmPlan, hasFaults: Bool) -> [any Judge] {
    let isFaulty = hasFaults || plan.owner.contains { if case .arm = $0.act { true } else { false } }
    let isCut = isFaulty || plan.isCut
    return [
      BondJudge(plan), WireJudge(isFaulty: isFaulty), RecordJudge(isFaulty: isCut), ValueJudge(),
      AnswerJudge(isFaulty: plan.hasDistortion), SubscriptionJudge(isFaulty: isCut), DeliveryJudge(isFaulty: isCut),
      PairingJudge(isFaulty: isCut), SecurityJudge(Profile.text(swarm: plan.profile)), LifeJudge(), BoundsJudge(),
      AddressJudge(plan), PresenceJudge(isFaulty: isCut), ControlPointJudge(isFaulty: isCut),
    ]
  }

  private mutating func run(
    _ stage: SwarmStage, until end: Instant, _ judges: inout [any Judge], _ recorder: inout SightingRecorder
  ) {
    while stage.simulation.now < end, findings.count < Self.limit {
      stage.step(until: end)
      let events = stage.takeFresh()
      for index in judges.indices { judges[index].look(at: events, on: stage, findings: &findings) }
      recorder.look(at: events, on: stage)
      for central in stage.centrals { (central.fresh, central.answered, central.refused) = ([], [], []) }
    }
  }

  /// Runs a plan twice: the same octets must come of the same seed.
  package static func twice(_ plan: SwarmPlan) throws -> SwarmRun {
    var first = try SwarmRun(plan)
    let second = try SwarmRun(plan)
    guard first.transcript != second.transcript else { return first }
    let place = zip(first.transcript, second.transcript).enumerated().first { $1.0 != $1.1 }
    first.findings.append(
      Finding("determinism", "two runs differ: \(place.map { "\($1.0) / \($1.1)" } ?? "one is longer")"))
    return first
  }
}
