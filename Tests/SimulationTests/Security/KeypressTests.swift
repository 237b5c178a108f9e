import BLECore
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import PeripheralHost
import Simulation
import Testing

/// Keypress notifications from the accessory to a central (Core 5.4 Vol 3 Part H 2.3.5.3, 3.5.8).
@Suite("Keypress notifications")
struct KeypressTests {
  private static let passkey: UInt32 = 93412

  private static func policy(_ capability: IOCapability, _ generation: SecureConnectionsSupport) -> PairingPolicy {
    var policy = PairingPolicy.pairable(capability, generation, authenticated: true)
    policy.sendsKeypresses = true
    return policy
  }

  /// Returns a vault with a keyboard, whose user is about to type the phone's passkey.
  private func typing(
    _ generation: SecureConnectionsSupport, _ change: (inout PairingPolicy) -> Void = { _ in }
  ) throws -> (scene: VaultScene, link: ConnectionHandle, central: ConnectionHandle) {
    var keyboard = Self.policy(.keyboardOnly, generation)
    change(&keyboard)
    var display = Self.policy(.displayOnly, generation)
    display.fixedPasskey = Self.passkey
    let scene = try VaultScene(keyboard, phone: display)
    scene.vault.user = .nobody
    let central = try scene.connect()
    try scene.phone.perform(.pair(central))
    let isAsked = scene.simulation.run {
      VaultScene.security(scene.vault.events).contains(.asked(.passkey))
    }
    try #require(isAsked)
    return (scene, try #require(scene.link).handle, central)
  }

  private func heard(_ scene: VaultScene) -> [Keypress] {
    VaultScene.security(scene.phone.events).compactMap { if case .keypress(let key) = $0 { key } else { nil } }
  }

  @Test(
    "Single keys are notified when they are pressed, and the passkey then sends no digits again",
    arguments: [
      SecureConnectionsSupport.none, .offered,
    ])
  func single(generation: SecureConnectionsSupport) throws {
    let (scene, link, central) = try typing(generation)
    let keys: [Keypress] = [.digitEntered, .digitErased, .digitEntered, .cleared, .digitEntered]
    for key in keys {
      try scene.vault.perform(.pressKey(link, key))
      // The phone sends nothing meanwhile, so the user has only the 30 s of Core 5.4 Vol 3 Part H 3.4.
      scene.simulation.run(for: .seconds(4))
    }
    try scene.vault.perform(.answerPairing(link, .passkey(Self.passkey)))
    scene.simulation.run(for: .seconds(10))
    #expect(heard(scene) == [.entryStarted] + keys + [.entryCompleted])
    #expect(scene.phone.security(of: central).protection > .encrypted)
    #expect(throws: HostRequestError.noKeypresses(link)) { try scene.vault.perform(.pressKey(link, .cleared)) }
  }

  @Test("Without single keys, six digits are notified, or the list of the policy")
  func scripted() throws {
    for (script, expected) in [
      (nil, PairingPolicy.sixDigits), ([Keypress.digitEntered, .cleared], [Keypress.digitEntered, .cleared]),
    ] {
      let (scene, link, _) = try typing(.offered) { policy in
        if let script { policy.typedKeys = script }
      }
      try scene.vault.perform(.answerPairing(link, .passkey(Self.passkey)))
      scene.simulation.run(for: .seconds(10))
      #expect(heard(scene) == [.entryStarted] + expected)
      #expect(scene.vault.stack.bonds.count == 1)
    }
  }

  @Test("Keys are notified only if both sides have agreed on it, and only during passkey entry")
  func refused() throws {
    let (scene, link, _) = try typing(.offered) { $0.sendsKeypresses = false }
    #expect(throws: HostRequestError.noKeypresses(link)) { try scene.vault.perform(.pressKey(link, .digitEntered)) }
    try scene.vault.perform(.answerPairing(link, .passkey(Self.passkey)))
    scene.simulation.run(for: .seconds(10))
    #expect(heard(scene) == [] && scene.vault.stack.bonds.count == 1)
  }
}
