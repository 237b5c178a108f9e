import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import CentralHost
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

/// A lamp behind a line that can be garbled, and a phone.
private final class FaultyScene {
  let simulation: RadioSimulation
  let lamp: SimulatedAccessory<CountingApplication>
  let line: FaultyLine
  let phone: ScriptedCentral
  private(set) var value: [UInt8] = []
  private var link: ConnectionHandle?

  init(_ controller: ControllerConfiguration, kind: AdvertisingSetDefinition.Kind, seed: UInt64) throws {
    let simulation = RadioSimulation(seed: seed)
    self.simulation = simulation
    lamp = try simulation.addAccessory(
      Lamp.configuration(kind: kind), application: CountingApplication(), on: controller)
    lamp.stack.resetAttempts = .max
    lamp.stack.watchInterval = .seconds(1)
    line = FaultyLine(lamp, seed: seed) { [unowned simulation] in simulation.now }
    simulation.interpose(line, before: lamp)
    phone = try simulation.addCentral()
    try lamp.start()
    try phone.start()
    phone.limit = .seconds(2)
  }

  private var text: UInt16 { lamp.stack.server.database[Lamp.text].value }

  /// How often the host has said that something is wrong with its line or controller.
  var reports: Int { lamp.events.count { if case .fault = $0 { true } else { false } } }

  /// Something that a phone does, which may come to nothing.
  func act(_ kind: UInt64) {
    switch kind {
    case 0: try? hangUp()
    case 1: try? meet()
    default: if let link { _ = try? phone.read(text, on: link) }
    }
  }

  private func meet() throws {
    guard link == nil else { return }
    link = try phone.connect(to: Lamp.address, parameters: LinkParameters(timeout: .milliseconds(500)))
  }

  private func hangUp() throws {
    defer { link = nil }
    if let link, phone.links.contains(link) { try phone.disconnect(link) }
  }

  /// Tries until the phone reads what was written last; how long that took, or nil when it took too long.
  func recover(limit: Duration) -> Duration? {
    let start = simulation.now
    while simulation.now - start < limit {
      if let link, !phone.links.contains(link) { self.link = nil }
      do {
        try meet()
        guard let link else { continue }
        let read = try phone.read(text, on: link)
        guard read == value else {
          Issue.record("read \(read), not \(value)")
          return nil
        }
        return simulation.now - start
      } catch {
        try? hangUp()
        // As phones do, it waits a little.
        simulation.run(for: .milliseconds(100))
      }
    }
    return nil
  }

  /// Writes another value over a line without faults.
  func write(_ octets: [UInt8]) throws {
    guard let link else { return }
    try phone.write(octets, to: text, on: link)
    value = octets
  }

  func forget() {
    lamp.events = []
    phone.events = []
  }

  /// Whether the host has given its controller up.
  var hasFailed: Bool { lamp.events.contains { if case .controllerFailed = $0 { true } else { false } } }
}

