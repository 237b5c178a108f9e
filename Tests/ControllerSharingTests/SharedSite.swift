import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import ControllerSharing
import BLELink
import PeripheralHost
import Simulation
import TestPreset
import VirtualRadio

/// An application that returns the number of the read.
struct CountingApplication: AttributeApplication, ChannelApplication {
  var reads: UInt8 = 0

  mutating func read(_ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> ReadAnswer {
    reads &+= 1
    return .value([reads])
  }

  mutating func write(
    _ value: [UInt8], to characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> WriteAnswer { .accepted }

  mutating func subscriptionsChanged(
    _ characteristic: CharacteristicIndex, notified: Int, indicated: Int, at now: Instant,
    actions: inout [ApplicationAction]
  ) {}

  var nextDeadline: Instant? { nil }

  mutating func advance(to now: Instant, actions: inout [ApplicationAction]) {}
}

/// The accessories of these tests: lamps that differ in address, name, service and the kind of their advertising.
enum Lamp {
  static let text = CharacteristicIndex(0)
  static let level = CharacteristicIndex(1)
  static let stream = CharacteristicIndex(2)

  static func address(_ number: Int) -> DeviceAddress { .randomStatic(from: 0x1A40 + UInt64(number)) }

  static func service(_ number: Int) -> BluetoothUUID { BluetoothUUID(UInt16(0xFFA0 + number)) }

  static func configuration(
    _ number: Int, maximumConnections: Int = 1, identity: IdentityPolicy? = nil
  ) -> HostConfiguration {
    let name = "Lamp \(number)"
    return HostConfiguration(
      name: name, identity: identity ?? .fixedStatic(address(number)),
      advertising: [
        AdvertisingSetDefinition(
          id: "main", kind: number % 2 == 0 ? .legacy : .extended, data: [2, 1, 6, 7, 9] + Array(name.utf8),
          secondaryPHY: .le1M)
      ], connection: ConnectionPolicy(maximumConnections: maximumConnections),
      services: [
        ServiceDefinition(
          id: "lamp", uuid: service(number),
          characteristics: [
            CharacteristicDefinition(
              id: "text", uuid: BluetoothUUID(0xFFF1), properties: [.read, .write], value: .stored([UInt8(number)])),
            CharacteristicDefinition(
              id: "level", uuid: BluetoothUUID(0xFFF2), properties: [.read, .notify], value: .asked),
            CharacteristicDefinition(
              id: "stream", uuid: BluetoothUUID(0xFFF3), properties: [.notify], value: .asked,
              notifiesContinuously: true),
          ])
      ])
  }
}

/// Several host stacks on one controller of a simulated air.
final class SharedSite: RadioParticipant {
  let controller: ControllerID
  var shared: SharedController
  var stacks: [HostStack<CountingApplication>] = []
  var events: [[HostEvent]] = []
  /// The generator of damage to octets on the line; nil while the line is good.
  var noise: SplitMix64?
  private unowned let simulation: RadioSimulation
  private var line = OctetBuffer()
  private var out = HostOutput()

  init(
    _ configurations: [HostConfiguration], on controller: ControllerConfiguration = .underTest,
    of simulation: RadioSimulation
  ) throws {
    self.simulation = simulation
    self.controller = simulation.air.addController(configuration: controller)
    shared = SharedController(advertisingSetsNeeded: configurations.map(\.advertising.count))
    for configuration in configurations {
      stacks.append(try HostStack(configuration, application: CountingApplication()))
      events.append([])
    }
    simulation.add(self)
  }

  var nextDeadline: Instant? {
    stacks.indices.reduce(shared.nextDeadline) { Instant.earliest($0, stacks[$1].nextDeadline) }
  }

  func receive(_ octets: Span<UInt8>, at now: Instant) {
    let heard = damaged(octets.withUnsafeBytes { Array($0) })
    shared.receive(heard.span, at: now, into: &line)
    exchange(at: now)
  }

  /// Returns the octets at the other end: in some runs one octet is lost, doubled or changed.
  private func damaged(_ octets: [UInt8]) -> [UInt8] {
    guard !octets.isEmpty, var random = noise else { return octets }
    defer { noise = random }
    var octets = octets
    let place = Int(random.upTo(UInt64(octets.count - 1)))
    switch random.upTo(90) {
    case 0: octets.remove(at: place)
    case 1: octets.insert(octets[place], at: place)
    case 2: octets[place] ^= 1 << UInt8(random.upTo(7))
    default: break
    }
    return octets
  }

  func advance(to now: Instant) {
    if let deadline = shared.nextDeadline, deadline <= now { shared.advance(to: now, into: &line) }
    for seat in stacks.indices {
      guard let deadline = stacks[seat].nextDeadline, deadline <= now else { continue }
      stacks[seat].advance(to: now, into: &out)
      handOn(seat, at: now)
    }
    exchange(at: now)
  }

  func drain(into buffer: inout OctetBuffer) {
    buffer.append(damaged(line.copy()))
    line.removeAll()
  }

  /// Passes a host's output to the engine.
  private func handOn(_ seat: Int, at now: Instant) {
    events[seat] += out.events
    out.octets.withSpan { shared.receive($0, from: seat, at: now, into: &line) }
    out.removeAll()
  }

  private func exchange(at now: Instant) {
    while case let seats = shared.seatsWithOutput, !seats.isEmpty {
      for seat in seats {
        let octets = shared.takeOctets(for: seat)
        stacks[seat].receive(octets.span, at: now, into: &out)
        handOn(seat, at: now)
      }
    }
  }

  // MARK: Verbs

  func start(_ seat: Int) {
    stacks[seat].start(at: simulation.now, into: &out)
    handOn(seat, at: simulation.now)
    exchange(at: simulation.now)
  }

  /// Starts all, and lets time pass until all are on the air; returns whether they are.
  func startAll() -> Bool {
    for seat in stacks.indices { start(seat) }
    return simulation.run { stacks.indices.allSatisfy { isReady($0) } || shared.refusal != nil }
      && shared.refusal == nil
  }

  /// Returns whether a host has gone on the air since the event with index `start`.
  func isReady(_ seat: Int, from start: Int = 0) -> Bool {
    events[seat].dropFirst(start).contains { if case .advertisingReady = $0 { true } else { false } }
  }

  func perform(_ request: HostRequest, to seat: Int) throws(HostRequestError) {
    defer {
      handOn(seat, at: simulation.now)
      exchange(at: simulation.now)
      simulation.exchange()
    }
    try stacks[seat].perform(request, at: simulation.now, into: &out)
  }

  func shutDown(_ seat: Int) {
    stacks[seat].shutDown(at: simulation.now, into: &out)
    handOn(seat, at: simulation.now)
    exchange(at: simulation.now)
    simulation.exchange()
  }

  func faults(_ seat: Int) -> [ProtocolFault] {
    events[seat].compactMap { if case .fault(let fault) = $0 { fault } else { nil } }
  }

  func tells(_ seat: Int, _ isWanted: (HostEvent) -> Bool) -> Int { events[seat].count(where: isWanted) }
}

extension RadioSimulation {
  @discardableResult
  func run(until condition: () -> Bool) -> Bool { run(until: condition, limit: .seconds(20)) }
}
