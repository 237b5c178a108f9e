import BLECore
import BLEGATT
import BLEL2CAP
import BLESDP
import PeripheralHost
import Simulation
import Testing

/// The groups SDP/SR/SS, SA, SSA and BRW: the Service Discovery Server (Core 5.4 Vol 3 Part B 4, 5). The accessory has, besides its own
/// records, one with every universal attribute.
@Suite("SDP/SR")
struct ServiceDiscoveryTests {
  private static let server: UInt16 = 0x1000
  private static let browseRoot: UInt16 = 0x1002

  // MARK: Service Search

  @Test("SDP/SR/SS/BV-01-C: services are found by UUIDs of every length", arguments: Discovery.Form.allCases)
  func search(_ form: Discovery.Form) throws {
    let discovery = try Discovery()
    #expect(try discovery.search(form.element(Self.server)).handles == [.server])
    #expect(try discovery.search(form.element(Discovery.fullClass)).handles.count == 1)
    #expect(try discovery.search(form.element(Discovery.unknownClass)).handles == [])
  }

  @Test("SDP/SR/SS/BV-03-C: handles that do not fit come in several responses", arguments: Discovery.Form.allCases)
  func searchContinued(_ form: Discovery.Form) throws {
    let discovery = try Discovery(mtu: 48)
    // More records than fit the MTU.
    for number in 0..<12 {
      let service = ServiceDefinition(
        id: "\(number)", uuid: BluetoothUUID(0xFF00 + UInt16(number)), characteristics: [])
      try discovery.scene.accessory.perform(.edit(.add(service)))
    }
    let (handles, responses) = try discovery.search(form.element(0x0100))
    #expect(responses > 1 && Set(handles).count == handles.count && handles.count > 12)
  }

  @Test("SDP/SR/SS/BI-01-C: a request whose length is wrong is refused")
  func searchSize() throws {
    let discovery = try Discovery()
    try discovery.refuses("02 0001 0009 35 03 19 1000 0001 00", .invalidPDUSize)
    try discovery.refuses("02 0002 0007 35 03 19 1000 0001 00", .invalidPDUSize)
  }

  @Test("SDP/SR/SS/BI-02-C: a request whose pattern is no list of UUIDs is refused")
  func searchSyntax() throws {
    let discovery = try Discovery()
    try discovery.refuses("02 0001 0008 35 03 09 1000 0001 00", .invalidRequestSyntax)
    try discovery.refuses("02 0002 0008 3d 03 19 1000 0001 00", .invalidRequestSyntax)
    try discovery.refuses("02 0003 0005 35 00 0001 00", .invalidRequestSyntax)
  }

  // MARK: Service Attribute

  /// Returns an attribute of the record with a class, which must be all that comes.
  private func attribute(_ id: AttributeID, of serviceClass: UInt16) throws -> DataElement? {
    let discovery = try Discovery()
    let handle = try #require(try discovery.search(.uuid16(serviceClass)).handles.first)
    let record = try discovery.attributes(AttributeSelection([id]), of: handle).record
    #expect(record.attributes.map(\.id) == [id])
    return record[id]
  }

