import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import PeripheralHost
import Simulation
import Testing
import Understudy
import UnderstudyTesting

@testable import Swarm

/// Judges find violations in made-up situations.
@Suite("Judges")
struct JudgeTests {
  /// Returns a stage with a glucose meter, and a central that has requested all records from its Record Access Control Point some time ago.
  private func stage() throws -> SwarmStage {
    let acts: [CentralAct] = [.connect, .pair, .records]
    let plan = SwarmPlan(
      seed: 1, profile: "glucose", preset: "full",
      centrals: [.init(.phone, acts.map { .init(after: .seconds(3), $0) })], duration: .seconds(60))
    return try SwarmStage(plan)
  }

  private func run(_ stage: SwarmStage, for duration: Duration, _ look: ([HostEvent]) -> Void) {
    let end = stage.simulation.now + duration
    while stage.simulation.now < end {
      stage.step(until: end)
      look(stage.takeFresh())
    }
  }

  @Test("A control point that accepts a command without answering it is a finding")
  func controlPoint() throws {
    let stage = try stage()
    var (judge, findings) = (ControlPointJudge(isFaulty: false), [Finding]())
    var commands = 0
    run(stage, for: .seconds(45)) { events in
      commands += events.count { if case .server(_, .written) = $0 { true } else { false } }
      judge.look(at: events, on: stage, findings: &findings)
    }
    #expect(commands >= 2)
    #expect(findings.isEmpty)
    let link = try #require(stage.accessory.simulated.stack.linkStates.first?.handle)
    let point = try #require(
      stage.accessory.simulated.stack.server.database.characteristics.first {
        stage.accessory.simulated.stack.application.behavior(of: $0.index)?.controlPoint != nil
      })
    judge.look(at: [.server(link, .written(point.index, [4, 1]))], on: stage, findings: &findings)
    #expect(findings.isEmpty)
    run(stage, for: .seconds(31)) { _ in judge.look(at: [], on: stage, findings: &findings) }
    #expect(findings.map(\.rule) == ["control-point"])
    #expect(findings.first?.subject == point.definition.id)
  }

  @Test("A read of a missing characteristic is a finding")
  func presence() throws {
    let stage = try stage()
    let event = HostEvent.server(ConnectionHandle(rawValue: 0), .read(CharacteristicIndex(900), []))
    for (isFaulty, count) in [(false, 1), (true, 0)] {
      var (judge, findings) = (PresenceJudge(isFaulty: isFaulty), [Finding]())
      judge.look(at: [event], on: stage, findings: &findings)
      #expect(findings.count == count)
    }
  }

  @Test("A link that lasts while the accessory sleeps is a finding")
  func sleeping() throws {
    let stage = try stage()
    var (judge, findings) = (PresenceJudge(isFaulty: false), [Finding]())
    run(stage, for: .seconds(8)) { judge.look(at: $0, on: stage, findings: &findings) }
    #expect(stage.accessory.connections == 1)
    // The accessory sleeps, but its links remain.
    _ = stage.accessory.simulated.stack.application.setAsleep(true, at: stage.simulation.now)
    run(stage, for: .seconds(12)) { judge.look(at: $0, on: stage, findings: &findings) }
    #expect(findings.map(\.rule) == ["presence"])
  }

  /// A profile with two services. The owner can remove one.
  private static let twoServices = """
    understudy: 1
    name: Judged
    security: { pairing: just-works }
    services:
      - uuid: FFF0
        id: first
        characteristics: [ { id: c, uuid: FFF1, properties: [read, write, indicate], format: u8, value: 5 } ]
      - uuid: FFC0
        id: second
        characteristics: [ { id: d, uuid: FFC1, properties: [read, write], format: u8, value: 1 } ]

    """

  /// Returns a stage with two services and a roaming central that subscribes and pairs, and an owner.
  private func bondedStage(_ owner: [SwarmPlan.Step<OwnerAct>] = []) throws -> SwarmStage {
    let acts: [CentralAct] = [.connect, .subscribe(0, toIndications: true), .pair]
    return try SwarmStage(
      SwarmPlan(
        seed: 3, profile: Self.twoServices, preset: "full",
        centrals: [.init(.roamer, acts.map { .init(after: .seconds(1), $0) })], owner: owner, duration: .seconds(60)))
  }

  @Test("A wrong subscription is a finding, even after a change of services and on the next link")
  func subscription() throws {
    let stage = try bondedStage([.init(after: .seconds(8), .service(1, false))])
    let database = stage.accessory.simulated.stack.server.database
    let handle = try #require(
      database.attributes.first { if case .clientConfiguration = $0.role { true } else { false } }?.handle)
    var (judge, findings) = (SubscriptionJudge(isFaulty: false), [Finding]())
    let central = stage.centrals[0]
    func go(for duration: Duration) {
      run(stage, for: duration) {
        judge.look(at: $0, on: stage, findings: &findings)
        (central.fresh, central.answered) = ([], [])
      }
    }
    func answer(_ operation: GATTOperation, since: Instant, _ result: GATTResult) {
      central.answered = [Answered(operation: operation, bearer: nil, since: since, result: result)]
      judge.look(at: [], on: stage, findings: &findings)
      central.answered = []
    }
    go(for: .seconds(7))
    #expect(stage.accessory.simulated.stack.linkStates.first?.security.isBonded == true)
    let asked = stage.simulation.now
    answer(.read(handle), since: asked, .value([2, 0]))
    #expect(findings.isEmpty)
    answer(.read(handle), since: asked, .value([0, 0]))
    #expect(findings.count == 1)
    // The handles change. Answers to earlier requests prove nothing, and the written values are unknown.
    go(for: .seconds(2))
    answer(.write(handle, [0, 0]), since: asked, .done)
    answer(.read(handle), since: stage.simulation.now, .value([2, 0]))
    #expect(findings.count == 1)
    answer(.write(handle, [1, 0]), since: stage.simulation.now, .done)
    answer(.read(handle), since: stage.simulation.now, .value([2, 0]))
    #expect(findings.count == 2)
    // None of this applies to the next link before it is encrypted.
    central.finish(of: stage)
    go(for: .seconds(1))
    answer(.read(handle), since: stage.simulation.now, .value([2, 0]))
    #expect(findings.count == 3)
  }

  @Test("A subscription that a bond or its successor has lost is a finding, unless the bond was removed")
  func restoredSubscription() throws {
    let stage = try bondedStage()
    let database = stage.accessory.simulated.stack.server.database
    let handle = try #require(
      database.attributes.first { if case .clientConfiguration = $0.role { true } else { false } }?.handle)
    var (judge, findings) = (SubscriptionJudge(isFaulty: false), [Finding]())
    let central = stage.centrals[0]
    run(stage, for: .seconds(7)) {
      judge.look(at: $0, on: stage, findings: &findings)
      (central.fresh, central.answered) = ([], [])
    }
    let link = try #require(central.host.stack.linkStates.first)
    let read = Answered(
      operation: .read(handle), bearer: nil, since: stage.simulation.now, result: .value([0, 0]))
    func readsAgain(after events: [HostEvent], _ more: [SecurityEvent] = []) -> Int {
      central.fresh = [.disconnected(link.handle, reason: .remoteUserTerminatedConnection)]
      judge.look(at: events, on: stage, findings: &findings)
      let security = [SecurityEvent.securityChanged(link.security)] + more
      (central.fresh, central.answered) = (security.map { .security(link.handle, $0) }, [read])
      judge.look(at: [], on: stage, findings: &findings)
      (central.fresh, central.answered) = ([], [])
      return findings.count
    }
    #expect(readsAgain(after: []) == 1)
    // A new bond keeps the subscriptions that were restored on the link.
    let bond = try #require(central.host.stack.bonds.first?.bond)
    let pairing = [SecurityEvent.pairing(.justWorks, isSecureConnections: true), .paired(bond, bonded: true)]
    #expect(readsAgain(after: [], pairing) == 2)
    #expect(readsAgain(after: []) == 3)
    let peer = try #require(stage.accessory.simulated.stack.bonds.first?.peer)
    #expect(readsAgain(after: [.bondRemoved(peer)]) == 3)
  }

  @Test("A write that was answered but not made is a finding, and a write may itself change the handles")
  func answer() throws {
    let stage = try bondedStage([.init(after: .seconds(8), .service(1, false))])
    func values() -> [(index: CharacteristicIndex, handle: UInt16)] {
      let stack = stage.accessory.simulated.stack
      return stack.server.database.characteristics.filter { stack.application.behavior(of: $0.index) != nil }.map {
        ($0.index, $0.value)
      }
    }
    var (judge, findings) = (AnswerJudge(isFaulty: false), [Finding]())
    run(stage, for: .seconds(7)) { judge.look(at: $0, on: stage, findings: &findings) }
    let (before, asked) = (values(), stage.simulation.now)
    let link = try #require(stage.accessory.simulated.stack.linkStates.first?.handle)
    var events: [HostEvent] = []
    run(stage, for: .seconds(2)) { events += $0 }
    let change = try #require(events.first { if case .databaseChanged = $0 { true } else { false } })
    let after = values()
    #expect(before.count > after.count)
    // The write of the removed value was made. The write of the kept value was only answered.
    let removed = try #require(before.first { value in !after.contains { $0.index == value.index } })
    let kept = try #require(before.first { value in after.contains { $0 == value } })
    stage.centrals[0].answered = [(removed.handle, [7]), (kept.handle, [8])].map { handle, value in
      Answered(operation: .write(handle, value), bearer: nil, since: asked, result: .done)
    }
    judge.look(at: [.server(link, .written(removed.index, [7])), change], on: stage, findings: &findings)
    #expect(findings.count == 1)
    #expect(findings.first?.message.contains("08 was written to \(kept.handle)") == true)
  }

  @Test("A bonded peer that is refused as a stranger is a finding")
  func stranger() throws {
    let plan = SwarmPlan(
      seed: 4, profile: Self.twoServices, preset: "nimble",
      centrals: [.init(.roamer, [.init(after: .seconds(1), .connect)])], duration: .seconds(60))
    let stage = try SwarmStage(plan)
    var (judge, findings) = (BondJudge(plan), [Finding]())
    run(stage, for: .seconds(4)) { judge.look(at: $0, on: stage, findings: &findings) }
    let host = stage.accessory.simulated
    let link = try #require(host.stack.linkStates.first)
    let central = CentralDriver.configuration(.roamer, number: 0, visit: 0)
    var bond = Bond(
      peer: try #require(central.identityAddress),
      strength: KeyStrength(isAuthenticated: false, isSecureConnections: true, keySize: 16))
    bond.identityResolvingKey = central.identityResolvingKey
    // A later bond over another link does not concern this link.
    host.stack.bonds = [BondRecord(bond: bond)]
    let failure = HostEvent.encryptionFailed(link.handle, .pinOrKeyMissing)
    judge.look(at: [failure], on: stage, findings: &findings)
    #expect(findings.isEmpty)
    judge.look(at: [.connected(link.handle, link.details), failure], on: stage, findings: &findings)
    #expect(findings.map(\.rule) == ["bond"])
    #expect(findings.first?.message.contains("was refused as a stranger") == true)
  }

  @Test("Second identities from the owner count as peers, and any further bond is a finding")
  func bounds() throws {
    let stage = try bondedStage([
      .init(after: .seconds(8), .alterBond(0, "second-identity")),
      .init(after: .seconds(1), .alterBond(1, "second-identity")),
    ])
    var (judge, findings) = (BoundsJudge(), [Finding]())
    run(stage, for: .seconds(12)) { judge.look(at: $0, on: stage, findings: &findings) }
    let host = stage.accessory.simulated
    #expect(host.stack.bonds.count == 3)
    #expect(findings.isEmpty)
    for number in 1...2 {
      let stranger = BondAlteration.secondIdentity(.randomStatic(from: UInt64(number)))
      try host.perform(.setBond(try #require(host.stack.bonds.first).altered(stranger)))
    }
    run(stage, for: .seconds(1)) { judge.look(at: $0, on: stage, findings: &findings) }
    #expect(findings.map(\.rule) == ["bounds"])
  }

  @Test("A kill within a turn loses no key, and a suspended machine continues")
  func killWithin() throws {
    let acts: [CentralAct] = [.connect, .pair]
    let plan = SwarmPlan(
      seed: 2, profile: "smart-lock", preset: "full",
      centrals: [.init(.phone, acts.map { .init(after: .seconds(2), $0) })],
      owner: [.init(after: .seconds(1), .killWithin), .init(after: .seconds(20), .suspend(.seconds(5)))],
      duration: .seconds(60))
    let run = try SwarmRun(plan)
    #expect(run.findings.map(\.message) == [])
    #expect(run.transcript.count { $0.contains("killed within a turn") } == 1)
  }

  @Test("A central finds an accessory beside its companion on a shared controller")
  func companion() throws {
    var plan = SwarmPlan(
      seed: 2, profile: "smart-lock", preset: "full",
      centrals: [.init(.phone, [CentralAct.connect, .pair, .read(5)].map { .init(after: .seconds(2), $0) })],
      owner: [.init(after: .seconds(8), .kill)], duration: .seconds(30))
    plan.companion = "battery"
    #expect(try SwarmPlan(text: plan.text) == plan)
    let run = try SwarmRun(plan)
    #expect(run.findings.map(\.message) == [])
    #expect(run.transcript.contains { $0.contains("\"connected\"") })
  }
}
