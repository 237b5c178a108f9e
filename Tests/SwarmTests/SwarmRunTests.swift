import AccessoryProfile
import BLECore
import Glibc
import Simulation
import Swarm
import Testing

@Suite("The swarm")
struct SwarmRunTests {
  static func plan(_ seed: UInt64) -> SwarmPlan {
    var drawing = PlanDrawing(seed: seed)
    return drawing.plan(duration: .seconds(60))
  }

  @Test("A seed gives the same run twice", arguments: 1...8 as ClosedRange<UInt64>)
  func determinism(seed: UInt64) throws {
    do {
      let run = try SwarmRun.twice(Self.plan(seed))
      #expect(!run.findings.contains { $0.rule == "determinism" })
      #expect(!run.transcript.isEmpty)
    } catch SimulationFailure.controllerFailed {
      // The profile needs what the controller does not have.
    }
  }

  @Test("A plan is unchanged after writing and reading", arguments: 1...20 as ClosedRange<UInt64>)
  func planText(seed: UInt64) throws {
    let plan = Self.plan(seed)
    #expect(try SwarmPlan(text: plan.text) == plan)
  }

  @Test("A fixed range of seeds has no finding", arguments: 100...130 as ClosedRange<UInt64>)
  func fixedSeeds(seed: UInt64) throws {
    do { #expect(try SwarmRun(Self.plan(seed)).findings.map(\.message) == []) } catch SimulationFailure.controllerFailed
    {
      // The profile needs what the controller does not have.
    }
  }

  /// Plans that once broke a rule.
  static let cases: [String] = {
    guard let directory = opendir(casesFolder) else { return [] }
    defer { closedir(directory) }
    return sequence(state: directory) { readdir($0) }.map { entry in
      entry.entryName
    }.filter { $0.hasSuffix(".json") }.sorted()
  }()

  static let casesFolder = String(#filePath.dropLast("SwarmTests/SwarmRunTests.swift".count)) + "SwarmCases"

  @Test("The kept cases are found") func hasCases() { #expect(Self.cases.count >= 3) }

  @Test("Earlier findings stay fixed", arguments: cases)
  func keptCase(name: String) throws {
    let text = try FileReading.text(at: "\(Self.casesFolder)/\(name)").get()
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

  @Test("A drawn profile and a fault shrink")
  func smallerProfiles() throws {
    let fault = "{ on: connected, do: { disconnect: user-terminated, when: before }, times: 2 }"
    var plan = SwarmPlan(
      seed: 1, profile: "understudy: 1\nname: Small\nservices:\n  - include: battery\n  - include: heart-rate\n",
      preset: "full", owner: [.init(after: .zero, .arm(fault))], duration: .seconds(2))
    plan = plan.shrunk(attempts: 500) { candidate in
      guard case .arm(let fault)? = candidate.owner.first?.act else { return false }
      return fault.contains("disconnect") && candidate.profile.contains("battery")
    }
    #expect(!plan.profile.contains("heart-rate"))
    #expect(plan.owner.first?.act.text == "arm { on: connected, do: { disconnect: user-terminated } }")
  }

  @Test("Each action of the list of faults fits one of its occasions", arguments: FaultChoice.actions)
  func faultChoice(action: String) throws {
    let profile = try Profile.load("heart-rate")
    #expect(
      FaultChoice.occasions.contains { (try? profile.loadFault("on: \($0), do: \(action)", number: 1)) != nil })
  }

  @Test("Every act of centrals and of the owner is drawn, and so is most of the language")
  func coverage() {
    var coverage = SwarmCoverage()
    for seed in 1...200 as ClosedRange<UInt64> { coverage.add(Self.plan(seed)) }
    let lines = coverage.lines
    #expect(lines.first == "200 plans")
    for group in ["7 kinds of centrals:", "27 acts of centrals:", "31 acts of the owner and the world:"] {
      #expect(lines.contains(group), "\(lines.filter { $0.hasSuffix(":") })")
    }
  }

  @Test("Invalid plans are refused", arguments: ["", "{}", #"{"seed":"x"}"#, "[1]"])
  func badPlans(text: String) { #expect(throws: (any Error).self) { try SwarmPlan(text: text) } }
}
