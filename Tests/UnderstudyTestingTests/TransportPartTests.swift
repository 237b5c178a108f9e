import AccessoryProfile
import BLECore
import BLEGAP
import BLESDP
import Testing
import UnderstudyTesting

/// A rule that changes whether the accessory is found over BR/EDR.
@Suite("Modes of BR/EDR")
struct ModeTests {
  @Test("A button makes the accessory discoverable and connectable")
  func button() throws {
    let air = TestAir(seed: 6)
    let accessory = try air.accessory(
      try Profile.load(
        text: """
          understudy: 1
          name: Button
          transports: [le, br-edr]
          classic: { discoverable: no, connectable: false }
          rules: [{ when: { button: pair }, do: { discoverable: 1 min, connectable: true } }]
          """))
    let central = try air.dualCentral()
    #expect(try central.inquire().isEmpty)
    try accessory.press("pair")
    #expect(try central.inquire().count == 1)
    try central.connect(overClassicTo: accessory)
    air.advance(by: .seconds(60))
    #expect(try central.inquire().isEmpty)
  }
}

/// An accessory whose services and channels differ between the transports.
@Suite("Services and channels of one transport")
struct TransportPartTests {
  private static let profile = """
    understudy: 1
    name: Parts
    transports: [le, br-edr]
    security: { pairing: just-works }
    services:
      - { include: battery, transports: [br-edr] }
      - uuid: FFF0
        id: le
        transports: [le]
        characteristics: [{ id: le-value, uuid: FFF1, properties: [read], format: u8, value: 1 }]
      - uuid: FFF2
        id: both
        characteristics: [{ id: value, uuid: FFF3, properties: [read], format: u8, value: 2 }]
    l2cap:
      - { id: le-only, psm: 0x81, handler: echo, transports: [le] }
      - { id: classic-only, psm: 0x82, handler: echo, transports: [br-edr] }
    """
  private static let (battery, le, both) = (BluetoothUUID(0x180F), BluetoothUUID(0xFFF0), BluetoothUUID(0xFFF2))

  private let air = TestAir(seed: 5)
  private let accessory: TestAccessory
  private let central: TestCentral

  init() throws {
    accessory = try air.accessory(try Profile.load(text: Self.profile))
    central = try air.dualCentral()
  }

  private func ownServices() throws -> [BluetoothUUID] {
    try central.discover().services.map(\.uuid).filter { ![0x1800, 0x1801].contains($0.short) }
  }

  @Test("Over LE, a central finds and opens what LE has")
  func overLE() throws {
    try central.connect(to: accessory)
    #expect(try ownServices() == [Self.le, Self.both])
    try central.open("le-only")
    #expect(throws: (any Error).self) { try central.open("classic-only") }
  }

  @Test("Over BR/EDR, a central finds and opens what BR/EDR has")
  func overClassic() throws {
    #expect(try central.inquire().first?.data.services == [Self.battery, Self.both])
    try central.connect(overClassicTo: accessory)
    let records = try central.serviceRecords().compactMap(\.serviceClasses.first)
    #expect(records.contains(Self.battery) && records.contains(Self.both) && !records.contains(Self.le))
    try central.openAttributeChannel()
    #expect(try ownServices() == [Self.battery, Self.both])
    try central.open("classic-only")
    #expect(throws: (any Error).self) { try central.open("le-only") }
  }
}
