@testable import CoreBluetoothUnderstudy
import Foundation
import Testing
import UnderstudyTesting

/// Properties of any app with any accessory. More seeds: `UNDERSTUDY_APP_SEEDS=1-1000 swift test --filter RandomAppTests`.
@Suite("A random app on a random accessory") struct RandomAppTests {
  static let seeds: ClosedRange<UInt64> = {
    let range = ProcessInfo.processInfo.environment["UNDERSTUDY_APP_SEEDS"]?.split(separator: "-").compactMap {
      UInt64($0)
    }
    if let range, range.count == 2, range[0] <= range[1] { return range[0]...range[1] }
    return 1...25
  }()

  @Test("Every request is answered, the app knows its link, and nothing remains after its release", arguments: seeds)
  func properties(_ seed: UInt64) throws {
    let run = try RandomApp(seed: seed)
    run.act(120)
    run.settle()
    if run.hasLastingLink { #expect(run.pending.isEmpty, "\(run.recorder.lines.suffix(12))") }
    run.phone.access.read { system in
      for device in system.devices where device.link == nil {
        for id in device.wanted.keys {
          let peripheral = system.record(id)?.manager?.existing(device.identifier)
          #expect(peripheral?.state != .connected, "the app takes \(device.identifier) as connected")
        }
      }
      #expect(system.deliveries.isEmpty)
    }
    run.close()
    #expect(run.connections == 0)
    run.phone.access.read { system in
      #expect(system.managers.isEmpty && system.continuations.isEmpty)
      #expect(system.devices.allSatisfy { $0.link == nil })
    }
  }

  @Test("The seeds together reach every kind of callback") func coverage() throws {
    var reached: Set<String> = []
    for seed in UInt64(1)...60 where !reached.isSuperset(of: Self.kinds) {
      let run = try RandomApp(seed: seed)
      run.act(120)
      reached.formUnion(run.callbacks)
    }
    #expect(reached.isSuperset(of: Self.kinds), "missing: \(Self.kinds.subtracting(reached))")
  }

  private static let kinds: Set = [
    "state", "restore", "discover", "connect", "disconnect", "name", "services", "characteristics", "descriptors",
    "value", "write", "notifying", "descriptor", "rssi", "channel",
  ]

  @Test("The same seed gives the same transcript", arguments: [seeds.lowerBound, seeds.upperBound])
  func repeated(_ seed: UInt64) throws {
    let transcript = { () throws -> [String] in
      let run = try RandomApp(seed: seed)
      run.act(60)
      return run.air.transcript.lines
    }
    #expect(try transcript() == transcript())
  }
}
