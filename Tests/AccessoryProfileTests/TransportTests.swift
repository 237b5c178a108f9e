import BLECore
import BLEGAP
import BLEGATT
import BLEL2CAP
import BLESDP
import Testing

@testable import AccessoryProfile

@Suite("Transports")
struct TransportTests {
  private static let head = "understudy: 1\nname: Test\n"

  @Test("LE alone is the default")
  func defaults() throws {
    let profile = try profile("services: []")
    #expect(profile.usesLE && profile.classic == nil && profile.serviceRecords.isEmpty)
    #expect(profile.identity == .derivedStatic(from: "Test"))
  }

  @Test("BR/EDR has settings of its own, and the public address is the identity of both transports")
  func dualMode() throws {
    let profile = try profile(
      """
      transports: [le, br-edr]
      classic:
        name: Box
        class: 0x240418
        discoverable: 3 min
        connectable: false
        device-id: { vendor: 0x1234, source: usb, product: 7, version: 0x0203 }
      """)
    #expect(
      profile.classic
        == ClassicSettings(
          name: "Box", classOfDevice: 0x240418, discoverability: .limited(.seconds(180)), isConnectable: false,
          isOptional: false))
    #expect(
      profile.serviceRecords.map(\.deviceIdentification)
        == [DeviceIdentification(source: .usb, vendor: 0x1234, product: 7, version: 0x0203)])
    #expect(profile.identity == .publicAddress)
    // The flags of LE no longer say that BR/EDR is not supported.
    #expect(Array(profile.advertising[0].data.prefix(3)) == [2, 1, 2])
  }

  @Test("Services and channels can have one transport, which decides where the accessory says that it has them")
  func parts() throws {
    let profile = try profile(
      """
      transports: [le, br-edr]
      services:
        - { include: battery, transports: [br-edr] }
        - { uuid: 0xFFF0, transports: [le] }
        - { uuid: 0xFFF1 }
      l2cap: [{ id: data, psm: 0x81, handler: echo, transports: [le] }]
      """)
    #expect(profile.services.map(\.transports) == [[.classic], [.le], LinkTransport.all])
    #expect(profile.channels.map { $0.published?.transports } == [[.le]])
    #expect(profile.channels[0].json == (try ChannelDefinition.load(profile.channels[0].json)).json)
    #expect(
      AdvertisingData(parsing: profile.advertising[0].data).services == [BluetoothUUID(0xFFF0), BluetoothUUID(0xFFF1)])
  }

  @Test("The Extended Inquiry Response and further service records are as the profile says")
  func description() throws {
    let profile = try profile(
      """
      transports: [br-edr]
      classic:
        role-switch: false
        sniff: false
        eir: { name: { complete: Own }, services: [0x180D] }
        sdp:
          - { classes: [0x1101], name: Serial, rfcomm: 3, profiles: [{ uuid: 0x1101, version: 0x0102 }] }
          - classes: [0x1124]
            psm: 0x0011
            attributes:
              - { id: 0x0201, value: { u16: 0x0111 } }
              - { id: 0x0206, value: { sequence: [{ u8: 34 }, { text: ab }, { alternative: [{ boolean: true }] }] } }
      """)
    #expect(profile.classic?.allowsRoleSwitch == false && profile.classic?.allowsSniff == false)
    let response = try #require(profile.classic?.inquiryResponse)
    #expect(try response.encoded(limit: 240) == [4, 0x09] + Array("Own".utf8) + [3, 0x03, 0x0D, 0x18])
    let (serial, keyboard) = (profile.serviceRecords[0], profile.serviceRecords[1])
    #expect(serial.serviceClasses == [BluetoothUUID(0x1101)] && serial.name(.serviceName) == "Serial")
    #expect(serial.protocols == [ProtocolDescriptor(.l2cap), ProtocolDescriptor(.rfcomm, [.unsigned8(3)])])
    #expect(serial.profiles == [ProfileDescriptor(BluetoothUUID(0x1101), version: 0x0102)])
    #expect(serial.browseGroups == [.publicBrowseRoot])
    #expect(keyboard.protocols == [.l2cap(psm: 0x0011)])
    #expect(keyboard[AttributeID(rawValue: 0x0201)] == .unsigned16(0x0111))
    #expect(
      keyboard[AttributeID(rawValue: 0x0206)]
        == .sequence([.unsigned8(34), .text("ab"), .alternative([.boolean(true)])]))
  }

  @Test(
    "Mistakes in the description",
    arguments: [
      ("eir: hex:\(String(repeating: "02010A", count: 81))", "at most 240"),
      ("sdp: [{ classes: [] }]", "expected at least one service class"),
      ("sdp: [{ classes: [0x1101], psm: 3, rfcomm: 1 }]", "'rfcomm' has a PSM of its own"),
      ("sdp: [{ classes: [0x1101], attributes: [{ id: 1, value: { u8: 1 } }] }]", "has this attribute already"),
      ("sdp: [{ classes: [0x1101], attributes: [{ id: 7, value: { u8: 1, u16: 1 } }] }]", "expected one of u8"),
      (
        "sdp: [{ classes: [0x1101], attributes: [{ id: 7, value: "
          + String(repeating: "{ sequence: [", count: 16) + "{ u8: 1 }" + String(repeating: "] }", count: 16)
          + " }] }]",
        "nested at most 14"
      ),
    ])
  func mistakes(classic: String, message: String) throws {
    let diagnostics = diagnose(Self.head + "transports: [br-edr]\nclassic: { \(classic) }")
    #expect(diagnostics.contains { $0.contains(message) }, "\(diagnostics)")
  }

  @Test("Faults over BR/EDR need BR/EDR")
  func faults() {
    let faults = "faults: [{ on: paged, do: refuse }]"
    #expect(diagnose(Self.head + faults).contains { $0.contains("this needs BR/EDR") })
    #expect(diagnose(Self.head + "transports: [br-edr]\n\(faults)").isEmpty)
    let misfit = "transports: [br-edr]\nfaults: [{ on: link-key, do: { delay: 1 s } }]"
    #expect(diagnose(Self.head + misfit).contains { $0.contains("this needs a request") })
  }

  @Test("If BR/EDR is optional, there may be no public address")
  func optional() throws {
    let profile = try profile("transports: [le, br-edr?]")
    #expect(profile.classic?.isOptional == true)
    #expect(profile.identity == .derivedStatic(from: "Test"))
  }

  @Test("Without LE there is no advertising")
  func classicAlone() throws {
    let profile = try profile("transports: [br-edr]\nclassic: { discoverable: no }")
    #expect(!profile.usesLE && profile.advertising.isEmpty)
    #expect(profile.classic?.discoverability == ClassicSettings.Discoverability.none)
    #expect(profile.classic?.name == "Test" && profile.classic?.isOptional == false)
  }
}
