import BLECore
import BLEGAP
import BLEGATT
import BLEL2CAP
import BLELink
import PeripheralHost

/// An accessory with every kind of attribute and of published channel.
enum FuzzAccessory {
  static let configuration = HostConfiguration(
    name: "Fuzz", identity: .fixedStatic(.randomStatic(from: 0xF022)),
    advertising: [
      AdvertisingSetDefinition(
        id: "main", data: [2, 1, 6],
        schedule: [.init(interval: .milliseconds(20), duration: .seconds(5)), .init(interval: .milliseconds(150))])
    ],
    connection: ConnectionPolicy(
      parameterRequest: .init(
        intervals: .milliseconds(15)...(.milliseconds(30)), timeout: .seconds(4), delay: .seconds(5)),
      maximumConnections: 3),
    services: services,
    gatt: GATTPolicy(serviceChanged: .present, canBond: true, hasRobustCaching: true), channels: channels)

  static let channels = [
    PublishedChannel(
      psm: SPSM(rawValue: 0x0080), parameters: ChannelParameters(mtu: 100, mps: 50, credits: .frames(10))),
    PublishedChannel(
      psm: SPSM(rawValue: 0x0081), parameters: ChannelParameters(mtu: 517, mps: 247),
      requirement: .init(needsAuthorization: true), authorization: .asked, maximumChannels: 3),
    PublishedChannel(
      psm: SPSM(rawValue: 0x0082),
      parameters: ChannelParameters(mtu: 65_535, mps: 65_533, credits: .frames(3), queueLimit: 2000)),
    PublishedChannel(
      psm: SPSM(rawValue: 0x0083), parameters: ChannelParameters(mtu: 64, mps: 64),
      requirement: .init(protection: .encrypted)),
  ]

  private static let long = BluetoothUUID("0000A001-1234-5678-9ABC-DEF012345678") ?? BluetoothUUID(0xA001)

  static let services = [open, guarded, secondary, including]

  private static let open = ServiceDefinition(
    id: "open", uuid: BluetoothUUID(0xFFF0),
    characteristics: [
      CharacteristicDefinition(
        id: "text", uuid: BluetoothUUID(0xFFF1), properties: [.read, .write, .writeWithoutResponse],
        value: .stored(Array("text".utf8)),
        descriptors: [
          .userDescription("Text", maximumLength: 30), .presentationFormat(.init(format: 0x19)),
          DescriptorDefinition(uuid: BluetoothUUID(0xFFE0), permissions: .readableAndWritable, value: [1, 2]),
        ], extendedProperties: [.reliableWrite, .writableAuxiliaries]),
      CharacteristicDefinition(
        id: "measurement", uuid: BluetoothUUID(0xFFF2), properties: [.read, .write, .notify, .indicate], value: .asked),
      CharacteristicDefinition(
        id: "alarm", uuid: BluetoothUUID(0xFFF3), properties: [.indicate, .read], value: .stored([1]),
        maximumLength: 20),
      CharacteristicDefinition(
        id: "stream", uuid: BluetoothUUID(0xFFF4), properties: [.notify], value: .asked, notifiesContinuously: true),
      CharacteristicDefinition(
        id: "beacon", uuid: BluetoothUUID(0xFFF5), properties: [.broadcast, .read, .write],
        value: .stored([1, 2, 3, 4]),
        maximumLength: 4, hasFixedLength: true),
    ])

  private static let guarded = ServiceDefinition(
    id: "guarded", uuid: long,
    characteristics: [
      CharacteristicDefinition(
        id: "encrypted", uuid: long, properties: [.read, .write],
        permissions: .init(
          read: .init(protection: .encrypted, minimumKeySize: 16), write: .init(protection: .authenticated)),
        value: .stored([1])),
      CharacteristicDefinition(
        id: "authorized", uuid: BluetoothUUID(0xFFF6), properties: [.read, .write, .writeWithoutResponse],
        permissions: .init(read: .init(needsAuthorization: true), write: .init(needsAuthorization: true)),
        value: .asked),
      CharacteristicDefinition(
        id: "blind", uuid: BluetoothUUID(0xFFF7), properties: .write, value: .stored([]), maximumLength: 22,
        descriptors: [.aggregateFormat(of: ["text"])]),
    ], handle: 0x0100)

  private static let secondary = ServiceDefinition(
    id: "secondary", uuid: BluetoothUUID(0xFFE0), isPrimary: false,
    characteristics: [
      CharacteristicDefinition(
        id: "empty", uuid: BluetoothUUID(0xFFF8), properties: [.read, .notify], value: .stored([]))
    ])

  private static let including = ServiceDefinition(
    id: "including", uuid: BluetoothUUID(0xFFE1), includes: ["secondary", "open"])

  /// Returns a service that comes, goes and changes while clients are connected.
  static func guest(_ variant: UInt8) -> ServiceDefinition {
    ServiceDefinition(
      id: "guest", uuid: variant & 1 == 0 ? BluetoothUUID(0xFFD0) : long,
      characteristics: (0..<variant >> 1 & 3).map { number in
        CharacteristicDefinition(
          id: "guest\(number)", uuid: BluetoothUUID(0xFFD1), properties: [.read, .write, .notify, .indicate],
          value: number == 0 ? .asked : .stored([number]))
      })
  }

  /// Returns a change of the services.
  static func edit(_ choice: UInt8) -> ServiceEdit {
    switch choice & 3 {
    case 0: .add(guest(choice >> 2))
    case 1: .remove(choice & 4 == 0 ? "guest" : "including")
    case 2: .replace("guest", with: guest(choice >> 2))
    default: .replace("including", with: guest(choice >> 2))
    }
  }
}
