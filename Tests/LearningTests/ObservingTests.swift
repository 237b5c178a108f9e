import AccessoryProfile
import BLECore
import BLEHCI
import Capture
import PeripheralHost
import Simulation
import Testing
import UnderstudyTesting

@testable import Learning

@Suite("Observing devices in captures")
struct ObservingTests {
  private static func recorded(_ name: String = "smart-lock") throws -> [CaptureRecord] {
    let air = try LearningAir(try Profile.load(name))
    _ = try air.read { plan in
      plan.pairs = true
      plan.watching = .seconds(5)
    }
    return air.tape.records
  }

  private func observe(_ records: [CaptureRecord]) -> [ObservedDevice] { DeviceObserver(records).found }

  @Test func aCaptureThatBeginsLateSaysWhatIsMissing() throws {
    let records = try Self.recorded()
    // The last eighth lacks the discovery.
    let late = observe(Array(records.suffix(records.count / 8)))
    for device in late where device.sets.isEmpty && device.server.isUnknown {
      #expect(throws: LearningFailure.self) { try device.learnProfile() }
    }
    #expect(try #require(observe(records).first).learnProfile().gaps.allSatisfy { !$0.contains("discovery") })
  }

  /// A truncated packet is ignored, or understood as far as it goes. The result is a profile or an error.
  @Test func truncatedPacketsDoNoHarm() throws {
    let records = try Self.recorded("heart-rate")
    for length in 0..<40 {
      var observer = DeviceObserver()
      for record in records {
        var cut = record
        cut.octets = Array(record.octets.prefix(length))
        observer.take(cut)
      }
      for device in observer.found { _ = try? device.learnProfile() }
    }
  }

  @Test(arguments: 1...30) func wrongOctetsDoNoHarm(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let records = try Self.recorded("heart-rate")
    var observer = DeviceObserver()
    for record in records {
      var wrong = record
      for place in wrong.octets.indices where random.next() % 40 == 0 {
        wrong.octets[place] = UInt8(truncatingIfNeeded: random.next())
      }
      observer.take(wrong)
    }
    for device in observer.found {
      // `learnProfile` throws, or returns a profile that loads.
      guard let learnt = try? device.learnProfile() else { continue }
      _ = try Profile.load(text: learnt.text)
    }
  }

  /// Merging two captures keeps the server as it is, and the values in order.
  @Test func twoCapturesOfOneDeviceMerge() throws {
    let records = try Self.recorded("heart-rate")
    let middle = records.count / 2
    var observer = DeviceObserver()
    for record in records[..<middle] { observer.take(record) }
    let whole = try #require(observe(records).first)
    var merged = try #require(observer.found.first)
    var rest = DeviceObserver()
    for record in records { rest.take(record) }
    merged.merge(try #require(rest.found.first))
    #expect(merged.server.services == whole.server.services)
    #expect(merged.server.declarations == whole.server.declarations)
    #expect(merged.server.samples.values.allSatisfy { zip($0, $0.dropFirst()).allSatisfy { $0.time <= $1.time } })
  }

  /// A capture of the accessory's own host shows the same as a central's.
  @Test func theAccessorysOwnCaptureShowsTheSame() throws {
    let air = try LearningAir(try Profile.load("heart-rate"))
    let own = LearningAir.Tape()
    let host = air.accessory.simulated
    let tapped = TappedHost(host, own)
    air.air.radio.interpose(tapped, before: host)
    let seen = try air.read { $0.watching = .seconds(3) }
    let mine = try #require(own.observer.found.first { !$0.server.isUnknown })
    #expect(mine.server.services == seen.server.services)
    #expect(mine.server.declarations == seen.server.declarations)
    #expect(mine.mtu == seen.mtu)
  }
}
