import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import PeripheralHost
import Simulation
import Testing
import UnderstudyTesting

@testable import Swarm

/// Judges in situations that never occur, so that they have something to find.
@Suite("Judges")
struct JudgeTests {
  /// Returns a stage with a glucose meter and a central that has requested all records from its Record Access Control Point, after a while.
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

  @Test("A control point that accepts a command and does not answer is found, and one that answers is not")
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

  @Test("A read of a missing characteristic is found")
  func presence() throws {
    let stage = try stage()
    let event = HostEvent.server(ConnectionHandle(rawValue: 0), .read(CharacteristicIndex(900), []))
    for (isFaulty, count) in [(false, 1), (true, 0)] {
      var (judge, findings) = (PresenceJudge(isFaulty: isFaulty), [Finding]())
      judge.look(at: [event], on: stage, findings: &findings)
      #expect(findings.count == count)
    }
  }

  @Test("A link that lasts while the accessory sleeps is found")
  func sleeping() throws {
    let stage = try stage()
    var (judge, findings) = (PresenceJudge(isFaulty: false), [Finding]())
    run(stage, for: .seconds(8)) { judge.look(at: $0, on: stage, findings: &findings) }
    #expect(stage.accessory.connections == 1)
    // It sleeps, and its links have not been ended.
    _ = stage.accessory.simulated.stack.application.setAsleep(true, at: stage.simulation.now)
    run(stage, for: .seconds(12)) { judge.look(at: $0, on: stage, findings: &findings) }
    #expect(findings.map(\.rule) == ["presence"])
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

  @Test("An accessory on a shared controller is found beside its companion")
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
