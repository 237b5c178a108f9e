import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import TestPreset
import VirtualRadio

/// The accessory of these tests. Its service begins at a fixed handle, so that transcripts can name handles.
enum Specimen {
  static let address = DeviceAddress.randomStatic(from: 0x5EC1)
  static let name = "Specimen"
  static let appearance: UInt16 = 0x0341

  /// Value 0012: readable and writable.
  static let text = CharacteristicIndex(0)
  /// Value 0014, configuration 0015: notified, supplied by the application.
  static let measurement = CharacteristicIndex(1)
  /// Value 0017, configuration 0018: indicated, supplied by the application.
  static let alarm = CharacteristicIndex(2)
  /// Value 001A of 40 octets, description 001B.
  static let long = CharacteristicIndex(3)
  /// Value 001D, for authenticated links.
  static let authenticated = CharacteristicIndex(4)
  /// Value 001F, for which no client is authorized.
  static let unauthorized = CharacteristicIndex(5)

  static let service: ServiceDefinition = {
    func guarded(_ id: String, _ uuid: UInt16, _ requirement: AccessRequirement) -> CharacteristicDefinition {
      CharacteristicDefinition(
        id: id, uuid: BluetoothUUID(uuid), properties: [.read, .write],
        permissions: AttributePermissions(read: requirement, write: requirement), value: .stored([7]))
    }
    return ServiceDefinition(
      id: "specimen", uuid: BluetoothUUID(0xFFF0),
      characteristics: [
        CharacteristicDefinition(
          id: "text", uuid: BluetoothUUID(0xFFF1), properties: [.read, .write, .writeWithoutResponse],
          value: .stored(Array("text".utf8)), maximumLength: 60),
        CharacteristicDefinition(
          id: "measurement", uuid: BluetoothUUID(0xFFF2), properties: [.read, .notify], value: .asked),
        CharacteristicDefinition(
          id: "alarm", uuid: BluetoothUUID(0xFFF3), properties: [.indicate], value: .asked),
        CharacteristicDefinition(
          id: "long", uuid: BluetoothUUID(0xFFF4), properties: [.read, .write],
          value: .stored([UInt8](1...40)), maximumLength: 40,
          descriptors: [DescriptorDefinition(uuid: BluetoothUUID(0x2901), value: Array("long".utf8))]),
        guarded("authenticated", 0xFFF5, AccessRequirement(protection: .authenticated)),
        guarded("unauthorized", 0xFFF6, AccessRequirement(needsAuthorization: true)),
      ], handle: 0x0010)
  }()

  /// Open to all: SDUs of up to 100 octets in frames of up to 50, 4 credits.
  static let channel = PublishedChannel(
    psm: SPSM(rawValue: 0x80), parameters: ChannelParameters(mtu: 100, mps: 50, credits: .frames(4)))

  /// General discoverable, LE only.
  static let advertising = AdvertisingSetDefinition(id: "main", data: [2, 1, 6], secondaryPHY: .le1M)

  static func configuration(
    advertising: AdvertisingSetDefinition = advertising, connection: ConnectionPolicy = ConnectionPolicy()
  ) -> HostConfiguration {
    HostConfiguration(
      name: name, appearance: appearance, identity: .fixedStatic(address), advertising: [advertising],
      connection: connection, services: [service], channels: [channel])
  }
}

/// An application that returns the number of the read, or answers it later if a test requires that.
struct SpecimenApplication: AttributeApplication, ChannelApplication {
  var reads: UInt8 = 0
  /// The ticket for the next read, which the test answers.
  var ticket: AnswerTicket?

  mutating func read(_ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> ReadAnswer {
    if let ticket {
      self.ticket = nil
      return .later(ticket)
    }
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

typealias SpecimenAccessory = SimulatedAccessory<SpecimenApplication>

extension RadioSimulation {
  /// Adds the accessory, and waits until it is on the air.
  func addSpecimen(
    _ configuration: HostConfiguration = Specimen.configuration(), on controller: ControllerConfiguration = .underTest
  ) throws -> SpecimenAccessory {
    let accessory = try addAccessory(configuration, application: SpecimenApplication(), on: controller)
    try accessory.start()
    return accessory
  }
}

extension Sequence<HostEvent> {
  var faults: [ProtocolFault] {
    compactMap { if case .fault(let fault) = $0 { fault } else { nil } }
  }
}

extension HostEvent {
  /// Whether it tells of data, or of a client's access.
  var isOfData: Bool {
    switch self {
    case .sdu, .server, .frame: true
    default: false
    }
  }
}
