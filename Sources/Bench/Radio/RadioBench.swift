import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import CentralHost
import Glibc
import PeripheralHost
import Simulation
import Understudy
import VirtualRadio

/// The cost of the virtual radio itself: the processor time for a period of virtual time.
package struct RadioBench: Sendable {
  /// The result of a measurement.
  package struct Figure: Hashable, Sendable {
    /// The virtual time that passed.
    package var simulated: Duration
    /// The processor time of this process.
    package var processor: Duration
    /// The number of notifications that reached centrals.
    package var notifications: Int
    /// The number of links at the end.
    package var links: Int

    /// The share of one core that the same would take in real time.
    package var load: Double { processor / simulated }
  }

  /// The accessories' profile. Its characteristic `heart-rate-measurement` is notified.
  package var profile: Profile
  /// The seed for everything random.
  package var seed: UInt64

  /// Creates a bench for accessories of that profile.
  package init(_ profile: Profile, seed: UInt64 = 0) {
    self.profile = profile
    self.seed = seed
  }

  /// Measures one accessory and one central, connected at an interval of 30 ms, for that long.
  package func connection(for duration: Duration) throws -> Figure {
    try crowd(accessories: 1, links: 1, for: duration)
  }

  /// Measures `count` advertising accessories for that long. `links` of them are connected to a central of
  /// their own, at an interval of 30 ms, and notify it. A scanner receives all the others.
  package func crowd(accessories count: Int, links: Int, for duration: Duration) throws -> Figure {
    let simulation = RadioSimulation(seed: seed)
    let accessories = try (0..<count).map { number in
      let accessory = try simulation.addAccessory(
        profile.hostConfiguration(seed: seed &+ UInt64(number)),
        application: ProfileRuntime(profile: profile, seed: seed &+ UInt64(number)))
      try accessory.start()
      return accessory
    }
    let centrals = try accessories.prefix(links).map { try subscriber(of: $0, in: simulation) }
    if count > links {
      let scanner = try simulation.addCentral()
      try scanner.start()
      try scanner.perform(.scan(ScanRequest()))
    }
    let before = centrals.reduce(0) { $0 + $1.pushed.count }
    let began = Self.processorTime
    // Run in slices, so that the hosts' events do not accumulate.
    let slice = Duration.seconds(10)
    var rest = duration
    while rest > .zero {
      simulation.run(for: min(rest, slice))
      rest -= min(rest, slice)
      for accessory in accessories { accessory.events.removeAll(keepingCapacity: true) }
    }
    return Figure(
      simulated: duration, processor: Self.processorTime - began,
      notifications: centrals.reduce(0) { $0 + $1.pushed.count } - before,
      links: centrals.reduce(0) { $0 + $1.links.count })
  }

  /// Returns a central that is connected to an accessory and subscribed to its notifications.
  private func subscriber(
    of accessory: SimulatedAccessory<ProfileRuntime>, in simulation: RadioSimulation
  ) throws -> ScriptedCentral {
    let central = try simulation.addCentral()
    try central.start()
    let parameters = LinkParameters(interval: .milliseconds(30))
    let link = try central.connect(to: accessory.stack.address ?? .zero, parameters: parameters)
    let measurement = try central.discover(on: link).characteristic(BluetoothUUID(0x2A37))
    if let measurement { try central.configure(measurement.value, .notification, on: link) }
    return central
  }

  private static var processorTime: Duration {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}
