import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import TestPreset
import VirtualRadio

/// An application that returns the number of the read, and records writes.
struct CountingApplication: AttributeApplication, ChannelApplication {
  var reads: UInt8 = 0
  var written: [[UInt8]] = []

  mutating func read(_ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> ReadAnswer {
    reads &+= 1
    return .value([reads])
  }

  mutating func write(
    _ value: [UInt8], to characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> WriteAnswer {
    written.append(value)
    return .accepted
  }

  mutating func subscriptionsChanged(
    _ characteristic: CharacteristicIndex, notified: Int, indicated: Int, at now: Instant,
    actions: inout [ApplicationAction]
  ) {}

  var nextDeadline: Instant? { nil }

  mutating func advance(to now: Instant, actions: inout [ApplicationAction]) {}
}

/// The accessory of these tests.
enum Lamp {
  static let address = DeviceAddress.randomStatic(from: 0x1A4B)
  static let text = CharacteristicIndex(0)
  static let level = CharacteristicIndex(1)
  static let stream = CharacteristicIndex(2)

  static let service = ServiceDefinition(
    id: "lamp", uuid: BluetoothUUID(0xFFF0),
    characteristics: [
      CharacteristicDefinition(
        id: "text", uuid: BluetoothUUID(0xFFF1), properties: [.read, .write, .writeWithoutResponse],
        value: .stored([])),
      CharacteristicDefinition(
        id: "level", uuid: BluetoothUUID(0xFFF2), properties: [.read, .notify, .indicate], value: .asked),
      CharacteristicDefinition(
        id: "stream", uuid: BluetoothUUID(0xFFF3), properties: [.notify], value: .asked, notifiesContinuously: true),
    ])

  static func configuration(
    kind: AdvertisingSetDefinition.Kind = .legacy, connection: ConnectionPolicy = ConnectionPolicy()
  ) -> HostConfiguration {
    HostConfiguration(
      name: "Lamp", identity: .fixedStatic(address),
      advertising: [
        AdvertisingSetDefinition(
          id: "main", kind: kind, data: [2, 1, 6, 3, 3, 0xF0, 0xFF] + [5, 9] + Array("Lamp".utf8), secondaryPHY: .le1M)
      ], connection: connection, services: [service])
  }
}

/// A lamp and a phone on one air, both ready.
struct LampScene {
  let simulation: RadioSimulation
  let lamp: SimulatedAccessory<CountingApplication>
  let phone: ScriptedCentral

  init(
    _ configuration: HostConfiguration = Lamp.configuration(), lampOn: ControllerConfiguration = .underTest,
    phone: CentralConfiguration? = nil, phoneOn: ControllerConfiguration = .full, seed: UInt64 = 1
  ) throws {
    simulation = RadioSimulation(seed: seed)
    lamp = try simulation.addAccessory(configuration, application: CountingApplication(), on: lampOn)
    self.phone = try simulation.addCentral(phone, on: phoneOn)
    try lamp.start()
    try self.phone.start()
  }

  func value(_ index: CharacteristicIndex) -> UInt16 { lamp.stack.server.database[index].value }

  /// The errors of the lamp's host at its controller, and of the phone's at its own.
  var hostFaults: [HostFault] {
    simulation.air.takeHostFaults(of: lamp.controller) + simulation.air.takeHostFaults(of: phone.controller)
  }
}
