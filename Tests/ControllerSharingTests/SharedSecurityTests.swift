import BLECore
import BLECryptography
import BLEGAP
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import ControllerSharing
import PeripheralHost
import Simulation
import Testing
import TestPreset
import VirtualRadio

@Suite("Pairing with several accessories on one controller", .timeLimit(.minutes(20)))
struct SharedSecurityTests {
  @Test(
    "Two accessories pair at once, each with its own keys, and each link is encrypted with those of its accessory",
    .enabled(if: ControllerConfiguration.underTest.hasAdvertisingSets))
  func together() throws {
    let simulation = RadioSimulation(seed: 5)
    let site = try SharedSite(
      (0..<2).map { number in
        var configuration = Lamp.configuration(number)
        configuration.security.isPairable = true
        return configuration
      }, of: simulation)
    for seat in site.stacks.indices { site.stacks[seat].random = SplitMix64(seed: UInt64(seat)) }
    var configuration = CentralConfiguration()
    configuration.security.isPairable = true
    let phone = try simulation.addCentral(configuration)
    try phone.start()
    try #require(site.startAll(), "\(site.events)")

    func connect() throws -> [ConnectionHandle] {
      try (0..<2).map { try phone.connect(to: phone.find(ScanFilter(name: "Lamp \($0)")).address) }
    }
    func isEncrypted() -> Bool {
      site.stacks.allSatisfy { $0.linkStates.map(\.security.protection) == [.encrypted] }
    }
    let links = try connect()
    for link in links { try phone.perform(.pair(link)) }
    #expect(simulation.run { site.stacks.allSatisfy { $0.bonds.count == 1 } })
    #expect(isEncrypted())
    let keys = site.stacks.map { $0.bonds.first?.bond.keyAsPeripheral }
    #expect(keys[0] != keys[1] && phone.stack.bonds.count == 2)

    for link in links { try phone.disconnect(link) }
    simulation.run { site.stacks.allSatisfy { $0.linkStates.isEmpty } }
    for link in try connect() { try phone.perform(.pair(link)) }
    #expect(simulation.run { isEncrypted() })
    #expect(site.stacks.map { $0.bonds.first?.bond.keyAsPeripheral } == keys)
    for seat in site.stacks.indices { #expect(site.faults(seat) == []) }
  }

  @Test(
    "Each accessory on a shared controller changes its private addresses, generated with its own key, even if it would leave that to the controller",
    .enabled(if: ControllerConfiguration.underTest.hasAdvertisingSets)
  )
  func rotation() throws {
    let simulation = RadioSimulation(seed: 6)
    let keys = (0..<3).map { number in (0..<16).map { UInt8($0 + 16 * number + 1) } }
    let site = try SharedSite(
      (0..<3).map { number in
        var configuration = Lamp.configuration(number)
        configuration.privacy = PrivacyPolicy(isPrivate: true, rotation: .seconds(1))
        configuration.privacy.maker = number == 2 ? .auto : .host
        configuration.identityResolvingKey = keys[number]
        return configuration
      }, of: simulation)
    for seat in site.stacks.indices { site.stacks[seat].random = SplitMix64(seed: UInt64(seat)) }
    let phone = try simulation.addCentral()
    try phone.start()
    try #require(site.startAll(), "\(site.events)")
    let heard = try phone.scan(for: .seconds(5))
    for (number, octets) in keys.enumerated() {
      let key = try #require(IdentityResolvingKey(octets))
      let own = heard.filter { $0.data.localName == "Lamp \(number)" }.map(\.address)
      #expect((4...7).contains(Set(own).count) && own.allSatisfy { key.resolves($0) }, "Lamp \(number)")
    }
    #expect(Set(heard.map(\.address)).count > 12)
    for seat in site.stacks.indices { #expect(site.faults(seat) == []) }
  }
}
