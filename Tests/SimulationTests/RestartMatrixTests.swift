import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

/// The activity during which a controller restarts.
enum RestartMoment: CaseIterable {
  case idle, advertising, connected, reading, transferring, bringUp

  /// The number of links.
  var linkCount: Int {
    switch self {
    case .connected, .reading, .transferring: 1
    default: 0
    }
  }
}

/// The way in which a host learns of it.
enum RestartSign: CaseIterable {
  case nop, hardwareError, zephyrAssertion
  /// The controller leaves a command unanswered, and restarts later.
  case silence

  var notice: RestartNotice {
    switch self {
    case .nop: .nop
    case .hardwareError: .hardwareError(0x42)
    case .zephyrAssertion: .zephyrAssertion(file: "ull.c", line: 1)
    case .silence: .silently
    }
  }
}

/// A lamp with everything that must be restored after a restart of its controller, and a phone.
private final class RestartScene {
  static let psm = SPSM(rawValue: 0x80)
  static let laterPSM = SPSM(rawValue: 0x81)
  static let parameters = ChannelParameters(mtu: 2048, mps: 247)
  static let long = (0..<400).map { UInt8(truncatingIfNeeded: $0) }
  let simulation: RadioSimulation
  let lamp: SimulatedAccessory<CountingApplication>
  let line: FaultyLine
  let phone: ScriptedCentral
  /// The time when everything was on the air again.
  private var backAt: Instant?

  init(_ controller: ControllerConfiguration) throws {
    let simulation = RadioSimulation(seed: 1)
    self.simulation = simulation
    var configuration = Lamp.configuration(kind: controller.advertisingSetCount > 0 ? .extended : .legacy)
    configuration.channels = [PublishedChannel(psm: Self.psm, parameters: Self.parameters)]
    lamp = try simulation.addAccessory(configuration, application: CountingApplication(), on: controller)
    lamp.stack.resetAttempts = .max
    lamp.stack.watchInterval = .seconds(1)
    line = FaultyLine(lamp, seed: 1) { [unowned simulation] in simulation.now }
    simulation.interpose(line, before: lamp)
    phone = try simulation.addCentral()
    try lamp.start()
    try phone.start()
    try furnish()
    line.onDelivery = { [unowned self] in if backAt == nil, isBack { backAt = simulation.now } }
  }

  /// Writes a value, and changes services and channels at run time.
  private func furnish() throws {
    let link = try phone.connect(to: Lamp.address)
    try phone.write(Self.long, to: lamp.stack.server.database[Lamp.text].value, on: link)
    try phone.disconnect(link)
    simulation.run(for: .seconds(1))
    try lamp.perform(
      .edit(
        .add(
          ServiceDefinition(
            id: "later", uuid: BluetoothUUID(0xFFE0),
            characteristics: [
              CharacteristicDefinition(
                id: "psm", uuid: BluetoothUUID(0xFFE1), properties: [.read], value: .stored([0x81, 0]))
            ]))))
    try lamp.perform(.channel(.publish(PublishedChannel(psm: Self.laterPSM, parameters: Self.parameters))))
    lamp.events = []
  }

  /// Makes the controller fall silent or restart after a delay.
  func plan(_ sign: RestartSign, after delay: Duration) {
    line.incident = (
      simulation.now + delay,
      { [unowned self] in
        if sign == .silence {
          simulation.air.setImpairment(ControllerImpairment(isHung: true), of: lamp.controller)
        } else {
          line.firstHeard = nil
          simulation.air.restartController(lamp.controller, announcing: sign.notice)
        }
      }
    )
  }

