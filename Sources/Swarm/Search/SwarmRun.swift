import AccessoryProfile
import BLECore
import BLEGAP
import Simulation
import UnderstudyTesting

/// A run of a plan, and the findings of its judges.
package struct SwarmRun {
  /// The findings, in order; empty if all rules held.
  package private(set) var findings: [Finding] = []
  /// The transcript, as readable lines.
  package private(set) var transcript: [String] = []
  /// The observations, which only many runs together can judge.
  package private(set) var sightings = Sightings()
  /// The virtual time that passed.
  package private(set) var duration = Duration.zero

  /// The time between the end of faults and the check of the final state.
  private static let calm = Duration.seconds(60)
  /// The maximum number of findings. More would reveal nothing new.
  private static let limit = 20

  /// Runs a plan. Throws if it cannot start because its profile does not load. `explores` also checks the profile's rules; set it for
  /// profiles written by people.
  package init(_ plan: SwarmPlan, explores: Bool = false) throws {
    let stage = try SwarmStage(plan)
    let profile = stage.accessory.profile
    if profile.classic?.isOptional == false, !plan.hasClassicController {
      findings.append(Finding("start", "an accessory that needs BR/EDR has started on a controller without it"))
    }
    var judges = Self.judges(
      of: plan, hasFaults: !profile.faults.isEmpty, hasPairingFaults: !profile.security.pairing.faults.isEmpty)
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

  private static func judges(of plan: SwarmPlan, hasFaults: Bool, hasPairingFaults: Bool) -> [any Judge] {
    let isFaulty = hasFaults || plan.owner.contains { if case .arm = $0.act { true } else { false } }
    let isCut = isFaulty || plan.isCut
    return [
      BondJudge(plan), WireJudge(isFaulty: isFaulty), RecordJudge(isFaulty: isCut), ValueJudge(),
      AnswerJudge(isFaulty: plan.hasDistortion), SubscriptionJudge(isFaulty: isCut), DeliveryJudge(isFaulty: isCut),
      PairingJudge(isFaulty: isCut || hasPairingFaults), SecurityJudge(Profile.text(swarm: plan.profile)), LifeJudge(),
      BoundsJudge(), AddressJudge(plan), PresenceJudge(isFaulty: isCut), ControlPointJudge(isFaulty: isCut),
      CreditJudge(isFaulty: isCut), ClassicWireJudge(isFaulty: isFaulty), DiscoveryJudge(isFaulty: isFaulty),
      ReadJudge(isFaulty: plan.hasDistortion || hasFaults), ScanJudge(),
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
      for central in stage.centrals {
        (central.fresh, central.answered, central.refused, central.unanswered) = ([], [], [], [])
      }
      for peer in stage.peers { peer.forgetAnswers() }
    }
  }

  /// Runs a plan twice: the same seed must give the same octets.
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
