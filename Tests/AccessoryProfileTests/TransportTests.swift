import BLECore
import BLEGAP
import BLESDP
import Testing

@testable import AccessoryProfile

@Suite("Transports")
struct TransportTests {
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
