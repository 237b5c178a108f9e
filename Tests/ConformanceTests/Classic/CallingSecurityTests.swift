import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import Simulation
import Testing
import VirtualRadio

/// The group GAP/SEC/SEM over BR/EDR, on the side that opens the channel: security mode 4 of this project's central (Core 5.4 Vol 3 Part C
/// 5.2.2.1). The channel is that of the Attribute Protocol.
@Suite("GAP/SEC/SEM over BR/EDR, initiator")
struct CallingSecurityTests {
  /// Security mode 4 level 2: without a bond, and without the wish for an authenticated key.
  private static func level2(bonds: Bool = false, prefersAuthentication: Bool = false) -> PairingPolicy {
    .pairable(.offered, .displayYesNo) { ($0.bonds, $0.prefersAuthentication) = (bonds, prefersAuthentication) }
  }

  /// Asks for the channel on a link, and returns whether the central requests it: after the link has been encrypted, not before.
  private func requests(_ scene: CallingScene, on link: ConnectionHandle) throws -> Bool {
    try scene.central.perform(.openAttributeChannel(link))
    scene.simulation.run(until: { scene.device.isEncrypted || scene.device.link == nil }, limit: .seconds(40))
    #expect(scene.next(.connectionRequest, within: .zero) == nil)
    guard scene.device.isEncrypted, let request = scene.next(.connectionRequest, within: .seconds(40)) else {
      return false
    }
    return Array(request[4..<6]) == [0x1F, 0]
  }

  /// Whether the central has said that it could not open the channel.
  private func hasFailed(_ scene: CallingScene) -> Bool {
    scene.central.events.contains { if case .attributeChannel(_, isOpen: false) = $0 { true } else { false } }
  }

  /// Ends the link, connects again, and opens the channel with the key of the bond.
  private func requestsAgain(_ scene: CallingScene, _ link: ConnectionHandle) throws {
    try scene.central.disconnect(link)
    scene.simulation.run(for: .seconds(1))
    scene.device.frames = []
    let before = scene.device.keyRequests
    #expect(try requests(scene, on: try scene.connect()))
    // The device has proven that it has the key.
    #expect(scene.device.keyRequests == before + 1 && scene.device.keys.count == 1)
  }

  @Test(
    "GAP/SEC/SEM/BV-05-C, GAP/SEC/SEM/BV-50-C: the central pairs, or authenticates with an unauthenticated key, before it requests the channel",
    arguments: [false, true])
  func unauthenticated(isBonded: Bool) throws {
    let scene = try CallingScene(Self.level2(bonds: isBonded))
    scene.device.requirements = isBonded ? .generalBonding : .noBonding
    let link = try scene.connect()
    #expect(try requests(scene, on: link))
    #expect(scene.device.peers.map(\.requirements) == [isBonded ? .generalBonding : .noBonding])
    #expect(scene.device.keys.map(\.type) == [.unauthenticatedP256])
    if isBonded { try requestsAgain(scene, link) }
  }

  @Test(
    "GAP/SEC/SEM/BV-06-C, GAP/SEC/SEM/BV-51-C: the key is authenticated if the device requires that",
    arguments: [false, true])
  func deviceRequires(isBonded: Bool) throws {
    let scene = try CallingScene(Self.level2(bonds: isBonded))
    scene.device.requirements = isBonded ? .generalBondingMITM : .noBondingMITM
    let link = try scene.connect()
    #expect(try requests(scene, on: link))
    #expect(scene.device.peers.map(\.requirements) == [isBonded ? .generalBonding : .noBonding])
    #expect(scene.device.keys.map(\.type) == [.authenticatedP256])
    if isBonded { try requestsAgain(scene, link) }
  }

  @Test(
    "GAP/SEC/SEM/BV-07-C, GAP/SEC/SEM/BV-52-C: the key is authenticated if the central wants that",
    arguments: [false, true])
  func centralRequires(isBonded: Bool) throws {
    let scene = try CallingScene(Self.level2(bonds: isBonded, prefersAuthentication: true))
    scene.device.requirements = isBonded ? .generalBonding : .noBonding
    let link = try scene.connect()
    #expect(try requests(scene, on: link))
    #expect(scene.device.peers.map(\.requirements) == [isBonded ? .generalBondingMITM : .noBondingMITM])
    #expect(scene.device.keys.map(\.type) == [.authenticatedP256])
    if isBonded { try requestsAgain(scene, link) }
  }

  @Test("GAP/SEC/SEM/BV-08-C: with a bond the central authenticates, and encrypts, before it requests the channel")
  func bonded() throws {
    let scene = try CallingScene()
    let link = try scene.connect()
    #expect(try requests(scene, on: link))
    try requestsAgain(scene, link)
  }

  @Test(
    """
    GAP/SEC/SEM/BV-16-C, GAP/SEC/SEM/BV-17-C: in Secure Connections Only mode no channel is requested of a device whose controller or host \
    lacks Secure Connections
    """, arguments: [false, true])
  func refusesOldKeys(hasController: Bool) throws {
    let scene = try CallingScene(
      .level4, on: hasController ? .dual : .withoutSecureConnections, isSecure: false)
    #expect(try !requests(scene, on: try scene.connect()))
    #expect(hasFailed(scene) && scene.central.stack.bonds.isEmpty)
  }

  @Test(
    "GAP/SEC/SEM/BV-18-C, GAP/SEC/SEM/BV-54-C: in Secure Connections Only mode the channel is requested with such a key",
    arguments: [false, true])
  func secureConnectionsOnly(isBonded: Bool) throws {
    let scene = try CallingScene(.level4)
    let link = try scene.connect()
    #expect(try requests(scene, on: link))
    #expect(scene.device.keys.map(\.type) == [.authenticatedP256])
    #expect(scene.central.security(of: link).protection == .secureConnections)
    if isBonded { try requestsAgain(scene, link) }
  }

  @Test(
    "GAP/SEC/SEM/BV-19-C, GAP/SEC/SEM/BV-55-C: otherwise the channel is requested with an authenticated key of another kind",
    arguments: [false, true])
  func otherKeys(isBonded: Bool) throws {
    let scene = try CallingScene(.level3, isSecure: false)
    let link = try scene.connect()
    #expect(try requests(scene, on: link))
    #expect(scene.device.keys.map(\.type) == [.authenticatedP192])
    if isBonded { try requestsAgain(scene, link) }
  }

  @Test(
    """
    GAP/SEC/SEM/BI-25-C, GAP/SEC/SEM/BI-26-C, GAP/SEC/SEM/BI-27-C: without encryption no channel is requested at levels 2, 3 and 4
    """, arguments: [level2(), PairingPolicy.level3, .level4])
  func withoutEncryption(_ security: PairingPolicy) throws {
    let scene = try CallingScene(security)
    // A device without the means to pair.
    try scene.device.command(HCIWriteSimplePairingMode { $0.isEnabled = false })
    #expect(try !requests(scene, on: try scene.connect()))
    #expect(hasFailed(scene) && !scene.device.isEncrypted)
  }

  @Test(
    "GAP/SEC/SEM/BI-32-C: in Secure Connections Only mode no channel is requested of a bonded device that has lost Secure Connections"
  )
  func lostSecureConnections() throws {
    let scene = try CallingScene(.level4)
    let link = try scene.connect()
    #expect(try requests(scene, on: link))
    try scene.central.disconnect(link)
    try scene.device.start(isSecure: false)
    try scene.device.scan()
    (scene.device.frames, scene.central.events) = ([], [])
    #expect(try !requests(scene, on: try scene.connect()))
    #expect(hasFailed(scene))
  }
}