  @Test("SDP/SR/SA/BV-01-C: the attributes of a record are returned, those that are asked for")
  func attributes() throws {
    let discovery = try Discovery()
    let handle = try #require(try discovery.search(.uuid16(Discovery.fullClass)).handles.first)
    var expected = Discovery.full
    expected.handle = handle
    #expect(try discovery.attributes(.all, of: handle).record == expected)
    let few = AttributeSelection([0x0001...0x0001, 0x0003...0x0005])
    #expect(
      try discovery.attributes(few, of: handle).record.attributes
        == expected.attributes.filter { few.contains($0.id) })
  }

  @Test(
    "SDP/SR/SA/BV-03-C: attributes that do not fit come in several responses", arguments: [7, 40, 0xFFFF] as [UInt16])
  func attributesContinued(limit: UInt16) throws {
    let discovery = try Discovery(mtu: 48)
    let handle = try #require(try discovery.search(.uuid16(Discovery.fullClass)).handles.first)
    let (record, responses) = try discovery.attributes(.all, of: handle, limit: limit)
    #expect(responses > 1)
    var expected = Discovery.full
    expected.handle = handle
    #expect(record == expected)
  }

  @Test(
    """
    SDP/SR/SA/BV-04-C, SDP/SR/SA/BV-05-C, SDP/SR/SA/BV-06-C, SDP/SR/SA/BV-07-C, SDP/SR/SA/BV-08-C, SDP/SR/SA/BV-09-C, \
    SDP/SR/SA/BV-10-C, SDP/SR/SA/BV-11-C, SDP/SR/SA/BV-12-C, SDP/SR/SA/BV-13-C, SDP/SR/SA/BV-14-C, SDP/SR/SA/BV-17-C, \
    SDP/SR/SA/BV-18-C, SDP/SR/SA/BV-19-C, SDP/SR/SA/BV-21-C: each universal attribute of a record
    """, arguments: universal)
  func universalAttribute(_ id: AttributeID) throws {
    #expect(try attribute(id, of: Discovery.fullClass) == Discovery.full[id])
  }

  private static let universal: [AttributeID] = [
    .serviceID, .protocolDescriptorList, .serviceRecordState, .serviceInfoTimeToLive, .browseGroupList,
    .languageBaseAttributeIDList, .serviceAvailability, .iconURL, .name(.serviceName), .name(.serviceDescription),
    .name(.providerName), .bluetoothProfileDescriptorList, .documentationURL, .clientExecutableURL,
    .additionalProtocolDescriptorLists,
  ]

  @Test("SDP/SR/SA/BV-15-C, SDP/SR/SA/BV-16-C: the server's own record has its version and the state of the records")
  func serverAttributes() throws {
    #expect(try attribute(.versionNumberList, of: Self.server) == .sequence([.unsigned16(0x0100)]))
    let state = try #require(try attribute(.serviceDatabaseState, of: Self.server))
    #expect(state.type == .unsigned && state.unsigned != nil)
  }

  @Test("SDP/SR/SA/BV-20-C: an attribute that a record does not have is left out")
  func unknownAttribute() throws {
    let discovery = try Discovery()
    #expect(
      try discovery.attributes(AttributeSelection([Discovery.unknownAttribute]), of: .server).record.attributes == [])
  }

  @Test("SDP/SR/SA/BI-01-C: a record that does not exist is refused")
  func unknownRecord() throws {
    try Discovery().refuses("04 0001 000c 7a7a7a7a 0020 35 03 09 0001 00", .invalidServiceRecordHandle)
  }

  @Test("SDP/SR/SA/BI-02-C: a request whose ids are no list of ids is refused")
  func attributeSyntax() throws {
    let discovery = try Discovery()
    try discovery.refuses("04 0001 000c 00000000 0020 35 03 19 0001 00", .invalidRequestSyntax)
    try discovery.refuses("04 0002 000a 00000000 0020 09 0001 00", .invalidRequestSyntax)
    // Fewer octets than a response has to have room for.
    try discovery.refuses("04 0003 000c 00000000 0006 35 03 09 0001 00", .invalidRequestSyntax)
  }

  @Test("SDP/SR/SA/BI-03-C: a request whose length is wrong is refused")
  func attributeSize() throws {
    let discovery = try Discovery()
    try discovery.refuses("04 0001 000d 00000000 0020 35 03 09 0001 00", .invalidPDUSize)
    try discovery.refuses("04 0002 000b 00000000 0020 35 03 09 0001 00", .invalidPDUSize)
  }

  // MARK: Service Search Attribute

  @Test(
    """
    SDP/SR/SSA/BV-01-C, SDP/SR/SSA/BV-02-C, SDP/SR/SSA/BV-03-C: without a service or an attribute the answer is an empty list, \
    without lists in it
    """, arguments: Discovery.Form.allCases)
  func nothing(_ form: Discovery.Form) throws {
    let discovery = try Discovery()
    let cases: [(UInt16, AttributeID)] = [
      (Discovery.unknownClass, .serviceClassIDList), (Discovery.fullClass, Discovery.unknownAttribute),
      (Discovery.unknownClass, Discovery.unknownAttribute),
    ]
    for (uuid, id) in cases {
      let request = ServiceSearchAttributeRequest(
        pattern: .sequence([form.element(uuid)]), maximumOctets: 100, attributes: AttributeSelection([id]).element)
      let response = try discovery.ask(request, for: ServiceSearchAttributeResponse.self)
      #expect(response.part == [0x35, 0] && response.continuation == [])
    }
  }

  @Test("SDP/SR/SSA/BV-04-C: the attributes of the services that are found", arguments: Discovery.Form.allCases)
  func searchAttributes(_ form: Discovery.Form) throws {
    let discovery = try Discovery()
    let records = try discovery.searchAttributes([form.element(0x0100)], AttributeSelection([.serviceClassIDList]))
      .records
    let classes = records.map { $0.attributes.map(\.id) }
    // The server, the full record, GAP, GATT, and the specimen.
    #expect(classes == Array(repeating: [.serviceClassIDList], count: 5))
    let ids = Set(records.flatMap(\.serviceClasses))
    #expect(ids.isSuperset(of: [0x1000, Discovery.fullClass, 0x1800, 0x1801, 0xFFF0].map { BluetoothUUID($0) }))
  }

  @Test(
    "SDP/SR/SSA/BV-06-C, SDP/SR/SSA/BV-07-C: attributes that do not fit come in several responses",
    arguments: [7, 40, 0xFFFF] as [UInt16])
  func searchAttributesContinued(limit: UInt16) throws {
    let discovery = try Discovery(mtu: 48)
    let (records, responses) = try discovery.searchAttributes([.uuid16(0x0100)], .all, limit: limit)
    #expect(responses > 1 && records.count == 5)
    let full = try #require(records.first { $0.serviceClasses == [BluetoothUUID(Discovery.fullClass)] })
    #expect(full[.serviceRecordState] == .unsigned32(7))
    let state = try discovery.searchAttributes(
      [.uuid16(Discovery.fullClass)], AttributeSelection([.serviceRecordState]), limit: 7)
    #expect(state.records.map(\.attributes) == [[ServiceAttribute(.serviceRecordState, .unsigned32(7))]])
    #expect(state.responses > 1)
  }

  @Test(
    """
    SDP/SR/SSA/BV-09-C, SDP/SR/SSA/BV-10-C, SDP/SR/SSA/BV-11-C, SDP/SR/SSA/BV-12-C, SDP/SR/SSA/BV-13-C, SDP/SR/SSA/BV-14-C, \
    SDP/SR/SSA/BV-15-C, SDP/SR/SSA/BV-16-C, SDP/SR/SSA/BV-17-C, SDP/SR/SSA/BV-18-C, SDP/SR/SSA/BV-20-C, SDP/SR/SSA/BV-21-C, \
    SDP/SR/SSA/BV-22-C, SDP/SR/SSA/BV-23-C: each universal attribute of the services that are found
    """, arguments: Discovery.Form.allCases)
  func searchUniversalAttribute(_ form: Discovery.Form) throws {
    let discovery = try Discovery()
    for id in Self.universal {
      let records = try discovery.searchAttributes([form.element(Discovery.fullClass)], AttributeSelection([id]))
        .records
      #expect(records.map(\.attributes) == [[ServiceAttribute(id, try #require(Discovery.full[id]))]])
    }
  }

  @Test(
    "SDP/SR/SSA/BV-08-C, SDP/SR/SSA/BV-19-C: the state of the records and the version",
    arguments: Discovery.Form.allCases)
  func searchServerAttributes(_ form: Discovery.Form) throws {
    let discovery = try Discovery()
    for id in [AttributeID.serviceDatabaseState, .versionNumberList] {
      let records = try discovery.searchAttributes([form.element(Self.server)], AttributeSelection([id])).records
      #expect(records.map { $0.attributes.map(\.id) } == [[id]])
    }
  }

  @Test("SDP/SR/SSA/BI-01-C: a request whose pattern or ids are no such list is refused")
  func searchAttributeSyntax() throws {
    let discovery = try Discovery()
    try discovery.refuses("06 0001 000d 35 03 09 1000 0020 35 03 09 0001 00", .invalidRequestSyntax)
    try discovery.refuses("06 0002 000d 35 03 19 1000 0020 35 03 19 0001 00", .invalidRequestSyntax)
  }

  @Test("SDP/SR/SSA/BI-02-C: a request whose length is wrong is refused")
  func searchAttributeSize() throws {
    let discovery = try Discovery()
    try discovery.refuses("06 0001 000e 35 03 19 1000 0020 35 03 09 0001 00", .invalidPDUSize)
    try discovery.refuses("06 0002 000c 35 03 19 1000 0020 35 03 09 0001 00", .invalidPDUSize)
  }

  // MARK: Browsing

  @Test("SDP/SR/BRW/BV-01-C: the services of the public browse root, found and read one by one")
  func browse() throws {
    let discovery = try Discovery()
    let handles = try discovery.search(.uuid16(Self.browseRoot)).handles
    let classes = try handles.flatMap {
      try discovery.attributes(AttributeSelection([.serviceClassIDList]), of: $0).record.serviceClasses
    }
    #expect(Set(classes) == Set([Discovery.fullClass, 0x1800, 0x1801, 0xFFF0].map { BluetoothUUID($0) }))
    // There are no groups besides the root.
    #expect(try discovery.search(.uuid16(0x1001)).handles == [])
    for handle in handles { #expect(try discovery.attributes(.all, of: handle).record.handle == handle) }
  }

  @Test("SDP/SR/BRW/BV-02-C: the services of the public browse root, with their classes")
  func browseAttributes() throws {
    let discovery = try Discovery()
    let records = try discovery.searchAttributes(
      [.uuid16(Self.browseRoot)], AttributeSelection([.serviceClassIDList])
    ).records
    #expect(
      Set(records.flatMap(\.serviceClasses))
        == Set([Discovery.fullClass, 0x1800, 0x1801, 0xFFF0].map { BluetoothUUID($0) }))
    #expect(try discovery.searchAttributes([.uuid16(0x1001)], AttributeSelection([.groupID])).records == [])
  }
}
