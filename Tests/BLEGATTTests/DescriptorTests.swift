import BLEATT
import BLECore
import BLEGATT
import Testing

/// Characteristic descriptors (Core 5.4 Vol 3 Part G 3.3.3).
@Suite("Descriptors")
struct DescriptorTests {
  private func database(
    _ properties: CharacteristicProperties, _ descriptors: [DescriptorDefinition], extended: ExtendedProperties = []
  ) throws -> AttributeDatabase {
    try AttributeDatabase(
      host: [],
      application: [
        .init(
          id: "a", uuid: .init(0xFFF0),
          characteristics: [
            CharacteristicDefinition(
              id: "value", uuid: .init(0xFFF1), properties: properties, value: .stored([1]), descriptors: descriptors,
              extendedProperties: extended)
          ])
      ])
  }

  @Test("Automatic descriptors come first, in the order client, server, extended")
  func order() throws {
    let database = try database(
      [.notify, .broadcast, .extendedProperties], [.userDescription("Speed"), .validRange([0], [9])])
    #expect(
      database.attributes[3...].map(\.type.description) == ["2902", "2903", "2900", "2901", "2906"])
    let record = database[CharacteristicIndex(0)]
    #expect(record.configuration == 4)
    #expect(record.serverConfiguration == 5)
  }

  @Test("Extended properties set the property, and a writable description its bit")
  func extendedProperties() throws {
    let reliable = try database([.write], [], extended: .reliableWrite)
    #expect(reliable[CharacteristicIndex(0)].definition.properties == [.write, .extendedProperties])
    #expect(reliable.attributes[3].value == [0x01, 0x00])
    let writable = try database([.write, .extendedProperties], [.userDescription("x", maximumLength: 20)])
    #expect(writable.attributes[3].value == [0x02, 0x00])
    let own = try database(
      [.write, .extendedProperties], [DescriptorDefinition(uuid: .extendedProperties, value: [3, 0])])
    #expect(own.attributes[3...].map(\.value) == [[3, 0]])
  }

  @Test("A writable description can be written, and others cannot")
  func userDescription() throws {
    var chart = try SequenceChart(application: [
      .init(
        id: "a", uuid: .init(0xFFF0),
        characteristics: [
          .stored(
            .init(0xFFF1), [.read, .extendedProperties], [1], descriptors: [.userDescription("A", maximumLength: 3)]),
          .stored(.init(0xFFF2), [.read], [1], descriptors: [.userDescription("B")]),
        ])
    ])
    try chart.exchange("0a 0400", "0b 0200")
    try chart.exchange("12 0500 585858", "13")
    try chart.exchange("0a 0500", "0b 585858")
    try chart.exchange("12 0500 58585858", "01 12 0500 0d")
    try chart.exchange("12 0800 58", "01 12 0800 03")
  }

  @Test("The values of formats, ranges and references")
  func values() throws {
    let format = CharacteristicPresentationFormat(
      format: 0x0E, exponent: -2, unit: 0x272F, namespace: 1, description: 0x0106)
    let database = try database(
      [.read],
      [
        .presentationFormat(format), .validRange([1, 2], [3, 4]), .reportReference(id: 5, type: 1),
        .externalReportReference(.init(0x2A19)), DescriptorDefinition(uuid: .long(9), value: [7]),
      ])
    #expect(database.attributes[3...].map(\.type.description).dropLast() == ["2904", "2906", "2908", "2907"])
    #expect(
      database.attributes[3...].map(\.value.hexadecimal) == ["0efe2f27010601", "01020304", "0501", "192a", "07"])
  }

  @Test("An aggregate format lists the handles of formats, including those of other services")
  func aggregateFormat() throws {
    let format = DescriptorDefinition.presentationFormat(.init(format: 4))
    func characteristic(_ id: String, _ descriptors: [DescriptorDefinition]) -> CharacteristicDefinition {
      .init(id: id, uuid: .init(0xFFF1), properties: .read, value: .asked, descriptors: descriptors)
    }
    let services: [ServiceDefinition] = [
      .init(
        id: "a", uuid: .init(0xFFF0),
        characteristics: [
          characteristic("sum", [format, format, .aggregateFormat(of: ["far", "sum"])]), characteristic("none", []),
        ]),
      .init(id: "b", uuid: .init(0xFFF0), characteristics: [characteristic("far", [format])]),
    ]
    let database = try AttributeDatabase(host: [], application: services)
    // sum: 2-3, its formats 4 and 5, the aggregate 6; none: 7-8; far: 10-11, its format 12.
    #expect(database.attributes[5].value.hexadecimal == "0c00" + "0400" + "0500")
    for name in ["none", "nobody"] {
      var wrong = services
      wrong[1].characteristics[0].descriptors = [format, .aggregateFormat(of: [name])]
      #expect(throws: AttributeDatabase.DefinitionError.unknownFormat(characteristic: "far", format: name)) {
        try AttributeDatabase(host: [], application: wrong)
      }
    }
  }

  @Test("A server configuration is shared by all clients, and has one bit")
  func serverConfiguration() throws {
    var chart = try SequenceChart(application: [
      .init(id: "a", uuid: .init(0xFFF0), characteristics: [.stored(.init(0xFFF1), [.read, .broadcast], [1])])
    ])
    try chart.exchange("0a 0400", "0b 0000")
    try chart.exchange("12 0400 0100", "13")
    #expect(chart.effects.events == [.broadcastChanged(CharacteristicIndex(0), isOn: true)])
    try chart.exchange("12 0400 0100", "13")
    #expect(chart.effects.events.isEmpty)
    chart.session = GATTSession(client: 2)
    chart.bearer = ServerBearer()
    try chart.exchange("0a 0400", "0b 0100")
    try chart.exchange("12 0400 0200", "01 12 0400 13")
    try chart.exchange("12 0400 0001", "01 12 0400 13")
    try chart.exchange("12 0400 01", "01 12 0400 0d")
    try chart.exchange("12 0400 0000", "13")
    #expect(chart.effects.events == [.broadcastChanged(CharacteristicIndex(0), isOn: false)])
  }

  @Test("Configurations have their own permissions")
  func configurationPermissions() throws {
    let characteristic = CharacteristicDefinition(
      id: "a", uuid: .init(0xFFF1), properties: [.read, .notify], value: .stored([1]),
      configurationPermissions: .init(read: .open, write: .init(protection: .authenticated)))
    var chart = try SequenceChart(application: [
      .init(id: "a", uuid: .init(0xFFF0), characteristics: [characteristic])
    ])
    try chart.exchange("0a 0300", "0b 01")
    try chart.exchange("0a 0400", "0b 0000")
    try chart.exchange("12 0400 0100", "01 12 0400 05")
    chart.session.security = LinkSecurity(protection: .authenticated, keySize: 16)
    try chart.exchange("12 0400 0100", "13")
  }
}
