import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost
import TestPreset
import Testing
import VirtualRadio

/// Host stacks and centrals on one virtual radio, in virtual time.
final class RadioStage {
  let air: Air
  private(set) var accessories: [RadioAccessory] = []
  private(set) var centrals: [RadioCentral] = []

  init(seed: UInt64 = 1) {
    air = Air(configuration: AirConfiguration(seed: seed))
  }

  var now: Instant { air.now }

  func addAccessory(
    _ configuration: HostConfiguration, on controller: ControllerConfiguration = .underTest
  ) throws -> RadioAccessory {
    let accessory = try RadioAccessory(self, configuration, air.addController(configuration: controller))
    accessories.append(accessory)
    return accessory
  }

  func addCentral(on controller: ControllerConfiguration = .full) -> RadioCentral {
    let central = RadioCentral(self, air.addController(configuration: controller), number: centrals.count)
    centrals.append(central)
    return central
  }

  func send(_ octets: [UInt8], from id: ControllerID) {
    air.receive(octets.span, from: id, at: air.now)
  }

  /// Passes packets on until there are none.
  func collect() {
    while case let waiting = air.controllersWithOutput, !waiting.isEmpty {
      for id in waiting {
        var buffer = OctetBuffer()
        air.drain(id, into: &buffer)
        let octets = buffer.copy()
        accessories.first { $0.id == id }?.take(octets)
        centrals.first { $0.id == id }?.take(octets)
      }
    }
  }

  private var nextDeadline: Instant? {
    accessories.reduce(air.nextDeadline) { Instant.earliest($0, $1.stack.nextDeadline) }
  }

  private func step(to instant: Instant) {
    air.advance(to: instant)
    collect()
    for accessory in accessories { accessory.advance() }
    collect()
  }

  /// Advances time by that much, event by event.
  func run(_ duration: Duration) {
    let end = air.now + duration
    while let deadline = nextDeadline, deadline <= end { step(to: deadline) }
    step(to: end)
  }

  /// Advances time until `condition` is true, by at most `limit`; returns whether it is true.
  @discardableResult
  func run(until limit: Duration = .seconds(10), _ condition: () -> Bool) -> Bool {
    let end = air.now + limit
    collect()
    while !condition() {
      guard let deadline = nextDeadline, deadline <= end else { return false }
      step(to: deadline)
    }
    return true
  }
}

/// A host stack on a virtual controller.
final class RadioAccessory {
  let id: ControllerID
  var stack: HostStack<TestApplication>
  var events: [HostEvent] = []
  /// Everything that the host sent, for comparing runs.
  private(set) var transcript: [UInt8] = []
  private let stage: RadioStage
  private var out = HostOutput()

  init(_ stage: RadioStage, _ configuration: HostConfiguration, _ id: ControllerID) throws {
    self.stage = stage
    self.id = id
    stack = try HostStack(configuration, application: TestApplication())
  }

  /// Starts, and waits until it is on the air.
  func start() throws {
    stack.start(at: stage.now, into: &out)
    finish()
    stage.collect()
    try #require(events.tags.contains { $0.hasPrefix("ready") })
  }

  func take(_ octets: [UInt8]) {
    stack.receive(octets.span, at: stage.now, into: &out)
    finish()
  }

  func advance() {
    guard let deadline = stack.nextDeadline, deadline <= stage.now else { return }
    stack.advance(to: stage.now, into: &out)
    finish()
  }

  func perform(_ request: HostRequest) throws {
    defer {
      finish()
      stage.collect()
    }
    try stack.perform(request, at: stage.now, into: &out)
  }

  func shutDown() {
    stack.shutDown(at: stage.now, into: &out)
    finish()
    stage.collect()
  }

  private func finish() {
    events += out.events
    let octets = out.octets.copy()
    out.removeAll()
    transcript += octets
    if !octets.isEmpty { stage.send(octets, from: id) }
  }

  func handle(_ index: CharacteristicIndex) -> UInt16 { stack.server.database[index].value }

  func configurationHandle(_ index: CharacteristicIndex) throws -> UInt16 {
    try #require(stack.server.database[index].configuration)
  }
}
