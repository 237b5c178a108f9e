import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

/// The groups SM/PER/SCCT and GAP/DM/LEP: keys of one transport that serve the other (Core 5.4 Vol 3 Part H 2.4.2.4, 2.4.2.5, Part C 14.1).
@Suite("SM/PER/SCCT, GAP/DM/LEP")
struct KeyDerivationTests {
  /// A policy that derives keys in both directions.
  private static func policy(
    _ ioCapability: IOCapability = .displayYesNo, _ change: (inout PairingPolicy) -> Void = { _ in }
  ) -> PairingPolicy {
    .pairable(.offered, ioCapability) {
      $0.distributes = [.encryption, .link]
      $0.wants = [.encryption, .link]
      change(&$0)
    }
  }

  // MARK: From BR/EDR to LE

  /// A Pairing Request on BR/EDR: bonding, and keys of 16 octets for encryption. `usesH7` sets CT2.
  private static func pairingRequest(usesH7: Bool) -> [UInt8] { [0x01, 3, 0, usesH7 ? 0x29 : 0x09, 16, 1, 1] }

  /// Asks for keys of LE, and returns the accessory's answer.
  private func derive(_ scene: ClassicScene, usesH7: Bool = true) throws -> [UInt8] {
    try scene.central.send(Self.pairingRequest(usesH7: usesH7), on: .classicSecurityManager)
    let answer = scene.central.next(on: .classicSecurityManager)
    scene.simulation.run(for: .seconds(1))
    return try #require(answer.flatMap { [UInt8](hexadecimal: $0) })
  }

  @Test(
    "SM/PER/SCCT/BV-04-C, SM/PER/SCCT/BV-06-C: the Long Term Key is derived from the link key, with h7 if both sides set CT2",
    arguments: [false, true])
  func longTermKey(usesH7: Bool) throws {
    let scene = try ClassicScene.connected(ClassicScene.configuration(security: Self.policy()))
    try scene.central.secure()
    let response = try derive(scene, usesH7: usesH7)
    #expect(response[0] == 0x02 && response[5] & 1 == 1 && response[6] & 1 == 1)
    #expect(response[3] & 0x20 == 0x20)
    let linkKey = try #require(scene.central.key)
    try scene.central.disconnect()
    try scene.central.connectLowEnergy()
    let key = SecurityToolbox.longTermKey(from: linkKey, usesH7: usesH7)
    #expect(try scene.central.encryptLowEnergy(with: key) == .success)
    #expect(scene.accessory.stack.linkStates[0].security.protection == .secureConnections)
  }

  @Test(
    "GAP/DM/LEP/BV-19-C: a key of LE from a pairing over BR/EDR is as strong as the link key", arguments: [false, true])
  func strength(isAuthenticated: Bool) throws {
    let scene = try ClassicScene.connected(
      ClassicScene.configuration(security: Self.policy(isAuthenticated ? .displayYesNo : .noInputNoOutput)))
    try scene.central.secure()
    _ = try derive(scene)
    let linkKey = try #require(scene.central.key)
    let strength = KeyStrength(isAuthenticated: isAuthenticated, isSecureConnections: true, keySize: 16)
    #expect(scene.bond?.strength == strength && scene.bond?.linkKeyStrength == strength)
    try scene.central.disconnect()
    try scene.central.connectLowEnergy()
    let key = SecurityToolbox.longTermKey(from: linkKey, usesH7: true)
    #expect(try scene.central.encryptLowEnergy(with: key) == .success)
    let pairings = scene.accessory.events.filter {
      if case .security(_, .pairing) = $0 { true } else { false }
    }
    #expect(pairings.count == 1)
  }

  @Test("GAP/DM/LEP/BI-02-C: a link key of P-192 gives no key of LE, and the devices can still pair over LE")
  func oldLinkKey() throws {
    let pair = try TransportPair(Self.policy())
    try pair.useClassic(isSecure: false)
    try pair.scene.central.connect()
    try pair.scene.central.secure()
    #expect(pair.scene.central.keys.map(\.type) == [.authenticatedP192])
    #expect(try derive(pair.scene) == [0x05, 0x0E])
    try pair.scene.central.disconnect()
    let outcome = try pair.pairLowEnergy(Self.policy())
    guard case .paired(let bond, true) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(bond.strength.isSecureConnections)
  }

  // MARK: From LE to BR/EDR

  @Test(
    """
    SM/PER/SCCT/BV-08-C, SM/PER/SCCT/BV-10-C: the link key is derived from the whole Long Term Key, even if it is then shortened, and \
    with h7 if both sides set CT2
    """, arguments: [false, true])
  func linkKey(usesH7: Bool) throws {
    let pair = try TransportPair(Self.policy())
    let outcome = try pair.pairLowEnergy(
      Self.policy {
        ($0.keySizes, $0.supportsH7) = (7...7, usesH7)
      })
    guard case .paired(let bond, true) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    let (linkKey, short) = (
      try #require(bond.linkKey), try #require(bond.keyAsCentral?.key ?? bond.keyAsPeripheral?.key)
    )
    #expect(bond.strength.keySize == 7 && short.count { $0 != 0 } <= 7)
    #expect(linkKey != SecurityToolbox.linkKey(from: short, usesH7: usesH7))
    try pair.useClassic(key: linkKey)
    try pair.scene.central.connect()
    #expect(try pair.scene.central.authenticate() == .success)
    #expect(try pair.scene.central.encrypt() == .success)
    #expect(pair.scene.central.keys.isEmpty)
  }

