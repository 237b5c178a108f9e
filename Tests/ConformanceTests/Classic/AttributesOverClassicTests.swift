import BLECore
import BLEGATT
import BLEL2CAP
import BLELink
import BLESDP
import PeripheralHost
import Simulation
import Testing

/// The group GATT/SR over BR/EDR: services in service records, and the Attribute Protocol on its own channel (Core 5.4 Vol 3 Part G 5.4, 9).
@Suite("GATT/SR over BR/EDR")
struct AttributesOverClassicTests {
  private static let selection = AttributeSelection([
    .serviceClassIDList, .protocolDescriptorList, .additionalProtocolDescriptorLists,
  ])

  @Test("GATT/SR/GAD/BV-07-C: every primary service has a record with its handles", arguments: [672, 48] as [UInt16])
  func services(mtu: UInt16) throws {
    let discovery = try Discovery(mtu: mtu)
    let records = try discovery.searchAttributes([.uuid16(0x0007)], Self.selection).records
    let database = discovery.scene.accessory.stack.server.database
    for service in database.services where service.isPrimary {
      let record = try #require(records.first { $0.serviceClasses == [service.uuid] })
      #expect(record.attributeHandles == service.handles)
      #expect(record.protocols.first == .l2cap(psm: 0x001F))
    }
    #expect(records.count == database.services.count { $0.isPrimary })
  }

  @Test(
    "GATT/SR/GAD/BV-08-C: a service's record is found by its UUID", arguments: [0x1800, 0x1801, 0xFFF0] as [UInt16])
  func service(_ uuid: UInt16) throws {
    let discovery = try Discovery()
    for form in Discovery.Form.allCases {
      let records = try discovery.searchAttributes([form.element(0x0007), form.element(uuid)], Self.selection).records
      #expect(records.map(\.serviceClasses) == [[BluetoothUUID(uuid)]])
      #expect(records.first?.protocols.first == .l2cap(psm: 0x001F))
    }
  }

  /// Pairs, opens the channel of the Attribute Protocol, and exchanges PDUs over it.
  private func exchange(mtu: UInt16 = 60, _ transcript: [(request: String, answer: String)]) throws {
    let scene = try ClassicScene.connected()
    try scene.central.secure()
    let channel = try scene.open(.attributeProtocol, mtu: mtu)
    for (request, answer) in transcript {
      try scene.central.send(request, on: channel)
      let expected = try #require([UInt8](hexadecimal: answer)).hexadecimal
      #expect(scene.central.next(on: ChannelID(rawValue: 0x70)) == expected, "\(request)")
    }
  }

  @Test("GATT/SR/GAC/BV-01-C: over BR/EDR the MTU is that of the channel, and no request changes it")
  func mtu() throws {
    try exchange(mtu: 48, [("02 0002", "01 02 0000 06"), ("0c 1a00 0000", "0d" + [UInt8](1...40).hexadecimal)])
  }

  @Test(
    """
    GATT/SR/GAD/BV-01-C, GATT/SR/GAD/BV-02-C, GATT/SR/GAD/BV-04-C, GATT/SR/GAD/BV-05-C, GATT/SR/GAD/BV-06-C: discovery over \
    BR/EDR
    """)
  func discovers() throws {
    try exchange([
      ("10 1000 ffff 0028", "11 06 1000 1f00 f0ff"), ("10 2000 ffff 0028", "01 10 2000 0a"),
      ("06 0100 ffff 0028 f0ff", "07 1000 1f00"), ("08 1100 1300 0328", "09 07 1100 0e 1200 f1ff 1300 12 1400 f2ff"),
      ("04 1b00 1b00", "05 01 1b00 0129"), ("04 1500 1500", "05 01 1500 0229"),
    ])
  }

  @Test(
    """
    GATT/SR/GAR/BV-01-C, GATT/SR/GAR/BV-03-C, GATT/SR/GAR/BV-04-C, GATT/SR/GAR/BV-05-C, GATT/SR/GAR/BI-02-C, \
    GATT/SR/GAR/BI-06-C: reads over BR/EDR
    """)
  func reads() throws {
    try exchange([
      ("0a 1200", "0b 74657874"), ("08 0100 ffff f1ff", "09 06 1200 74657874"),
      ("0c 1a00 2600", "0d 2728"), ("0e 1200 1200", "0f 74657874 74657874"), ("0a ff7f", "01 0a ff7f 01"),
      ("08 1600 1700 f3ff", "01 08 1700 02"),
    ])
  }

  @Test("GATT/SR/GAW/BV-03-C, GATT/SR/GAW/BV-05-C, GATT/SR/GAW/BI-02-C: writes over BR/EDR")
  func writes() throws {
    try exchange([
      ("12 1200 6162", "13"), ("0a 1200", "0b 6162"),
      ("16 1a00 0000 aabb", "17 1a00 0000 aabb"), ("18 01", "19"), ("0c 1a00 0000", "0d aabb"),
      ("12 ff7f 00", "01 12 ff7f 01"),
    ])
  }

  @Test("GATT/SR/GAN/BV-01-C, GATT/SR/GAI/BV-01-C: notifications and indications over BR/EDR")
  func pushes() throws {
    let scene = try ClassicScene.connected()
    try scene.central.secure()
    let channel = try scene.open(.attributeProtocol)
    let end = ChannelID(rawValue: 0x70)
    for (configuration, value) in [("1500", "0100"), ("1800", "0200")] {
      try scene.central.send("12" + configuration + value, on: channel)
      #expect(scene.central.next(on: end) == "13")
    }
    try scene.accessory.perform(.notify(Specimen.measurement))
    #expect(scene.central.next(on: end)?.hasPrefix("1b1400") == true)
    try scene.accessory.perform(.indicate(Specimen.alarm))
    #expect(scene.central.next(on: end)?.hasPrefix("1d1700") == true)
    try scene.central.send("1e", on: channel)
    try scene.accessory.perform(.indicate(Specimen.alarm))
    #expect(scene.central.next(on: end)?.hasPrefix("1d1700") == true)
  }
}
