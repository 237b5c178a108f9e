import AccessoryProfile
import BLECore
import BLELink
import PeripheralHost
import Testing
import Understudy

@Suite("Plans of groups")
struct AccessoryPlanTests {
  private func profile(_ file: String, name: String = "Lamp", identity: String = "{ address: static }") throws
    -> Profile
  {
    try Profile.load(
      text: """
        understudy: 1
        name: \(name)
        identity: \(identity)
        services: [ { uuid: FFF0, characteristics: [ { id: level, uuid: FFF1, properties: [read] } ] } ]
        """, file: file)
  }

  private func address(of plan: AccessoryPlan) -> DeviceAddress? {
    plan.profile.hostConfiguration(seed: plan.options.seed).identity.randomAddress(seed: plan.options.seed)
  }

  @Test(
    "Names come from the files, and are all different",
    arguments: [
      (["a.yaml"], ["a"]),
      (["/x/heart-rate.yaml", "battery.yml"], ["heart-rate", "battery"]),
      (["a.yaml", "a.yaml", "b/a.yaml"], ["a", "a-2", "a-3"]),
      (["a-2.yaml", "a.yaml", "a.yaml"], ["a-2", "a", "a-3"]),
      (["door.front.yaml", "door"], ["door.front", "door"]),
      ([".yaml", "/"], ["accessory", "accessory-2"]),
    ])
  func names(files: [String], names: [String]) throws {
    #expect(try AccessoryPlan.plans(for: files.map { try profile($0) }).map(\.name) == names)
  }

  @Test("Accessories with the same derived address get consecutive seeds; the others keep theirs")
  func seeds() throws {
    let profiles = [try profile("a"), try profile("b", name: "Door"), try profile("c"), try profile("a")]
    let plans = try AccessoryPlan.plans(for: profiles, options: AccessoryOptions(seed: 7))
    #expect(plans.map(\.options.seed) == [7, 7, 8, 9])
    #expect(Set(plans.map { address(of: $0) }).count == 4)
    // The second is the same as alone with that seed.
    let alone = try AccessoryPlan.plans(for: [profiles[2]], options: AccessoryOptions(seed: 8))
    #expect(address(of: plans[2]) == address(of: alone[0]))
  }

  @Test("Seeds wrap around")
  func lastSeed() throws {
    let twice = [try profile("a"), try profile("a")]
    let plans = try AccessoryPlan.plans(for: twice, options: AccessoryOptions(seed: .max))
    #expect(plans.map(\.options.seed) == [.max, 0])
  }

  @Test("Two with the same fixed address are refused, and the error names their files")
  func fixedAddress() throws {
    let fixed = "{ address: \"C4:00:00:00:00:01\" }"
    let (front, back) = (try profile("front.yaml", identity: fixed), try profile("back.yaml", identity: fixed))
    let error = try #require(throws: SharedAddressError.self) { try AccessoryPlan.plans(for: [front, back]) }
    #expect(error.description.contains("front.yaml and back.yaml") && error.description.contains("C4:00:00:00:00:01"))
    let same = try #require(throws: SharedAddressError.self) { try AccessoryPlan.plans(for: [front, front]) }
    #expect(same.description.contains("front.yaml twice"))
    #expect(try AccessoryPlan.plans(for: [front, try profile("back.yaml")]).count == 2)
  }

  @Test(
    "Each of several has its own capture file",
    arguments: [
      ("run.pcapng", "run-a.pcapng"), ("/tmp/x.y/run", "/tmp/x.y/run-a"), ("/tmp/.hidden", "/tmp/.hidden-a"),
      ("a/run.1.btsnoop", "a/run.1-a.btsnoop"),
    ])
  func captures(path: String, first: String) throws {
    let options = AccessoryOptions(capturePath: path)
    let (one, other) = (try profile("a"), try profile("b", name: "Door"))
    let plans = try AccessoryPlan.plans(for: [one, other], options: options)
    #expect(plans[0].options.capturePath == first && plans[1].options.capturePath != first)
    #expect(try AccessoryPlan.plans(for: [one], options: options)[0].options.capturePath == path)
  }
}
