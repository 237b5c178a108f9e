import BLEATT
import BLECore
import BLEGATT
import Testing

@Suite("Fixed handles")
struct FixedHandleTests {
  private func service(
    _ id: String, handle: UInt16? = nil, _ characteristics: [CharacteristicDefinition] = []
  ) -> ServiceDefinition {
    ServiceDefinition(id: id, uuid: .init(0xFFF0), characteristics: characteristics, handle: handle)
  }

  private func value(
    _ id: String, handle: UInt16? = nil, _ descriptors: [DescriptorDefinition] = [],
    properties: CharacteristicProperties = .read
  ) -> CharacteristicDefinition {
    CharacteristicDefinition(
      id: id, uuid: .init(0xFFF1), properties: properties, value: .stored([1]), descriptors: descriptors,
      handle: handle)
  }

  private func build(_ services: [ServiceDefinition]) throws -> AttributeDatabase {
    try AttributeDatabase(host: [], application: services)
  }

  @Test("A service begins at its fixed handle, and the others are placed around it")
  func services() throws {
    let database = try build([
      service("big", [value("a"), value("b")]), service("fixed", handle: 4, [value("c")]), service("small"),
      service("last", handle: 0x0042),
    ])
    #expect(database.services.map(\.id) == ["fixed", "big", "small", "last"])
    #expect(database.services.map(\.handles) == [4...6, 7...11, 12...12, 0x42...0x42])
    #expect(database.position(of: 1) == nil)
    #expect(database.position(of: 0x41) == nil)
    #expect(database.position(of: 0x42) == 9)
    #expect(database.position(of: 0x43) == nil)
    #expect(database.positions(from: 1, to: 5) == 0..<2)
    #expect(database.positions(from: 13, to: 0x41).isEmpty)
  }

  @Test("A value gets its fixed handle, and its service lies before it without a gap")
  func characteristic() throws {
    let database = try build([
      service("a", [value("first", properties: [.notify]), value("wanted", handle: 0x0042), value("next")])
    ])
    #expect(database.services[0].handles == 0x3D...0x44)
    #expect(database[CharacteristicIndex(1)].value == 0x42)
    #expect(database[CharacteristicIndex(1)].declaration == 0x41)
    #expect(database.attributes[4].value.hexadecimal == "02" + "4200" + "f1ff")
  }

  @Test("A descriptor gets its fixed handle")
  func descriptor() throws {
    var wanted = DescriptorDefinition.userDescription("x")
    wanted.handle = 0x20
    let database = try build([service("a", [value("v", [.validRange([0], [1]), wanted])])])
    #expect(database.attributes.map(\.handle) == [0x1C, 0x1D, 0x1E, 0x1F, 0x20])
  }

  @Test("Extended Properties with a fixed handle leave no gap either")
  func extendedProperties() throws {
    let own = DescriptorDefinition(uuid: .extendedProperties, value: [1, 0], handle: 0x20)
    let database = try build([service("a", [value("v", [own], properties: [.read, .write, .extendedProperties])])])
    #expect(database.attributes.map(\.handle) == [0x1D, 0x1E, 0x1F, 0x20])
  }

  @Test("Within a service fixed handles leave gaps")
  func gaps() throws {
    var chart = try SequenceChart(
      application: [
        service("a", handle: 0x10, [value("x", handle: 0x20), value("y"), value("z", handle: 0x30)]),
        service("b", [value("v")]),
      ], mtu: 100)
    // b comes first: 1-3.
    try chart.exchange("10 0100 ffff 0028", "11 06 0100 0300 f0ff 1000 3000 f0ff")
    try chart.exchange("04 0400 2000", "05 01 1000 0028 1f00 0328 2000 f1ff")
    try chart.exchange("0a 1100", "01 0a 1100 01")
    try chart.exchange("0a 2f00", "0b 02 3000 f1ff")
    try chart.exchange("06 0100 ffff 0328 02 2000 f1ff", "07 1f00 2000")
    try chart.exchange("08 2300 ffff f1ff", "09 03 3000 01")
    try chart.exchange("04 3100 ffff", "01 04 3100 0a")
  }

  @Test("Impossible handles are errors that name them")
  func errors() {
    #expect(throws: AttributeDatabase.DefinitionError.handleConflict(5, "a", "b")) {
      try build([service("a", handle: 3, [value("x")]), service("b", handle: 5)])
    }
    #expect(throws: AttributeDatabase.DefinitionError.handleTaken(0, in: "a")) { try build([service("a", handle: 0)]) }
    #expect(throws: AttributeDatabase.DefinitionError.handleTaken(0, in: "a")) {
      try build([service("a", [value("x", handle: 0)])])
    }
    #expect(throws: AttributeDatabase.DefinitionError.handleTaken(1, in: "a")) {
      try build([service("a", [value("x", handle: 2)])])
    }
    #expect(throws: AttributeDatabase.DefinitionError.handleTaken(3, in: "a")) {
      var low = DescriptorDefinition.userDescription("x")
      low.handle = 3
      return try build([service("a", [value("x", [low])])])
    }
    #expect(throws: AttributeDatabase.DefinitionError.handleTaken(7, in: "a")) {
      try build([service("a", handle: 5, [value("x"), value("y", handle: 8)])])
    }
    #expect(throws: AttributeDatabase.DefinitionError.tooManyAttributes) {
      try build([service("a", handle: 0xFFFE, [value("x")])])
    }
  }

  @Test("The order of declaration is kept if requested")
  func order() throws {
    let services = [
      ServiceDefinition(id: "long", uuid: .long(1)), ServiceDefinition(id: "short", uuid: .init(0x180F)),
    ]
    #expect(try AttributeDatabase(host: [], application: services).services.map(\.id) == ["short", "long"])
    let kept = try AttributeDatabase(host: [], application: services, groupsByUUIDSize: false)
    #expect(kept.services.map(\.id) == ["long", "short"])
  }

  @Test("Grouped by size, all services are found with fewer requests")
  func requests() throws {
    let services = (0..<12).map {
      ServiceDefinition(id: "s\($0)", uuid: $0.isMultiple(of: 2) ? .init(0xFFF0 + UInt16($0)) : .long(UInt8($0)))
    }
    func count(grouped: Bool) throws -> Int {
      let database = try AttributeDatabase(host: [], application: services, groupsByUUIDSize: grouped)
      var discoverer = Discoverer(server: GATTServer(database: database, receiveMTU: 517), mtu: 185)
      _ = discoverer.services(.primaryService)
      return discoverer.requests
    }
    #expect(try count(grouped: true) == 3)
    #expect(try count(grouped: false) == 13)
  }
}