  @Test(
    """
    GAP/DM/LEP/BV-14-C, GAP/DM/LEP/BV-16-C: a link key from a pairing over LE is as strong as the Long Term Key, whether the \
    central has Secure Connections over BR/EDR or not
    """, arguments: [true, false])
  func classicWithDerivedKey(isSecure: Bool) throws {
    let pair = try TransportPair(Self.policy())
    guard case .paired(let bond, true) = try pair.pairLowEnergy(Self.policy()) else {
      Issue.record("not paired")
      return
    }
    #expect(pair.scene.bond?.linkKeyStrength ?? pair.scene.bond?.strength == bond.strength)
    #expect(bond.strength == KeyStrength(isAuthenticated: true, isSecureConnections: true, keySize: 16))
    let linkKey = try #require(bond.linkKey)
    try pair.useClassic(isSecure: isSecure, key: linkKey)
    try pair.scene.central.connect()
    try pair.scene.central.secure()
    #expect(pair.scene.central.pairings.isEmpty)
    #expect(try pair.scene.request(.attributeProtocol)?.result == 0)
  }

  // MARK: Weaker keys

  @Test("GAP/DM/LEP/BV-21-C: a weaker link key does not replace a Long Term Key")
  func weakerLinkKey() throws {
    let pair = try TransportPair(Self.policy { $0.distributes = [.encryption] })
    guard case .paired(let bond, true) = try pair.pairLowEnergy(Self.policy { $0.distributes = [.encryption] }) else {
      Issue.record("not paired")
      return
    }
    try pair.useClassic()
    (pair.scene.central.capability, pair.scene.central.requirements) = (.noInputNoOutput, .generalBonding)
    try pair.scene.central.connect()
    if try pair.scene.central.authenticate() == .success, try pair.scene.central.encrypt() == .success {
      try pair.scene.central.send(Self.pairingRequest(usesH7: true), on: .classicSecurityManager)
      pair.scene.simulation.run(for: .seconds(1))
    }
    if pair.scene.central.link != nil { try pair.scene.central.disconnect() }
    try pair.scene.central.connectLowEnergy()
    let key = try #require(bond.keyAsCentral?.key ?? bond.keyAsPeripheral?.key)
    #expect(try pair.scene.central.encryptLowEnergy(with: key) == .success)
    #expect(pair.scene.accessory.stack.linkStates[0].security.protection == .secureConnections)
  }

  @Test("GAP/DM/LEP/BV-23-C: a weaker Long Term Key does not replace a link key")
  func weakerLongTermKey() throws {
    let pair = try TransportPair(Self.policy())
    try pair.useClassic()
    try pair.scene.central.connect()
    try pair.scene.central.secure()
    let key = try #require(pair.scene.central.key)
    try pair.scene.central.disconnect()
    _ = try pair.pairLowEnergy(Self.policy(.noInputNoOutput))
    try pair.useClassic(key: key)
    try pair.scene.central.connect()
    try pair.scene.central.secure()
    #expect(pair.scene.central.pairings.isEmpty)
    #expect(pair.scene.state?.security.protection == .secureConnections)
  }
}

/// The accessory and one central device that uses one transport at a time: that of LE has a host, that of BR/EDR none.
private final class TransportPair {
  private(set) var scene: ClassicScene
  private let simulation: RadioSimulation
  private var phone: ScriptedCentral?

  init(_ security: PairingPolicy) throws {
    scene = try ClassicScene(ClassicScene.configuration(security: security))
    simulation = scene.simulation
  }

  private var address: DeviceAddress {
    get throws { try #require(simulation.air.configuration(of: scene.accessory.controller)?.publicAddress) }
  }

  /// Gives the controller to the host-less central, which starts anew.
  func useClassic(isSecure: Bool = true, key: [UInt8]? = nil) throws {
    let central = try ClassicCentral(on: simulation, scene.central.controller, for: try address)
    central.key = key
    simulation.interpose(central, before: scene.central)
    scene.central = central
    try central.start(isSecure: isSecure)
  }

  /// Gives the controller to a host of LE, pairs, and ends the link.
  func pairLowEnergy(_ security: PairingPolicy) throws -> PairingOutcome {
    var configuration = CentralConfiguration(randomAddress: nil)
    configuration.security = security
    let phone = ScriptedCentral(try CentralStack(configuration), on: scene.central.controller, of: simulation)
    self.phone = phone
    phone.user = .accepts()
    simulation.interpose(phone, before: scene.central)
    try phone.start()
    let link = try phone.connect(ConnectionRequest(to: try address, type: .publicDevice))
    let outcome = try phone.pair(link)
    simulation.run(for: .seconds(1))
    if phone.stack.linkStates.contains(where: { $0.handle == link }) { try phone.disconnect(link) }
    simulation.run(for: .milliseconds(200))
    return outcome
  }
}
