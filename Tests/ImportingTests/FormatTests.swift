import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLESMP
import Testing

@testable import Importing

@Suite("Formats that are imported")
struct ImportFormatTests {
  @Test(arguments: Examples.all)
  func areRecognizedFromTheContent(_ example: (file: String, format: String)) throws {
    #expect(try Examples.imported(example.file).format == example.format)
  }

  @Test func everyFormatHasAnExample() {
    #expect(Set(Examples.all.map(\.format)) == Set(ImportFormat.all.map(\.name)))
  }

  @Test(arguments: Examples.all)
  func becomeProfilesThatAreValidByThemselves(_ example: (file: String, format: String)) throws {
    let text = try Examples.imported(example.file).written.text
    #expect(throws: Never.self) { try Profile.load(text: text) }
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= 160 })
  }

  @Test func unknownContentIsRefused() {
    #expect(throws: ImportError.self) { try ProfileImport.read(ImportSource(name: "x", text: "hello")) }
  }

  @Test func anUnknownFormatIsRefused() {
    let error = #expect(throws: ImportError.self) {
      try ProfileImport.read(ImportSource(name: "x", text: "hello"), format: "gsd")
    }
    #expect(error?.diagnostics.first?.message.contains("there is no format 'gsd'") == true)
  }

  // MARK: nRF Connect

  @Test func nRFConnectXML() throws {
    let result = try Examples.imported("nrf-connect.xml")
    let profile = result.written.profile
    #expect(profile.name == "Desk Lamp")
    #expect(
      profile.outline == [
        "link-loss 1803", "  link-loss-level 2A06 read,write",
        "lamp 0000AA10-7C4D-4B0E-9E4B-1F6E2A1B9C00",
        "  brightness 0000AA11-7C4D-4B0E-9E4B-1F6E2A1B9C00 read,write,notify 2901 2904",
        "  scene-name 0000AA12-7C4D-4B0E-9E4B-1F6E2A1B9C00 read",
        "  command 0000AA13-7C4D-4B0E-9E4B-1F6E2A1B9C00 write-without-response,write,extended,reliable-write",
        "battery 180F", "  battery-level 2A19 read,notify",
      ])
    #expect(profile.stored("brightness") == [0x3C])
    #expect(profile.stored("scene-name") == Array("Evening".utf8))
    #expect(profile.stored("battery-level") == [87])
    #expect(profile.characteristic("brightness")?.permissions.write?.protection == .encrypted)
    #expect(profile.characteristic("brightness")?.descriptors.first?.value == Array("Brightness & more".utf8))
    #expect(result.written.text.contains("- include: battery\n    level: 87"))
    #expect(result.warnings.map { "\($0.line):\($0.column)" } == ["29:7", "39:3"])
  }

  @Test func servicesInJSON() throws {
    let profile = try Examples.imported("services.json").written.profile
    #expect(
      profile.outline == [
        "post 0000AB10-7C4D-4B0E-9E4B-1F6E2A1B9C00",
        "  letters 0000AB11-7C4D-4B0E-9E4B-1F6E2A1B9C00 read,notify 2901",
        "  door 0000AB12-7C4D-4B0E-9E4B-1F6E2A1B9C00 write-without-response,write",
      ])
    #expect(profile.stored("letters") == [2, 0])
    #expect(profile.characteristic("door")?.permissions.write?.protection == .authenticated)
    #expect(profile.characteristic("door")?.maximumLength == 4)
    #expect(profile.characteristic("door")?.hasFixedLength == true)
  }

  // MARK: Bumble

  @Test func bumble() throws {
    let profile = try Examples.imported("bumble.json").written.profile
    #expect(profile.name == "Bumble Bell")
    #expect(profile.identity == .fixedStatic(try #require(DeviceAddress("F1:22:33:44:55:66"))))
    #expect(profile.security.pairing.ioCapability == .displayYesNo)
    #expect(profile.advertising.map(\.data.hexadecimal) == ["0201060c0942756d626c652042656c6c"])
    #expect(profile.advertising[0].schedule == [AdvertisingPhase(interval: .milliseconds(100))])
    #expect(!profile.gatt.groupsByUUIDSize)
    #expect(
      profile.outline == [
        "6E400001-B5A3-F393-E0A9-E50E24DCCA9E 6E400001-B5A3-F393-E0A9-E50E24DCCA9E",
        "  6E400002-B5A3-F393-E0A9-E50E24DCCA9E 6E400002-B5A3-F393-E0A9-E50E24DCCA9E write-without-response,write",
        "  6E400003-B5A3-F393-E0A9-E50E24DCCA9E 6E400003-B5A3-F393-E0A9-E50E24DCCA9E read,notify 2901",
        "battery 180F", "  battery-level 2A19 read,notify",
      ])
    let notified = profile.characteristic("6E400003-B5A3-F393-E0A9-E50E24DCCA9E")
    #expect(notified?.permissions.read?.protection == .encrypted)
  }

  // MARK: BTstack

  @Test func btstack() throws {
    let result = try Examples.imported("btstack.gatt")
    let profile = result.written.profile
    #expect(profile.name == "Greenhouse")
    #expect(profile.appearance.rawValue == 0x0541)
    #expect(profile.gatt.hasRobustCaching)
    #expect(
      profile.outline == [
        "battery 180F", "  battery-level 2A19 read,notify",
        "0000BB10-7C4D-4B0E-9E4B-1F6E2A1B9C00 0000BB10-7C4D-4B0E-9E4B-1F6E2A1B9C00 includes battery",
        "  window 0000BB11-7C4D-4B0E-9E4B-1F6E2A1B9C00 read,write 2901",
        "  moisture 0000BB12-7C4D-4B0E-9E4B-1F6E2A1B9C00 read,notify 2904",
        "  0000BB13-7C4D-4B0E-9E4B-1F6E2A1B9C00 0000BB13-7C4D-4B0E-9E4B-1F6E2A1B9C00 write,extended,reliable-write",
        "secondary environmental-sensing 181A", "  temperature 2A6E read,indicate",
      ])
    #expect(profile.stored("window") == [0, 1, 2])
    #expect(
      profile.characteristic("window")?.permissions.write
        == AccessRequirement(protection: .encrypted, minimumKeySize: 16))
    #expect(profile.stored("temperature") == [0x66, 0x08])
    #expect(result.written.text.contains("value: 21.5"))
    #expect(
      profile.characteristic("moisture")?.descriptors.first?.value == [0x04, 0x00, 0xAD, 0x27, 0x01, 0x00, 0x00])
  }

  @Test func btstackImportsFilesBesideIt() throws {
    let main = "#import \"part.gatt\"\nPRIMARY_SERVICE, FFF0\nCHARACTERISTIC, FFF1, READ, 01\n"
    let part = "PRIMARY_SERVICE, FFE0\nCHARACTERISTIC, FFE1, NOTIFY,\n"
    let result = try ProfileImport.read(ImportSource(name: "main.gatt", text: main)) { name in
      name == "part.gatt" ? .success(part) : .failure(IncludeFailure(reason: "not here"))
    }
    #expect(
      result.written.profile.outline == ["FFE0 FFE0", "  FFE1 FFE1 notify", "FFF0 FFF0", "  FFF1 FFF1 read"])
  }

  @Test func btstackFilesThatImportEachOtherEnd() {
    let text = "PRIMARY_SERVICE, FFF0\n#import \"main.gatt\"\n"
    let error = #expect(throws: ImportError.self) {
      try ProfileImport.read(ImportSource(name: "main.gatt", text: text)) { _ in .success(text) }
    }
    #expect(error?.diagnostics.last?.message.contains("more than 64 files") == true)
  }

  // MARK: Silicon Labs

  @Test func siliconLabs() throws {
    let result = try Examples.imported("silicon-labs.btconf")
    let profile = result.written.profile
    #expect(profile.name == "Soil Sensor")
    #expect(profile.gatt.hasRobustCaching)
    #expect(
      profile.outline == [
        "soil 0000CC10-7C4D-4B0E-9E4B-1F6E2A1B9C00 includes device-information",
        "  moisture 0000CC11-7C4D-4B0E-9E4B-1F6E2A1B9C00 read,notify",
        "  label 0000CC12-7C4D-4B0E-9E4B-1F6E2A1B9C00 read,write 2904",
        "  raw 0000CC13-7C4D-4B0E-9E4B-1F6E2A1B9C00 read,write-without-response",
        "device-information 180A", "  manufacturer-name 2A29 read", "  model-number 2A24 read",
      ])
    #expect(profile.characteristic("moisture")?.configurationPermissions.write?.protection == .encrypted)
    #expect(profile.characteristic("label")?.permissions.write?.protection == .authenticated)
    #expect(profile.characteristic("label")?.maximumLength == 20)
    #expect(profile.stored("label") == Array("Tomatoes".utf8))
    #expect(result.written.text.contains("- include: device-information"))
    #expect(result.written.text.contains("# Moisture of the soil."))
    #expect(result.warnings.isEmpty)
  }

  // MARK: C

  @Test func zephyr() throws {
    let result = try Examples.imported("zephyr.c")
    let profile = result.written.profile
    #expect(
      profile.outline == [
        "bell-svc 0000DD10-7C4D-4B0E-9E4B-1F6E2A1B9C00",
        "  bell-rings 0000DD11-7C4D-4B0E-9E4B-1F6E2A1B9C00 read,notify 2901 2904",
        "  melody 0000DD12-7C4D-4B0E-9E4B-1F6E2A1B9C00 read,write", "  DD13 DD13 write-without-response",
        "battery 180F", "  battery-level 2A19 read,notify",
      ])
    #expect(profile.stored("bell-rings") == [3, 0])
    #expect(profile.stored("melody") == Array("Big Ben".utf8))
    #expect(profile.characteristic("bell-rings")?.configurationPermissions.write?.protection == .encrypted)
    #expect(profile.characteristic("bell-rings")?.descriptors.last?.value == [4, 0, 0xAD, 0x27, 1, 0, 0])
    #expect(profile.characteristic("melody")?.permissions.write?.protection == .authenticated)
    #expect(result.written.text.contains("# The value is `&light.state[0]` in the source."))
  }

  @Test func espIDF() throws {
    let profile = try Examples.imported("esp-idf.c").written.profile
    #expect(
      profile.outline == [
        "00FF 00FF", "  target FF01 read,notify", "  valve 0000EE12-7C4D-4B0E-9E4B-1F6E2A1B9C00 write",
      ])
    #expect(profile.stored("target") == [0x15, 0])
    #expect(profile.characteristic("valve")?.permissions.write?.protection == .authenticated)
    #expect(profile.characteristic("valve")?.maximumLength == 20)
  }

  @Test func nimble() throws {
    let profile = try Examples.imported("nimble.c").written.profile
    #expect(
      profile.outline == [
        "timer-svc 0000FF10-7C4D-4B0E-9E4B-1F6E2A1B9C00",
        "  timer-remaining 0000FF11-7C4D-4B0E-9E4B-1F6E2A1B9C00 read,notify 2901", "  FF12 FF12 write",
      ])
    #expect(profile.characteristic("FF12")?.permissions.write?.protection == .encrypted)
  }

  // MARK: Names, and advertising

  @Test func numbersDatabase() throws {
    let result = try Examples.imported("numbers.json")
    #expect(
      result.written.profile.outline == [
        "weather-station-service 0000EE10-7C4D-4B0E-9E4B-1F6E2A1B9C00", "heart-rate 180D",
        "characteristics A0000000-7C4D-4B0E-9E4B-1F6E2A1B9C00",
        "  wind-speed 0000EE11-7C4D-4B0E-9E4B-1F6E2A1B9C00 read",
      ])
    #expect(result.warnings.map(\.line) == [5])
  }

  @Test func bthomeDigits() throws {
    let written = try Examples.imported("bthome.txt").written
    let set = try #require(written.profile.advertising.first)
    #expect(!set.isConnectable)
    // The number of the packet counts up, so the data changes.
    #expect(written.profile.liveAdvertising.count == 1)
    #expect(written.text.contains("packet: { counter: { to: 255 } }"))
    #expect(written.text.contains("temperature: 24.3\n"))
    let packet: [UInt8] = [0x40, 0, 0x0A, 1, 0x57, 2, 0x7E, 9]
    guard case .object(let fields)? = written.profile.formats["bthome"]?.decode(packet) else {
      Issue.record("the packet does not fit the format")
      return
    }
    #expect(fields["packet"] == .int(10) && fields["battery"] == .int(87) && fields["temperature"] == .double(24.3))
  }

  @Test func bthomeObjects() throws {
    let profile = try Examples.imported("bthome.json").written.profile
    // Ascending numbers: battery 1, temperature 2, humidity 3, door 1A.
    #expect(profile.advertising.first?.data.hexadecimal.contains("16d2fc40015702660803ad111a01") == true)
  }

  @Test func bthomeThatIsEncryptedIsRefused() {
    let error = #expect(throws: ImportError.self) {
      try ProfileImport.read(ImportSource(name: "x", text: "D2FC4157027E09"), format: "bthome")
    }
    #expect(error?.diagnostics.first?.message.contains("encrypted") == true)
  }
}
