import AccessoryProfile
import BLECore
import BLEGAP
import Testing

@testable import Learning

@Suite("Learning the shipped profiles")
struct ShippedProfileLearningTests {
  static let names = ShippedProfiles.list.map(\.name)

  @Test(arguments: names) func theDatabaseIsTheSame(_ name: String) throws {
    let profile = try Profile.load(name)
    let device = try LearningAir(profile).read { plan in
      plan.pairs = true
      plan.watching = .seconds(30)
    }
    let learnt = try device.learnProfile()
    print("=== \(name)\n\(learnt.text)")
    guard profile.advertising.contains(where: \.isConnectable) else { return }
    #expect(try databaseHash(of: learnt.profile) == databaseHash(of: profile), "\(learnt.gaps)")
  }
}
