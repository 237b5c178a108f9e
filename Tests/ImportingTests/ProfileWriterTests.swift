import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import PeripheralHost
import Testing
import UnderstudyCore

@testable import Importing

@Suite("Writing profiles")
struct ProfileWriterTests {
  /// A thermometer that could have been learnt from a real device.
  private static var learnt: ImportedDatabase {
    var database = ImportedDatabase(name: "Thermometer 7")
    database.comments = ["Learnt from C4:12:34:56:78:9A."]
    database.address = DeviceAddress("C4:12:34:56:78:9A")
    database.appearance = Appearance(rawValue: 0x0300)
    database.connection.mtu = 247
    database.connection.request = .init(
      intervals: .milliseconds(15) ... .milliseconds(30), latency: 4, timeout: .seconds(4))
    database.connection.comments = ["As requested 5 s after connecting."]
    database.security = ImportedSecurity(pairing: "display", keys: [ImportedKey("passkey", "123456")])
    var set = ImportedAdvertisingSet(
      data: .octets([2, 1, 6, 3, 3, 0x1A, 0x18, 14, 9] + Array("Thermometer 7".utf8)))
    set.schedule = [AdvertisingPhase(interval: .microseconds(152_500))]
    database.advertising = [set]
    var channel = ImportedChannel(id: "log", psm: 0x81, handler: "sink")
    channel.mtu = 512
    channel.comments = ["It accepted a connection, and sent nothing."]
    database.channels = [channel]
    var temperature = ImportedCharacteristic(
      uuid: BluetoothUUID(0x2A6E), properties: [.read, .notify],
      value: .yaml("{ wave: sine, low: 18.5, high: 23, period: 1 h }"))
    temperature.notify = "{ every: 2 s }"
    temperature.comments = ["18.5 to 23 °C in 40 notifications."]
    temperature.handle = 0x0011
    var control = ImportedCharacteristic(
      name: "Control Point", uuid: BluetoothUUID(0xFFF1), properties: [.write], value: nil)
    control.permissions = AttributePermissions(read: nil, write: AccessRequirement(protection: .authenticated))
    control.handle = 0x0020
    control.keys = [ImportedKey("on-write", "- { when: hex:01, error: 0x80 }\n- { otherwise: { error: 0x81 } }")]
    var service = ImportedService(uuid: BluetoothUUID(0x181A), characteristics: [temperature, control])
    service.handle = 0x0010
    database.services = [service]
    return database
  }

  @Test func aLearntDeviceBecomesAProfile() throws {
    let written = try ProfileWriter.write(Self.learnt)
    let profile = written.profile
    #expect(written.remarks == [] && profile.warnings == [], Comment(rawValue: written.text))
    #expect(profile.connection.mtu == 247)
    #expect(profile.connection.parameterRequest?.latency == 4)
    #expect(profile.advertising.map(\.data.count) == [22])
    #expect(profile.channels.map(\.mtu) == [512])
    let database = try profile.hostConfiguration(seed: 1).makeDatabase()
    let values = database.characteristics.filter { ["temperature", "control-point"].contains($0.definition.id) }
    #expect(values.map(\.declaration) == [0x11, 0x20])
    // Only attributes whose handles do not follow from the previous ones have a handle.
    #expect(written.text.split(separator: "\n").count { $0.contains("handle:") } == 2)
    #expect(written.text.contains("data: { flags: [general], services: [environmental-sensing], name: complete }"))
    #expect(written.text.contains("# 18.5 to 23 °C in 40 notifications."))
  }

  @Test func refusedPartsBecomeComments() throws {
    var database = Self.learnt
    database.services[0].characteristics[0].value = .yaml("{ wave: triangular, low: 1 }")
    database.services[0].characteristics[0].notify = "{ every: never }"
    database.channels[0].psm = 0x1234
    database.keys = [ImportedKey("nonsense", "1")]
    database.services[0].place = SourcePlace(file: "x", line: 3, column: 4)
    let written = try ProfileWriter.write(database)
    #expect(written.remarks.count == 4, Comment(rawValue: written.text))
    #expect(written.text.contains("# Left out: `nonsense: 1`, because unknown key 'nonsense'"))
    #expect(written.profile.services[0].characteristics.count == 2)
    #expect(written.profile.channels.count == 1)
  }

  @Test func aServiceWithOtherPropertiesIsNotTheShippedOne() throws {
    var database = ImportedDatabase(name: "Battery")
    let level = ImportedCharacteristic(uuid: BluetoothUUID(0x2A19), properties: [.read], value: .octets([50]))
    database.services = [ImportedService(uuid: BluetoothUUID(0x180F), characteristics: [level])]
    #expect(try !ProfileWriter.write(database).text.contains("include"))
    database.services[0].characteristics[0].properties = [.read, .notify]
    #expect(try ProfileWriter.write(database).text.contains("- include: battery\n    level: 50"))
  }

  @Test func descriptorsKeepTheirOrder() throws {
    var database = ImportedDatabase(name: "Order")
    var value = ImportedCharacteristic(uuid: BluetoothUUID(0xFFF1), properties: [.read])
    value.descriptors = [
      ImportedDescriptor(uuid: .presentationFormat, value: [4, 0, 0, 0x27, 1, 0, 0]),
      ImportedDescriptor(uuid: .userDescription, value: Array("Second".utf8)),
      ImportedDescriptor(uuid: BluetoothUUID(0x290A)),
    ]
    database.services = [ImportedService(uuid: BluetoothUUID(0xFFF0), characteristics: [value])]
    let written = try ProfileWriter.write(database)
    #expect(
      written.profile.services[0].characteristics[0].descriptors.map(\.uuid.short) == [0x2904, 0x2901, 0x290A],
      Comment(rawValue: written.text))
  }

  @Test(arguments: [
    ("BatteryLevel", "battery-level"), ("gatt_svr_chr", "gatt-svr-chr"), ("  Ünïcode & more ", "n-code-more"),
    ("A", "a"),
  ])
  func idsFollowFromNames(_ row: (name: String, id: String)) {
    #expect(Naming.identifier(from: row.name) == row.id)
  }

  @Test(arguments: [
    ("Lamp", "Lamp"), ("true", "\"true\""), ("a: b", "\"a: b\""), ("1.0", "\"1.0\""), ("hex:00", "\"hex:00\""),
    ("\u{1B}[2J", "\"\\U0000001B[2J\""), ("", "\"\""), ("Größe", "\"Größe\""),
  ])
  func textIsQuotedWhereItHasTo(_ row: (text: String, yaml: String)) {
    #expect(YAMLScalar.text(row.text) == row.yaml)
  }

  @Test(arguments: ShippedProfiles.list)
  func aShippedProfileKeepsItsDatabase(_ entry: ShippedEntry) throws {
    let profile = try Profile.load(contentsOf: entry.path)
    let written = try ProfileWriter.write(ImportedDatabase(profile))
    let database = try profile.hostConfiguration(seed: 1).makeDatabase()
    let again = try written.profile.hostConfiguration(seed: 1).makeDatabase()
    #expect(again.hashInput == database.hashInput, Comment(rawValue: written.text))
    #expect(again.attributes.map(\.type) == database.attributes.map(\.type))
    #expect(written.profile.services.map(\.id) == profile.services.map(\.id))
    #expect(written.profile.behaviors.map(\.id) == profile.behaviors.map(\.id))
    #expect(
      written.profile.services.map { $0.characteristics.map(\.permissions) }
        == profile.services.map { $0.characteristics.map(\.permissions) }, Comment(rawValue: written.text))
  }
}
