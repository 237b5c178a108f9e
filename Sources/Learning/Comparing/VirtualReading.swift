import AccessoryProfile
import BLECore
import CentralHost
import Simulation
import UnderstudyTesting
import VirtualRadio

extension ObservedDevice {
  /// Returns what a central sees of a profile in three runs with different random values.
  package static func references(
    of profile: Profile, watching: Duration
  ) throws -> [ObservedDevice] {
    try (1...3).map { try reading(profile, on: .full, watching: watching, seed: $0) }
  }

  /// Runs a profile on a virtual controller, in virtual time, and returns what a central sees of it.
  ///
  /// - Throws: A `DeviceFailure` or `SimulationFailure` if the profile does not run on that controller, or the central does not find it.
  package static func reading(
    _ profile: Profile, on controller: ControllerConfiguration, watching: Duration, seed: UInt64 = 1
  ) throws -> ObservedDevice {
    let air = TestAir(seed: seed)
    let accessory = try air.accessory(profile, on: controller)
    let central = try air.radio.addCentral(TestCentral.configuration(.randomStatic(from: 0xCE1E)))
    central.user = .accepts(passkey: profile.security.pairing.fixedPasskey)
    let tape = PacketTape(of: central, epoch: TestAccessory.clock.nanosecondsAtZero)
    try central.start()
    let heard = try central.hear { accessory.hasSent($0) }
    var plan = DeviceReader.Plan(DeviceFilter("\(heard.address)"))
    plan.watching = watching
    plan.pairs = true
    try DeviceReader(central, plan).read()
    guard let found = DeviceObserver(tape.records).found.first else {
      throw DeviceFailure.notFound(after: plan.patience)
    }
    return found
  }
}
