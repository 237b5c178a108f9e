import AccessoryProfile
import BLECore
import Simulation
import Swarm
import Testing

@Suite("The swarm")
struct SwarmRunTests {
  static func plan(_ seed: UInt64) -> SwarmPlan {
    var drawing = PlanDrawing(seed: seed)
    return drawing.plan(duration: .seconds(60))
  }

  @Test("A seed gives the same run twice", arguments: 1...4 as ClosedRange<UInt64>)
  func determinism(seed: UInt64) throws {
    let run = try SwarmRun.twice(Self.plan(seed))
    #expect(!run.findings.contains { $0.rule == "determinism" })
    #expect(!run.transcript.isEmpty)
  }

  @Test("A plan is the same after it was written and read", arguments: 1...20 as ClosedRange<UInt64>)
  func planText(seed: UInt64) throws {
    let plan = Self.plan(seed)
    #expect(try SwarmPlan(text: plan.text) == plan)
  }

  @Test("A fixed range of seeds has no finding", arguments: 100...130 as ClosedRange<UInt64>)
  func fixedSeeds(seed: UInt64) throws {
    do { #expect(try SwarmRun(Self.plan(seed)).findings.map(\.message) == []) } catch SimulationFailure.controllerFailed
    {
      // The profile wants what the controller has not.
    }
  }

  /// Plans that once broke a rule, by what they found.
  static let cases = ["restart-at-the-start", "signed-write-permission", "unnoticed-restart-handle-0"]

  @Test("What was found once stays mended", arguments: cases)
  func keptCase(name: String) throws {
    let path = String(#filePath.dropLast("SwarmTests/SwarmRunTests.swift".count)) + "SwarmCases/\(name).json"
    let text = try FileReading.text(at: path).get()
    #expect(try SwarmRun(SwarmPlan(text: text)).findings.map(\.message) == [])
  }

  @Test("A plan shrinks to the steps that a failure needs")
  func shrinking() {
    let plan = Self.plan(2)
    let word = plan.centrals[0].steps[plan.centrals[0].steps.count / 2].act.word
    let smallest = plan.shrunk(attempts: 2000) { candidate in
      candidate.centrals.first?.steps.contains { $0.act.word == word } ?? false
    }
    #expect(smallest.centrals.count == 1)
    #expect(smallest.centrals[0].steps.map(\.act.word) == [word])
    #expect(smallest.owner.isEmpty)
  }

  @Test("What a plan cannot say is refused", arguments: ["", "{}", #"{"seed":"x"}"#, "[1]"])
  func badPlans(text: String) { #expect(throws: (any Error).self) { try SwarmPlan(text: text) } }
}
