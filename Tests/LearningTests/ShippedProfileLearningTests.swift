import AccessoryProfile
import BLECore
import BLEGAP
import BLEHCI
import Capture
import Testing

@testable import Learning

@Suite("Learning the shipped profiles")
struct ShippedProfileLearningTests {
  /// The connectable profiles.
  static let connectable = ShippedProfiles.list.map(\.name).filter { name in
    (try? Profile.load(name))?.advertising.contains(where: \.isConnectable) ?? false
  }

  /// The learnt profile has the same attributes with the same handles, and the same constant values.
  @Test(arguments: connectable) func theLearntProfileLooksTheSame(_ name: String) throws {
    let original = try LearningAir(try Profile.load(name))
    let seen = try original.read { $0.pairs = true }
    let learnt = try seen.learnProfile(path: "\(name).yaml")
    let copy = try LearningAir(learnt.profile, seed: 2)
    #expect(copy.database == original.database, "\(learnt.gaps)\n\(learnt.text)")
    let seenAgain = try copy.read { $0.pairs = true }
    for (handle, samples) in seen.server.samples {
      guard let first = samples.first?.value, samples.allSatisfy({ $0.value == first }), samples.count > 1 else {
        continue
      }
      guard !original.belongsToHost(handle) else { continue }
      #expect(
        seenAgain.server.samples[handle]?.first?.value == first, "\(name), handle \(handle)\n\(learnt.text)")
    }
  }

  /// The learnt profile sends regular values as often, within a tenth.
  @Test(arguments: [
    "heart-rate", "environmental-sensing", "cycling", "running-speed", "pulse-oximeter",
  ])
  func theRhythmIsTheSame(_ name: String) throws {
    let seen = try LearningAir(try Profile.load(name)).read { $0.watching = .seconds(120) }
    let learnt = try seen.learnProfile()
    let again = try LearningAir(learnt.profile, seed: 2).read { $0.watching = .seconds(120) }
    for (handle, samples) in seen.server.samples {
      let sent = samples.count { $0.origin != .read }
      guard sent >= 20 else { continue }
      let copies = again.server.samples[handle]?.count { $0.origin != .read } ?? 0
      #expect(abs(copies - sent) * 10 <= sent, "\(name), handle \(handle): \(sent) and \(copies)\n\(learnt.text)")
    }
  }

  /// The learnt profile has the data and scan responses that the original sent.
  @Test(arguments: ["ibeacon", "sensor-beacon", "eddystone", "heart-rate", "smart-watch", "ancs"])
  func theAdvertisingIsTheSame(_ name: String) throws {
    let profile = try Profile.load(name)
    let seen = try LearningAir(profile).read { $0.watching = .seconds(1) }
    let learnt = try seen.learnProfile()
    #expect(!learnt.profile.advertising.isEmpty)
    for (set, definition) in zip(seen.sets, learnt.profile.advertising) {
      #expect(definition.data == set.data.first ?? [], "\(learnt.text)")
      #expect(definition.scanResponse == set.responses.first ?? [], "\(learnt.text)")
      #expect(definition.isConnectable == set.kind.contains(.connectable))
    }
  }
}

@Suite("Replaying what was recorded")
struct ReplayLearningTests {
  /// The learnt profile replays values without a rule from the recording beside it.
  @Test func irregularValuesAreReplayed() throws {
    let folder = try TestFolder()
    let original = try LearningAir(try Profile.load("battery-status"))
    let seen = try original.read { $0.watching = .seconds(120) }
    try CaptureEncoder.write(original.tape.records, to: "\(folder.path)/battery.pcapng")
    let learnt = try seen.learnProfile(recording: "battery.pcapng", path: "\(folder.path)/battery.yaml")
    #expect(learnt.text.contains("replay: { capture: \"battery.pcapng\", handle: 0x000C, values: [notified] }"))
    let again = try LearningAir(learnt.profile, seed: 2).read { $0.watching = .seconds(120) }
    let handle: UInt16 = 0x000C
    let sent = seen.server.samples[handle]?.filter { $0.origin == .notified }.map(\.value) ?? []
    let copies = again.server.samples[handle]?.filter { $0.origin == .notified }.map(\.value) ?? []
    #expect(sent.count > 50)
    // The replay begins when the accessory starts, before the client subscribes.
    #expect(Set(copies).subtracting(sent).isEmpty && copies.count * 10 > sent.count * 6)
  }
}
