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

/// Advertising directed to a bonded central (Core 5.4 Vol 3 Part C 9.3.3, Vol 6 Part B 4.4.2.4).
@Suite("Directed advertising")
struct DirectedAdvertisingTests {
  @Test(
    "At high duty, a set is directed to the last central for 1.28 s, and is then off the air",
    .enabled(if: ControllerConfiguration.underTest.hasAdvertisingSets))
  func highDuty() throws {
    let scene = try CallingScene([CallingScene.main, CallingScene.call()])
    scene.simulation.run(for: .milliseconds(100))
    #expect(scene.vault.stack.activeSets == ["main"])
    let link = try scene.meet(scene.phone)
    #expect(scene.vault.stack.activeSets == [])
    try scene.part(link)
    scene.watch(for: .milliseconds(1200))
    #expect(scene.vault.stack.activeSets == ["main", "call"])
    #expect(scene.targets == [VaultScene.phoneIdentity.address])
    scene.watch(for: .milliseconds(200))
    #expect(scene.vault.stack.activeSets == ["main"])
    scene.watch(for: .seconds(20))
    #expect(scene.targets == [] && scene.vault.stack.activeSets == ["main"])
    #expect(scene.setEvents.count { $0 == .stopped(set: "call") } == 1)
    #expect(!scene.vault.events.contains { if case .connectionFailed = $0 { true } else { false } })
    #expect(scene.hostFaults == [])
  }

