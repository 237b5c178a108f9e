import BLECore
import BLESDP
import Testing

@Suite("Service records")
struct ServiceRecordTests {
  @Test("Attributes are in ascending order, and a null value is none")
  func order() {
    var record = ServiceRecord([
      .init(.iconURL, .null), .init(.serviceID, .uuid16(1)), .init(.serviceClassIDList, .null),
    ])
    record[.protocolDescriptorList] = .sequence([])
    record[.serviceRecordHandle] = .unsigned32(7)
    record[.serviceID] = .uuid16(2)
    #expect(record.attributes.map(\.id) == [.serviceRecordHandle, .serviceID, .protocolDescriptorList])
    #expect(record[.serviceID] == .uuid16(2))
    record[.serviceID] = .null
    #expect(record[.serviceID] == nil && record.attributes.count == 2)
    #expect(ServiceRecord(attributeList: record.attributeList()) == record)
  }

  @Test("A UUID is found at any depth and in any form")
  func contains() {
    let record = ServiceRecord([
      .init(.protocolDescriptorList, .alternative([.sequence([.sequence([.uuid32(0x0100), .unsigned16(0x0003)])])]))
    ])
    #expect(record.contains(.l2cap))
    #expect(!record.contains(.rfcomm))
    let full = ServiceRecord([.init(.serviceID, .uuid128(BluetoothUUID(0x1101)))])
    #expect(SearchPattern([BluetoothUUID(0x1101)]).matches(full))
    #expect(!SearchPattern([BluetoothUUID(0x1101), .l2cap]).matches(full))
  }

  @Test("The record of a GATT service (Core 5.4 Vol 3 Part G 9)")
  func gatt() {
    let record = ServiceRecord.gatt(BluetoothUUID(0x180D), handles: 0x0010...0x0015)
    #expect(record.attributes.map(\.id) == [.serviceClassIDList, .protocolDescriptorList, .browseGroupList])
    #expect(
      record.attributeList().encoded.hexadecimal
        == "3528" + "090001" + "3503" + "19180d" + "090004" + "3513" + "3506" + "190100" + "09001f"
        + "3509" + "190007" + "090010" + "090015" + "090005" + "3503" + "191002")
    #expect(record.attributeHandles == 0x0010...0x0015)
    let enhanced = ServiceRecord.gatt(BluetoothUUID(0x180D), handles: 1...9, hasEnhancedBearers: true)
    #expect(
      enhanced[.additionalProtocolDescriptorLists]?.description
        == "[[[L2CAP (0x0100), 0x0027], [ATT (0x0007), 0x0001, 0x0009]]]")
    #expect(enhanced.additionalProtocols.first?.first?.number == 0x0027)
    #expect(ServiceRecord().attributeHandles == nil)
  }

  @Test("The record of a device's identification")
  func identification() {
    let identification = DeviceIdentification(
      source: .bluetoothSIG, vendor: 0xFFFF, product: 1, version: 0x0123, isPrimary: true)
    let record = ServiceRecord.deviceIdentification(identification)
    #expect(record.deviceIdentification == identification)
    #expect(record.serviceClasses == [.pnpInformation])
    #expect(record.attributes.suffix(6).map(\.id.rawValue) == [0x0200, 0x0201, 0x0202, 0x0203, 0x0204, 0x0205])
    #expect(record[.specificationID] == .unsigned16(0x0103))
    #expect(AttributeID.vendorIDSource.name(in: record.serviceClasses) == "VendorIDSource")
    #expect(AttributeID.vendorIDSource.name(in: [.serviceDiscoveryServer]) == nil)
    #expect(AttributeID.serviceDatabaseState.name(in: [.serviceDiscoveryServer]) == "ServiceDatabaseState")
  }

  @Test("Names, languages, profiles and alternative protocols")
  func universal() {
    var record = ServiceRecord()
    record.languages = [.english, LanguageBase(language: 0x6465, encoding: 106, base: AttributeID(rawValue: 0x0110))]
    record.setName(.serviceName, "Clock")
    record.setName(.serviceName, "Uhr", base: AttributeID(rawValue: 0x0110))
    record.profiles = [ProfileDescriptor(BluetoothUUID(0x1108), version: 0x0102)]
    record[.protocolDescriptorList] = .alternative([
      .sequence([.sequence([.uuid16(0x0100), .unsigned16(0x1001)])]), .sequence([.sequence([.uuid16(0x0100)])]),
    ])
    #expect(record.languages.map(\.base.rawValue) == [0x0100, 0x0110])
    #expect(record.name(.serviceName) == "Clock")
    #expect(record.languages.last.flatMap { record.name(.serviceName, base: $0.base) } == "Uhr")
    #expect(record.name(.providerName) == nil)
    #expect(record.profiles == [ProfileDescriptor(BluetoothUUID(0x1108), version: 0x0102)])
    #expect(record.protocols == [.l2cap(psm: 0x1001)])
    #expect(ServiceRecord().languages.isEmpty && ServiceRecord().protocols.isEmpty)
    record[.languageBaseAttributeIDList] = .sequence([.unsigned16(1), .unsigned16(2)])
    #expect(record.languages.isEmpty)
  }

  @Test("A database gives handles in ascending order, never twice, and its state changes")
  func database() throws {
    var database = ServiceDatabase()
    var states = [database.state]
    let first = database.add(.gatt(BluetoothUUID(0x1800), handles: 1...5))
    states.append(database.state)
    let second = database.add(.gatt(BluetoothUUID(0x1801), handles: 6...9))
    #expect(first.rawValue == 0x0001_0000 && second > first)
    #expect(database.remove(first) && !database.remove(first) && !database.remove(.server))
    states.append(database.state)
    let third = database.add(.gatt(BluetoothUUID(0x180F), handles: 10...12))
    #expect(third > second)
    let isReplaced = database.replace(third, with: .gatt(BluetoothUUID(0x180F), handles: 20...22))
    let isServerReplaced = database.replace(.server, with: ServiceRecord())
    #expect(isReplaced && !isServerReplaced)
    #expect(database.record(third)?.attributeHandles == 20...22)
    #expect(database.record(third)?.handle == third)
    #expect(database.record(.server)?[.serviceDatabaseState] == .unsigned32(database.state))
    #expect(database.records.compactMap(\.handle) == [.server, second, third])
    #expect(Set(states).count == states.count)
    database.removeAll()
    #expect(database.records.count == 1)
  }
}