@Suite("Lines that lose, invent, change and delay octets")
struct LineFaultTests {
  @Test(
    "After each of 10,000 faults a phone reads what was written last",
    arguments: [
      (ControllerConfiguration.zephyrExtended, AdvertisingSetDefinition.Kind.extended, UInt64(1)),
      (.zephyrHCIUART, .legacy, 2),
    ])
  func tenThousand(
    _ controller: ControllerConfiguration, _ kind: AdvertisingSetDefinition.Kind, _ seed: UInt64
  ) throws {
    let scene = try FaultyScene(controller, kind: kind, seed: seed)
    var random = SplitMix64(seed: seed)
    var longest = Duration.zero
    var unnoticed = 0
    #expect(scene.recover(limit: .seconds(10)) != nil)
    for number in 1...5000 {
      let fault = LineFault.allCases[Int(random.upTo(UInt64(LineFault.allCases.count - 1)))]
      let isTowardsHost = random.upTo(2) > 0
      scene.forget()
      scene.line.order = FaultyLine.Order(fault: fault, isTowardsHost: isTowardsHost)
      // Until octets have passed that the fault could strike.
      var acts = 0
      while scene.line.made < number {
        acts += 1
        guard acts < 1000 else {
          Issue.record("fault \(number) never struck")
          return
        }
        scene.act(random.upTo(5))
      }
      guard let time = scene.recover(limit: .seconds(60)) else {
        Issue.record(
          "fault \(number), \(fault), towards host \(isTowardsHost): \(scene.lamp.events); \(scene.line.last)")
        return
      }
      longest = max(longest, time)
      #expect(!scene.hasFailed)
      if isTowardsHost, fault == .drop || fault == .insert {
        // Octets that are missing or too many are noticed at the latest when a packet does not become whole, unless what
        // is there happens to be packets too.
        scene.simulation.run(for: .seconds(1))
        if scene.reports == 0 { unnoticed += 1 }
      }
      if number % 50 == 0 {
        // What the last fault leads to is over by then.
        scene.simulation.run(for: .seconds(30))
        #expect(scene.recover(limit: .seconds(60)) != nil)
        try scene.write(random.lineOctets(20))
      }
    }
    #expect(scene.line.made == 5000)
    #expect(unnoticed < 25, "of about 1300")
    #expect(longest < .seconds(30))
  }
}

extension SplitMix64 {
  /// So many random octets.
  mutating func lineOctets(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }
}

@Suite("Controllers that restart by themselves")
struct ControllerRestartTests {
  /// How long it takes from a restart to the moment when all sets are on the air again.
  private func recovery(
    _ notice: RestartNotice, isConnected: Bool, on controller: ControllerConfiguration,
    watchInterval: Duration? = nil
  ) throws -> Duration? {
    let kind: AdvertisingSetDefinition.Kind = controller == .zephyrHCIUART ? .legacy : .extended
    let scene = try LampScene(Lamp.configuration(kind: kind), lampOn: controller)
    scene.lamp.stack.watchInterval = watchInterval
    if watchInterval != nil {
      // The interval counts from a bring-up on.
      scene.simulation.air.restartController(scene.lamp.controller, announcing: .hardwareError(1))
      scene.simulation.run(for: .seconds(1))
    }
    if isConnected { try scene.phone.connect(to: Lamp.address) }
    scene.simulation.run(for: .milliseconds(1234))
    scene.lamp.events = []
    scene.simulation.air.restartController(scene.lamp.controller, announcing: notice)
    let start = scene.simulation.now
    let isBack = scene.simulation.run(
      until: { scene.lamp.events.contains { if case .advertisingReady = $0 { true } else { false } } },
      limit: .seconds(60))
    guard isBack else { return nil }
    let time = scene.simulation.now - start
    // A central that comes now is served.
    let phone = try scene.simulation.addCentral()
    try phone.start()
    let link = try phone.connect(to: Lamp.address)
    #expect(try phone.read(scene.value(Lamp.text), on: link) == [])
    return time
  }

  @Test(
    "One that says so is on the air again within 200 ms",
    arguments: [
      RestartNotice.nop, .hardwareError(0x42), .zephyrAssertion(file: "ull.c", line: 1),
    ], [false, true])
  func announced(_ notice: RestartNotice, _ isConnected: Bool) throws {
    for controller in [ControllerConfiguration.zephyrExtended, .zephyrHCIUART] {
      let time = try #require(try recovery(notice, isConnected: isConnected, on: controller))
      #expect(time < .milliseconds(200))
    }
  }

  @Test("One that does not say so is noticed within the watch interval", arguments: [false, true])
  func silent(_ isConnected: Bool) throws {
    for controller in [ControllerConfiguration.zephyrExtended, .zephyrHCIUART] {
      let time = try #require(
        try recovery(.silently, isConnected: isConnected, on: controller, watchInterval: .seconds(1)))
      #expect(time < .milliseconds(1200))
    }
  }

  @Test("Without a watch nobody notices, unless there is something to say")
  func unwatched() throws {
    #expect(try recovery(.silently, isConnected: false, on: .zephyrExtended) == nil)
  }
}