  @Test(
    "The target connects, and encrypts with its key; others cannot",
    .enabled(if: ControllerConfiguration.underTest.hasAdvertisingSets),
    arguments: [
      CallingScene.call(starts: false), CallingScene.call(isHighDuty: false, starts: false),
      CallingScene.call(.extended, starts: false),
    ])
  func called(call: AdvertisingSetDefinition) throws {
    let bonds = try CallingScene.bonds()
    let scene = try CallingScene([call], bonds: bonds.vault)
    scene.phone.stack.bonds = bonds.phone
    for _ in 0..<2 {
      try scene.vault.perform(.advertise(set: "call", isOn: true))
      scene.simulation.run(for: .milliseconds(10))
      let link = try scene.phone.connect(to: Vault.address)
      #expect(try scene.phone.pair(link) == .encrypted)
      #expect(scene.vault.stack.activeSets == [])
      #expect(throws: HostRequestError.nobodyToCall(set: "call")) {
        try scene.vault.perform(.advertise(set: "call", isOn: true))
      }
      try scene.vault.perform(.advertise(set: "call", isOn: false))
      try scene.part(link)
    }
    try scene.vault.perform(.advertise(set: "call", isOn: true))
    #expect(!scene.connects(scene.stranger))
    #expect(scene.hostFaults == [])
  }

  @Test(
    "At low duty, and extended, a set is directed until it is stopped",
    .enabled(if: ControllerConfiguration.underTest.hasAdvertisingSets),
    arguments: [AdvertisingSetDefinition.Kind.legacy, .extended])
  func lowDuty(kind: AdvertisingSetDefinition.Kind) throws {
    let bonds = try CallingScene.bonds()
    let scene = try CallingScene([CallingScene.call(kind, isHighDuty: false)], bonds: bonds.vault)
    scene.watch(for: .seconds(10))
    #expect(scene.vault.stack.activeSets == ["call"])
    #expect((90...110).contains(scene.pdus.count / (kind == .legacy ? 3 : 4)))
    if kind == .legacy { #expect(scene.targets == [VaultScene.phoneIdentity.address]) }
    let heard = try scene.stranger.scan(for: .seconds(1))
    #expect(heard == [])
    try scene.vault.perform(.advertise(set: "call", isOn: false))
    scene.simulation.run(for: .milliseconds(10))
    #expect(scene.vault.stack.activeSets == [])
    #expect(scene.hostFaults == [])
  }

  @Test("A controller with only legacy advertising stops after 1.28 s, and starts again on request")
  func legacyController() throws {
    let bonds = try CallingScene.bonds()
    let scene = try CallingScene(
      [CallingScene.call(starts: false)], bonds: bonds.vault, on: .underTest.legacyOnly)
    scene.phone.stack.bonds = bonds.phone
    for _ in 0..<2 {
      try scene.vault.perform(.advertise(set: "call", isOn: true))
      scene.watch(for: .seconds(1))
      #expect(scene.targets == [VaultScene.phoneIdentity.address] && scene.vault.stack.activeSets == ["call"])
      scene.watch(for: .seconds(3))
      #expect(scene.vault.stack.activeSets == [])
    }
    #expect(!scene.vault.events.contains { if case .connectionFailed = $0 { true } else { false } })
    try scene.vault.perform(.advertise(set: "call", isOn: true))
    let link = try scene.phone.connect(to: Vault.address)
    #expect(try scene.phone.pair(link) == .encrypted)
    #expect(scene.hostFaults == [])
  }

  @Test("A private central is targeted by private addresses with its key, which change after a while")
  func privateTarget() throws {
    let key = try #require(IdentityResolvingKey(VaultScene.phoneResolvingKey))
    var random = SplitMix64(seed: 5)
    let onAir = key.makeAddress(random: &random)
    let bonds = try CallingScene.bonds(phoneOnAir: onAir)
    #expect(bonds.vault.first?.usesPrivateAddress == true && bonds.vault.first?.peer == VaultScene.phoneIdentity)
    let scene = try CallingScene(
      [CallingScene.call(isHighDuty: false)], privacy: PrivacyPolicy(rotation: .seconds(1)), bonds: bonds.vault)
    scene.watch(for: .seconds(5))
    let targets = scene.targets
    #expect((4...7).contains(targets.count) && Set(targets).count == targets.count)
    #expect(targets.allSatisfy { key.resolves($0) && $0 != onAir })
    #expect(scene.hostFaults == [])
  }

  /// Core 5.4 Vol 3 Part C 10.7.1, 12.4.
  @Test("A private central that does not resolve addresses is not targeted; the accessory checks that once")
  func noResolution() throws {
    let key = try #require(IdentityResolvingKey(VaultScene.phoneResolvingKey))
    var random = SplitMix64(seed: 5)
    let bonds = try CallingScene.bonds(phoneOnAir: key.makeAddress(random: &random), phoneResolves: false)
    #expect(bonds.vault.map(\.resolvesAddresses) == [false])
    let scene = try CallingScene([CallingScene.call(isHighDuty: false, starts: false)], bonds: bonds.vault)
    #expect(throws: HostRequestError.nobodyToCall(set: "call")) {
      try scene.vault.perform(.advertise(set: "call", isOn: true))
    }
    #expect(
      try CallingScene.bonds(phoneOnAir: key.makeAddress(random: &random)).vault.map(\.resolvesAddresses) == [true])
    // Without a directed set, the accessory does not check.
    let other = try CallingScene([CallingScene.main])
    try other.part(try other.meet(other.phone))
    #expect(other.vault.stack.bonds.map(\.resolvesAddresses) == [nil])
  }

  @Test(
    "Without a bond there is no target; with several it is the last connected central, or the named one",
    .enabled(if: ControllerConfiguration.underTest.hasAdvertisingSets))
  func choice() throws {
    var named = CallingScene.call(isHighDuty: false)
    named.id = "named"
    named.target = .peer(VaultScene.phoneIdentity.address)
    let scene = try CallingScene([CallingScene.main, CallingScene.call(isHighDuty: false), named])
    #expect(throws: HostRequestError.nobodyToCall(set: "call")) {
      try scene.vault.perform(.advertise(set: "call", isOn: true))
    }
    try scene.part(try scene.meet(scene.phone))
    try scene.part(try scene.meet(scene.stranger), from: scene.stranger)
    scene.watch(for: .seconds(1))
    #expect(Set(scene.targets) == [CallingScene.strangerIdentity.address, VaultScene.phoneIdentity.address])
    let link = try scene.phone.connect(to: Vault.address)
    #expect(try scene.phone.pair(link) == .encrypted)
    try scene.part(link)
    scene.watch(for: .seconds(1))
    #expect(Set(scene.targets) == [VaultScene.phoneIdentity.address])
    try scene.vault.perform(.removeBond(VaultScene.phoneIdentity))
    scene.simulation.run(for: .milliseconds(50))
    scene.watch(for: .seconds(1))
    #expect(Set(scene.targets) == [CallingScene.strangerIdentity.address])
    #expect(scene.vault.stack.activeSets == ["main", "call"])
    #expect(scene.hostFaults == [])
  }
}
