import BLEATT
import BLECore
import BLEGATT
import Testing

@Suite("Attribute database")
struct AttributeDatabaseTests {
  private func tester() throws -> AttributeDatabase {
    try AttributeDatabase(host: Tester.host, application: Tester.application)
  }

  @Test("Handles count from 1 without gaps, in the order of the attributes")
  func handles() throws {
    let database = try tester()
    #expect(database.attributes.map(\.handle) == (1...0x1D).map { UInt16($0) })
  }

  @Test("The host's services come first, then those with 16-bit UUIDs, then the others, each in order of declaration")
  func order() throws {
    let database = try tester()
    #expect(database.services.map(\.id) == ["generic-access", "generic-attribute", "heart-rate", "battery", "vendor"])
    #expect(database.services.map(\.handles) == [0x01...0x05, 0x06...0x06, 0x07...0x0E, 0x0F...0x12, 0x13...0x1D])
  }

  @Test("Characteristics are numbered as the application declares them, then the host's")
  func indices() throws {
    let database = try tester()
    #expect(database.characteristics.map(\.index) == (0..<9).map { CharacteristicIndex($0) })
    #expect(
      database.characteristics.map(\.value) == [0x16, 0x19, 0x1C, 0x09, 0x0C, 0x0E, 0x11, 0x03, 0x05])
    #expect(database.characteristics.map(\.belongsToApplication) == Array(repeating: true, count: 7) + [false, false])
    #expect(database[Tester.battery].definition.uuid == BluetoothUUID(0x2A19))
    let bare = try AttributeDatabase(host: [], application: Tester.application)
    #expect(bare.characteristics.map(\.definition.id) == database.characteristics.prefix(7).map(\.definition.id))
  }

  /// Core 5.4 Vol 3 Part G 3.1-3.3.
  @Test(
    "A service is its declaration, its includes, and its characteristics; a characteristic its declaration, value, configuration and descriptors"
  )
  func types() throws {
    let types = try tester().attributes.map { $0.type.description }
    #expect(types[..<6] == ["2800", "2803", "2A00", "2803", "2A01", "2800"])
    #expect(types[6..<14] == ["2800", "2803", "2A37", "2902", "2803", "2A38", "2803", "2A39"])
    #expect(types[14..<18] == ["2800", "2803", "2A19", "2902"])
    #expect(
      types[18...] == [
        "2800", "2802", "2803", BluetoothUUID.long(2).description, "2901", "2803", BluetoothUUID.long(3).description,
        "2902", "2803", BluetoothUUID.long(4).description, "2901",
      ])
  }

  @Test("A characteristic declaration holds properties, value handle and UUID")
  func declarations() throws {
    let database = try tester()
    #expect(database.attributes[0x07].value.hexadecimal == "10" + "0900" + "372a")
    #expect(
      database.attributes[0x14].value.hexadecimal == "0a" + "1600"
        + BluetoothUUID.long(2).littleEndianOctets.hexadecimal)
  }

  @Test(
    "A client characteristic configuration exists if and only if there is notify or indicate",
    arguments: [
      ([.read], false), ([.notify], true), ([.indicate], true), ([.notify, .indicate], true), ([.write], false),
    ] as [(CharacteristicProperties, Bool)])
  func configuration(properties: CharacteristicProperties, has: Bool) throws {
    let database = try AttributeDatabase(
      host: [],
      application: [.init(id: "a", uuid: .init(1), characteristics: [.stored(.init(2), properties, [])])])
    #expect(database.attributes.contains { $0.type == .clientCharacteristicConfiguration } == has)
    #expect(database.characteristics[0].configuration == (has ? 4 : nil))
  }

  @Test("An include contains the other service's handles, and its UUID only if it is short")
  func includes() throws {
    let long = ServiceDefinition(id: "long", uuid: .long(9))
    let short = ServiceDefinition(id: "short", uuid: .init(0x180F), isPrimary: false)
    let both = ServiceDefinition(id: "both", uuid: .init(0x180A), includes: ["long", "short", "both"])
    let database = try AttributeDatabase(host: [], application: [both, long, short])
    // both: 1-4, short: 5, long: 6.
    #expect(database.attributes[1].value.hexadecimal == "06000600")
    #expect(database.attributes[2].value.hexadecimal == "05000500" + "0f18")
    #expect(database.attributes[3].value.hexadecimal == "01000400" + "0a18")
    #expect(database.attributes[4].type == .secondaryService)
  }

  @Test("An include of a missing service is an error that names both")
  func unknownInclude() {
    let error = AttributeDatabase.DefinitionError.unknownInclude(service: "a", include: "b")
    #expect(throws: error) {
      try AttributeDatabase(host: [], application: [.init(id: "a", uuid: .init(1), includes: ["b"])])
    }
  }

  @Test("A database holds at most 65,535 attributes")
  func tooMany() throws {
    let pairs = (0..<32_767).map { CharacteristicDefinition.stored(.init(UInt16($0)), .read, []) }
    let full = [ServiceDefinition(id: "full", uuid: .init(1), characteristics: pairs)]
    let database = try AttributeDatabase(host: [], application: full)
    #expect(database.attributes.last?.handle == 0xFFFF)
    #expect(database.services.map(\.handles) == [1...0xFFFF])
    #expect(database.positions(from: 0xFFFF, to: 0xFFFF) == 65_534..<65_535)
    #expect(throws: AttributeDatabase.DefinitionError.tooManyAttributes) {
      try AttributeDatabase(host: [.genericAttribute], application: full)
    }
  }

  @Test("Positions follow from handles, and unknown handles have none")
  func positions() throws {
    let database = try tester()
    #expect(database.position(of: 0) == nil)
    #expect(database.position(of: 1) == 0)
    #expect(database.position(of: 0x1D) == 0x1C)
    #expect(database.position(of: 0x1E) == nil)
    #expect(database.position(of: 0xFFFF) == nil)
    #expect(database.positions(from: 0, to: 0xFFFF) == 0..<0x1D)
    #expect(database.positions(from: 5, to: 5) == 4..<5)
    #expect(database.positions(from: 5, to: 4).isEmpty)
    #expect(database.positions(from: 0x1E, to: 0xFFFF).isEmpty)
    #expect(database.positions(from: 0, to: 0).isEmpty)
  }

  @Test("A characteristic is found by its id, or by a unique UUID")
  func names() throws {
    let twins = ServiceDefinition(
      id: "twins", uuid: .init(0xFFF0),
      characteristics: [
        CharacteristicDefinition(id: "one", uuid: .init(0xFFF1), properties: .read, value: .stored([1])),
        CharacteristicDefinition(id: "two", uuid: .init(0xFFF1), properties: .read, value: .stored([2])),
        CharacteristicDefinition(id: "three", uuid: .init(0xFFF2), properties: .read, value: .asked),
      ])
    let database = try AttributeDatabase(host: [], application: [twins])
    #expect(database.characteristic(named: "two")?.index == CharacteristicIndex(1))
    #expect(database.characteristic(named: "FFF2")?.index == CharacteristicIndex(2))
    #expect(database.characteristic(named: "FFF1")?.index == nil)
    #expect(database.characteristic(named: "nobody")?.index == nil)
    #expect(database.storedValue(of: CharacteristicIndex(0)) == [1])
    #expect(database.storedValue(of: CharacteristicIndex(2)) == nil)
  }

  /// Core 5.4 Vol 3 Part C 12.
  @Test("The Generic Access service has name, appearance, and the preferred parameters if there are any")
  func genericAccess() throws {
    var preferred = PreferredConnectionParameters()
    (preferred.minimumInterval, preferred.maximumInterval, preferred.latency, preferred.timeout) = (12, 24, 0, 600)
    let service = ServiceDefinition.genericAccess(
      name: String(repeating: "é", count: 200), appearance: 0x0341, preferredParameters: preferred)
    #expect(service.characteristics.map(\.uuid) == [.init(0x2A00), .init(0x2A01), .init(0x2A04)])
    let database = try AttributeDatabase(host: [service], application: [])
    #expect(database.attributes[2].value.count == 248)
    #expect(database.attributes[4].value == [0x41, 0x03])
    #expect(database.attributes[6].value.hexadecimal == "0c00" + "1800" + "0000" + "5802")
  }

  @Test(
    "A name that is too long ends with a whole character", arguments: [("é", 248), ("x", 248), ("€", 246), ("🩺", 248)])
  func longName(character: String, count: Int) throws {
    let service = ServiceDefinition.genericAccess(
      name: String(repeating: character, count: 300), appearance: 0, preferredParameters: nil)
    let database = try AttributeDatabase(host: [service], application: [])
    #expect(database.attributes[2].value.count == count)
    #expect(String(validating: database.attributes[2].value, as: UTF8.self) != nil)
  }
}