  /// Performs the activity of that moment, until the controller has restarted or fallen silent.
  func live(_ moment: RestartMoment, _ sign: RestartSign) throws {
    phone.limit = .seconds(2)
    switch moment {
    case .idle:
      try lamp.perform(.advertise(set: "main", isOn: false))
      simulation.run(for: .milliseconds(500))
      plan(sign, after: .milliseconds(10))
    case .advertising: plan(sign, after: .milliseconds(10))
    case .connected:
      try phone.connect(to: Lamp.address)
      plan(sign, after: .milliseconds(110))
    case .reading:
      let link = try phone.connect(to: Lamp.address)
      // Within the 18 connection events that it takes.
      plan(sign, after: .milliseconds(300))
      #expect(throws: (any Error).self) {
        try phone.read(lamp.stack.server.database[Lamp.text].value, on: link)
      }
    case .transferring:
      let link = try phone.connect(to: Lamp.address)
      let channel = try phone.openChannel(Self.psm, Self.parameters, on: link)
      plan(sign, after: .milliseconds(100))
      #expect(throws: (any Error).self) {
        for _ in 0..<1000 { try phone.sendSDU(Self.long, on: channel.id, of: link) }
      }
    case .bringUp:
      simulation.air.setImpairment(ControllerImpairment(latency: .milliseconds(2)), of: lamp.controller)
      simulation.air.restartController(lamp.controller, announcing: .hardwareError(1))
      plan(sign, after: .milliseconds(15))
    }
    simulation.run(until: { line.incident == nil })
  }

  var isBack: Bool { lamp.events.contains { if case .advertisingReady = $0 { true } else { false } } }

  /// Returns the time from the first octet of the restarted controller until everything is restored.
  func recovery(from sign: RestartSign) throws -> Duration {
    if sign == .silence {
      let isNoticed = simulation.run(
        until: { lamp.events.contains { if case .fault(.controllerRestarted) = $0 { true } else { false } } })
      #expect(isNoticed && !isBack)
      simulation.run(for: .milliseconds(3300))
      simulation.air.restartController(lamp.controller, announcing: .silently)
      // Output from before the hang may arrive now; it does not count as the restarted controller's.
      simulation.exchange()
      line.firstHeard = nil
    }
    simulation.run(until: { backAt != nil }, limit: .seconds(10))
    return try #require(backAt) - #require(line.firstHeard)
  }

  /// Checks that a new phone finds everything.
  func expectEverything() throws {
    let guest = try simulation.addCentral()
    try guest.start()
    let link = try guest.connect(to: Lamp.address)
    let database = try guest.discover(on: link)
    let later = try #require(database.services.first { $0.uuid == BluetoothUUID(0xFFE0) }?.characteristics.first)
    #expect(try guest.read(later.value, on: link) == [0x81, 0])
    #expect(try guest.read(lamp.stack.server.database[Lamp.text].value, on: link) == Self.long)
    for psm in [Self.psm, Self.laterPSM] { _ = try guest.openChannel(psm, Self.parameters, on: link) }
  }
}

@Suite("Controllers that restart at any moment")
struct RestartMatrixTests {
  @Test(
    "Everything is restored within 200 ms of the controller's first output, and every observer is informed once",
    arguments: RestartMoment.allCases, RestartSign.allCases)
  func restart(_ moment: RestartMoment, _ sign: RestartSign) throws {
    for controller in [ControllerConfiguration.zephyrExtended, .zephyrHCIUART] {
      let scene = try RestartScene(controller)
      try scene.live(moment, sign)
      #expect(try scene.recovery(from: sign) < .milliseconds(200))
      scene.simulation.run(for: .seconds(5))
      let faults = scene.lamp.events.compactMap { if case .fault(let fault) = $0 { fault } else { nil } }
      #expect(faults.count == 1)
      guard case .controllerRestarted = faults.first else {
        Issue.record("\(faults)")
        return
      }
      let ends = scene.lamp.events.compactMap { event in
        if case .disconnected(_, let reason) = event { reason } else { nil }
      }
      #expect(ends == Array(repeating: .hardwareFailure, count: moment.linkCount))
      let closures = scene.lamp.events.count { event in
        if case .channel(_, .closed) = event { true } else { false }
      }
      #expect(closures == (moment == .transferring ? 1 : 0))
      #expect(scene.lamp.stack.activeSets == (moment == .idle ? [] : ["main"]))
      if moment == .idle { try scene.lamp.perform(.advertise(set: "main", isOn: true)) }
      try scene.expectEverything()
    }
  }
}
