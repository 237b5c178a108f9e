import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLELink
import Capture
import CentralHost
import PeripheralHost
import Simulation
import UnderstudyCore
import UnderstudyTesting
import Testing

@testable import Learning

/// An accessory for a reader to learn, in virtual time.
struct LearningAir {
  let air: TestAir
  let accessory: TestAccessory
  let central: ScriptedCentral
  let tape = Tape()

  /// The packets between the central and its controller.
  final class Tape {
    var tap = PacketTap(epoch: 1_767_225_600_000_000_000)
    var records: [CaptureRecord] = []
    var observer = DeviceObserver()

    func take(_ octets: Span<UInt8>, isSent: Bool, at now: Instant) {
      var new: [CaptureRecord] = []
      tap.take(octets, isSent: isSent, at: now) { new.append($0) }
      for record in new { observer.take(record) }
      records += new
    }
  }

  init(_ profile: Profile, seed: UInt64 = 1) throws {
    air = TestAir(seed: seed)
    accessory = try air.accessory(
      profile, on: .full.with(publicAddress: DeviceAddress(littleEndianOctets: [0x01, 0x02, 0x03, 0x7D, 0x1A, 0x00])))
    central = try air.radio.addCentral(TestCentral.configuration(.randomStatic(from: 0xCE55)))
    central.tap = { [tape] in tape.take($0, isSent: $1, at: $2) }
    try central.start()
  }

  /// The input of the Database Hash of the accessory's present database over LE (Core 5.4 Vol 3 Part G 7.3.1).
  var database: [UInt8] { accessory.simulated.stack.server.database.hashInput(over: .le) }

  /// Whether an attribute belongs to Generic Access or Generic Attribute.
  func belongsToHost(_ handle: UInt16) -> Bool {
    accessory.simulated.stack.server.database.services.contains {
      $0.handles.contains(handle) && [0x1800, 0x1801].contains($0.uuid.short ?? 0)
    }
  }

  /// Reads the accessory, and returns the observations.
  func read(
    _ change: (inout DeviceReader.Plan) -> Void = { _ in }, report: @escaping (String) -> Void = { _ in }
  ) throws -> ObservedDevice {
    let heard = try central.hear { accessory.hasSent($0) }
    var plan = DeviceReader.Plan(DeviceFilter("\(heard.address)"))
    plan.watching = .seconds(60)
    change(&plan)
    try DeviceReader(central, plan, report: report).read()
    return try #require(tape.observer.found.first)
  }
}
