import AccessoryProfile
import Testing
import Transport
import Understudy

@Suite("Plans for fleets") struct FleetPlanTests {
  private static let words = Fleet.Words(
    controller: { _ in nil }, preset: { _ in nil }, impairment: { _ in nil }, join: { _ in nil }, speed: { _ in nil })

  private func plans(_ accessories: String) throws -> [AccessoryPlan] {
    let text = "understudy-fleet: 1\nname: Lab\nseed: 7\naccessories:\n" + accessories
    let fleet = try Fleet.load(text: text, file: "lab.yaml", words: Self.words)
    return try AccessoryPlan.plans(for: fleet, options: AccessoryOptions(seed: 3))
  }

  @Test("Each has its own name and address")
  func distinct() throws {
    let plans = try plans("  - { profile: battery, count: 3 }\n  - { profile: heart-rate, name: belt }\n")
    #expect(plans.map(\.name) == ["battery", "battery-2", "battery-3", "belt"])
    #expect(plans.map(\.options.seed) == [7, 8, 9, 7])
    #expect(plans.allSatisfy { $0.options.controller == .virtual && !$0.options.sharesController })
  }

  @Test("Accessories with the same controller share it")
  func shared() throws {
    let plans = try plans(
      """
        - { profile: battery, controller: "serial:/dev/ttyACM0" }
        - { profile: heart-rate, controller: "serial:/dev/ttyACM0" }
        - { profile: glucose, controller: "serial:/dev/ttyACM1" }
      """)
    #expect(plans.map(\.options.sharesController) == [true, true, false])
    #expect(plans.allSatisfy { $0.options.waitsForController })
  }

  @Test(
    "Conflicts are reported with their position",
    arguments: [
      (
        "  - { profile: battery, name: a }\n  - { profile: battery, name: a }\n",
        "lab.yaml:6:5: error: there is another"
      ),
      ("  - { profile: battery, seed: 1 }\n  - { profile: battery, seed: 1 }\n", "the same address as 'battery'"),
      ("  - { profile: battery, controller: auto, count: 2 }\n", "lab.yaml:5:5: error: auto chooses a board for one"),
    ])
  func refused(accessories: String, reason: String) {
    do {
      _ = try plans(accessories)
      Issue.record("nothing was refused")
    } catch { #expect("\(error)".contains(reason), "\(error)") }
  }
}
