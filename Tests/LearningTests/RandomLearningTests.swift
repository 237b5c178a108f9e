import AccessoryProfile
import BLECore
import BLEGAP
import Swarm
import Testing
import UnderstudyTesting

@testable import Learning

/// Learns random accessories that the swarm draws.
@Suite("Learning random accessories")
struct RandomLearningTests {
  /// The learnt profile is valid. It has the same attributes with the same handles, unless they changed meanwhile or cannot be discovered.
  @Test(arguments: UInt64(1)...40) func theLearntProfileLooksTheSame(_ seed: UInt64) throws {
    var drawing = PlanDrawing(seed: seed)
    let text = drawing.plan(duration: .seconds(60)).profile
    var profile = try Profile.load(swarm: text)
    profile.faults = []
    // Devices are learnt over LE.
    profile.classic = nil
    guard profile.advertising.contains(where: { $0.isConnectable && $0.startsAutomatically }) else { return }
    let original = try LearningAir(profile, seed: seed)
    try? original.accessory.setAsleep(false)
    let before = original.database
    let seen: ObservedDevice
    // Some accessories accept only bonded centrals, or fall asleep at once.
    do {
      seen = try original.read { plan in
        plan.watching = .seconds(5)
        plan.pairs = true
      }
    } catch { return }
    let learnt = try seen.learnProfile(path: "\(seed).yaml")
    #expect(throws: Never.self) { try Profile.load(text: learnt.text) }
    guard !profile.hasHiddenService, !seen.server.isUnknown, original.database == before else { return }
    let copy = try LearningAir(learnt.profile, seed: seed + 1000)
    #expect(copy.database == before, "seed \(seed): \(learnt.gaps)\n\(text)\n\(learnt.text)")
  }
}

extension Profile {
  /// Whether it has a secondary service that no client can discover, because no discoverable service includes it (Core 5.4 Vol 3 Part G 2.6.2).
  fileprivate var hasHiddenService: Bool {
    var found = Set(services.filter(\.isPrimary).map(\.id))
    var last = 0
    while found.count > last {
      last = found.count
      for service in services where found.contains(service.id) { found.formUnion(service.includes) }
    }
    return !services.allSatisfy { found.contains($0.id) }
  }
}
