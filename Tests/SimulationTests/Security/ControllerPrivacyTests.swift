import BLECore
import BLECryptography
import BLEGAP
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import PeripheralHost
import Simulation
import TestPreset
import Testing
import VirtualRadio

/// Private addresses that the controller generates with its resolving list (Core 5.4 Vol 6 Part B 6, Vol 4 Part E 7.8.38...45).
@Suite("Privacy in the controller")
struct ControllerPrivacyTests {
  private static func privacy(
    _ maker: PrivacyPolicy.Maker, rotation: Duration = .seconds(1)
  ) -> PrivacyPolicy {
    var policy = PrivacyPolicy(isPrivate: true, rotation: rotation)
    policy.maker = maker
    return policy
  }

  private func addresses(_ scene: CallingScene) throws -> [DeviceAddress] {
    var heard: [DeviceAddress] = []
    for advertisement in try scene.phone.scan(for: .seconds(5)) where heard.last != advertisement.address {
      heard.append(advertisement.address)
    }
    return heard
  }

  private let key = IdentityResolvingKey(CallingScene.vaultKey)

  @Test(
    "The controller changes the address while the set stays on the air",
    arguments: [ControllerConfiguration.full, .full.legacyOnly])
  func rotation(controller: ControllerConfiguration) throws {
    let scene = try CallingScene([CallingScene.main], privacy: Self.privacy(.controller), on: controller)
    let heard = try addresses(scene)
    let key = try #require(key)
    #expect((4...7).contains(heard.count) && Set(heard).count == heard.count)
    #expect(heard.allSatisfy { key.resolves($0) })
    #expect(scene.setEvents.count == 1)
    #expect(scene.hostFaults == [])
  }

  @Test("auto leaves it to the controller if it can, and otherwise to the host", arguments: [true, false])
  func auto(canBeLeft: Bool) throws {
    let controller = canBeLeft ? ControllerConfiguration.full : .full.withoutPrivacy
    let scene = try CallingScene([CallingScene.main], privacy: Self.privacy(.auto), on: controller)
    let heard = try addresses(scene)
    let key = try #require(key)
    #expect((4...7).contains(heard.count) && heard.allSatisfy { key.resolves($0) })
    #expect((scene.setEvents.count == 1) == canBeLeft)
    #expect(scene.hostFaults == [])
  }

  @Test("A controller without privacy cannot be used if the profile requires it")
  func impossible() throws {
    do {
      _ = try CallingScene([CallingScene.main], privacy: Self.privacy(.controller), on: .full.withoutPrivacy)
      Issue.record("it started")
    } catch let SimulationFailure.controllerFailed(reason) {
      #expect(reason.contains("the controller has no resolving list"))
    }
  }

  @Test(
    "A phone pairs under the controller's address, reconnects under a new one, and is a target of directed advertising",
    arguments: [false, true])
  func bonding(hides: Bool) throws {
    var random = SplitMix64(seed: 11)
    let phoneKey = try #require(IdentityResolvingKey(VaultScene.phoneResolvingKey))
    let scene = try CallingScene(
      [CallingScene.main, CallingScene.call(isHighDuty: false)], privacy: Self.privacy(.controller),
      phoneOnAir: hides ? phoneKey.makeAddress(random: &random) : nil, on: .full)
    for round in 0..<2 {
      let heard = try scene.phone.find(ScanFilter(name: "Vault"))
      #expect(heard.address.isResolvablePrivate)
      let link = try scene.phone.connect(to: heard.address)
      // The link has the address that the set had.
      #expect(scene.vault.stack.linkStates.first?.details.ownOnAir == heard.address)
      guard case .paired(let bond, bonded: true) = try scene.phone.pair(link, anew: true) else {
        Issue.record("not paired in round \(round)")
        return
      }
      #expect(bond.peer == Vault.identity && bond.identityResolvingKey == CallingScene.vaultKey)
      // The vault reads whether the phone can be a target.
      scene.simulation.run(for: .milliseconds(500))
      try scene.part(link)
      scene.watch(for: .seconds(3))
      #expect(!scene.targets.isEmpty)
      for target in scene.targets {
        #expect(hides ? phoneKey.resolves(target) : target == VaultScene.phoneIdentity.address)
      }
    }
    #expect(scene.vault.stack.bonds.count == 1 && scene.hostFaults == [])
  }

  @Test("A new identity has a new key in the controller at once")
  func newIdentity() throws {
    let scene = try CallingScene(
      [CallingScene.main], privacy: Self.privacy(.controller, rotation: .seconds(600)), on: .full)
    let before = try addresses(scene)
    try scene.vault.perform(.rotateIdentity)
    scene.simulation.run(for: .milliseconds(100))
    let after = try addresses(scene)
    let key = try #require(key)
    #expect(before.count == 1 && key.resolves(before[0]))
    #expect(after.count == 1 && after[0].isResolvablePrivate && !key.resolves(after[0]))
    #expect(scene.hostFaults == [])
  }
}
