import BLECore
import BLECryptography
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import PeripheralHost
import Simulation
import TestPreset
import Testing
import VirtualRadio

/// Private addresses, generated and changed by the host (Core 5.4 Vol 3 Part C 10.7, Vol 6 Part B 1.3.2.2).
@Suite("Privacy")
struct PrivacyTests {
  private static let key = (1...16).map { UInt8($0) }

  /// A lamp that changes its address every second.
  private static func configuration(
    kind: AdvertisingSetDefinition.Kind, isConnectable: Bool = true,
    address: AdvertisingSetDefinition.AddressKind = .host,
    privacy: PrivacyPolicy = PrivacyPolicy(isPrivate: true, rotation: .seconds(1))
  ) -> HostConfiguration {
    var configuration = Lamp.configuration(kind: kind)
    configuration.advertising[0].isConnectable = isConnectable
    configuration.advertising[0].isScannable = false
    if kind == .legacy { configuration.advertising[0].isScannable = true }
    configuration.advertising[0].address = address
    configuration.privacy = privacy
    configuration.identityResolvingKey = key
    configuration.security = .pairable()
    return configuration
  }

  private static func scene(_ configuration: HostConfiguration, on controller: ControllerConfiguration = .underTest)
    throws -> LampScene
  {
    var phone = CentralConfiguration(randomAddress: .randomStatic(from: 0xF0E))
    phone.security = .pairable()
    let scene = try LampScene(configuration, lampOn: controller, phone: phone)
    scene.lamp.user = .accepts()
    scene.phone.user = .accepts()
    return scene
  }

  /// Returns the addresses that are heard, in order, each once.
  private func addresses(_ scene: LampScene, for duration: Duration = .seconds(5)) throws -> [DeviceAddress] {
    var heard: [DeviceAddress] = []
    for advertisement in try scene.phone.scan(for: duration) where heard.last != advertisement.address {
      heard.append(advertisement.address)
    }
    return heard
  }

  @Test(
    "An accessory changes its resolvable private address during advertising",
    .enabled(if: ControllerConfiguration.underTest.hasAdvertisingSets),
    arguments: [(AdvertisingSetDefinition.Kind.legacy, true), (.legacy, false), (.extended, true), (.extended, false)])
  func rotation(kind: AdvertisingSetDefinition.Kind, isConnectable: Bool) throws {
    let scene = try Self.scene(Self.configuration(kind: kind, isConnectable: isConnectable))
    let heard = try addresses(scene)
    let key = try #require(IdentityResolvingKey(Self.key))
    #expect((4...7).contains(heard.count) && Set(heard).count == heard.count)
    #expect(heard.allSatisfy { key.resolves($0) })
    #expect(scene.hostFaults == [])
  }

  @Test("A controller with only legacy advertising also changes it")
  func legacyController() throws {
    var controller = ControllerConfiguration.underTest
    controller.features.remove(.extendedAdvertising)
    let scene = try Self.scene(Self.configuration(kind: .legacy), on: controller)
    let heard = try addresses(scene)
    let key = try #require(IdentityResolvingKey(Self.key))
    #expect((4...7).contains(heard.count) && heard.allSatisfy { key.resolves($0) })
    #expect(scene.hostFaults == [])
  }

  @Test(
    "A broadcaster that should not be recognized has addresses that no key resolves",
    .enabled(if: ControllerConfiguration.underTest.hasAdvertisingSets))
  func nonResolvable() throws {
    let scene = try Self.scene(
      Self.configuration(
        kind: .extended, isConnectable: false, address: .nonResolvable, privacy: PrivacyPolicy(rotation: .seconds(1))))
    let heard = try addresses(scene)
    #expect((4...7).contains(heard.count) && heard.allSatisfy(\.isNonResolvablePrivate))
    #expect(scene.hostFaults == [])
  }

  @Test("A phone pairs with a private accessory, and bonds with its identity", arguments: [true, false])
  func pairing(isSecure: Bool) throws {
    var configuration = Self.configuration(kind: .legacy)
    configuration.security.secureConnections = isSecure ? .offered : .none
    let scene = try Self.scene(configuration)
    for _ in 0..<2 {
      let heard = try scene.phone.find(ScanFilter())
      #expect(heard.address.isResolvablePrivate)
      let link = try scene.phone.connect(to: heard.address)
      guard case .paired(let bond, bonded: true) = try scene.phone.pair(link, anew: true) else {
        Issue.record("not paired")
        return
      }
      #expect(bond.peer == TypedAddress(address: Lamp.address, isRandom: true))
      #expect(bond.identityResolvingKey == Self.key)
      let database = try scene.phone.discover(on: link)
      for (uuid, value) in [(UInt16(0x2AA6), [UInt8(1)]), (0x2AC9, [0])] {
        let characteristic = try #require(database.characteristic(BluetoothUUID(uuid)))
        #expect(try scene.phone.read(characteristic.value, on: link) == value)
      }
      try scene.phone.disconnect(link)
      scene.simulation.run(for: .seconds(3))
    }
    #expect(scene.lamp.stack.bonds.count == 1 && scene.phone.stack.bonds.count == 1)
    #expect(scene.hostFaults == [])
  }

  @Test("A new identity is on the air at once, with a new key", arguments: [true, false])
  func newIdentity(isPrivate: Bool) throws {
    let scene = try Self.scene(
      Self.configuration(kind: .legacy, privacy: PrivacyPolicy(isPrivate: isPrivate, rotation: .seconds(600))))
    let before = try #require(try addresses(scene, for: .seconds(1)).last)
    try scene.lamp.perform(.rotateIdentity)
    scene.simulation.run(for: .milliseconds(100))
    let after = try addresses(scene, for: .seconds(1))
    #expect(after.count == 1 && after != [before])
    let identity = try #require(scene.lamp.stack.address)
    #expect(
      identity != Lamp.address
        && scene.lamp.events.contains { if case .identityChanged(identity) = $0 { true } else { false } })
    let key = try #require(IdentityResolvingKey(Self.key))
    #expect(isPrivate ? after[0].isResolvablePrivate && !key.resolves(after[0]) : after == [identity])
    let link = try scene.phone.connect(to: after[0])
    guard case .paired(let bond, bonded: true) = try scene.phone.pair(link) else {
      Issue.record("not paired")
      return
    }
    #expect(bond.peer.address == identity && bond.identityResolvingKey != Self.key)
    #expect(scene.hostFaults == [])
  }

  @Test(
    "A schedule continues after a change of address",
    .enabled(if: ControllerConfiguration.underTest.hasAdvertisingSets))
  func schedule() throws {
    var configuration = Self.configuration(kind: .extended)
    configuration.advertising[0].schedule = [AdvertisingPhase(interval: .milliseconds(100), duration: .seconds(3))]
    let scene = try Self.scene(configuration)
    scene.simulation.run(for: .milliseconds(3200))
    #expect(scene.lamp.stack.activeSets.isEmpty)
  }
}
