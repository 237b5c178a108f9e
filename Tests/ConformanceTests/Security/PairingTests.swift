import BLEATT
import BLECore
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import Simulation
import Testing

/// The association models with the accessory as responder, in both generations.
@Suite("SM/PER: association models")
struct PairingTests {
  /// A phone's mistake, and the expected reason of the failure.
  private func fails(
    _ generation: SecureConnectionsSupport, _ capabilities: (accessory: IOCapability, phone: IOCapability),
    _ reason: PairingFailed.Reason, _ change: @escaping (inout PairingPolicy) -> Void
  ) throws {
    let scene = try SecurityScene(
      .pairable(generation, capabilities.accessory), phone: .pairable(generation, capabilities.phone, change))
    #expect(try scene.phone.pair(scene.link) == .failed(reason, byPeer: true))
    #expect(scene.bond == nil && scene.state?.security == .open)
    #expect(try scene.refusal(Guarded.encrypted) == .insufficientAuthentication)
  }

  private func succeeds(
    _ accessory: PairingPolicy, _ phone: PairingPolicy, _ strength: KeyStrength
  ) throws {
    let scene = try SecurityScene(accessory, phone: phone)
    let bond = try scene.pair()
    #expect(bond.strength == strength && scene.bond?.strength == strength)
    #expect(scene.bond?.keyAsPeripheral == bond.keyAsCentral)
    #expect(try scene.refusal(Guarded.encrypted) == nil)
    try scene.reconnect()
    #expect(try scene.encrypt())
  }

  private func strength(_ isAuthenticated: Bool, _ generation: SecureConnectionsSupport) -> KeyStrength {
    KeyStrength(isAuthenticated: isAuthenticated, isSecureConnections: generation == .offered, keySize: 16)
  }

  @Test(
    "SM/PER/JW/BV-02-C, SM/PER/SCJW/BV-02-C, SM/PER/SCJW/BV-03-C: Just Works",
    arguments: [SecureConnectionsSupport.none, .offered],
    [IOCapability.noInputNoOutput, .displayOnly, .keyboardDisplay])
  func justWorks(generation: SecureConnectionsSupport, phone: IOCapability) throws {
    try succeeds(.pairable(generation), .pairable(generation, phone), strength(false, generation))
  }

  @Test("SM/PER/JW/BI-02-C, SM/PER/JW/BI-03-C: reserved bits of AuthReq are ignored, a wrong confirm value fails")
  func justWorksFailures() throws {
    let raw = try RawScene(Guarded.configuration(.pairable(.none), requests: .never))
    try raw.central.send("01 03 00 e1 10 01 01", on: .securityManager)
    #expect(raw.central.next(on: .securityManager)?.hasPrefix("0203000110") == true)
    try fails(.none, (.noInputNoOutput, .noInputNoOutput), .confirmValueFailed) {
      $0.faults = [.corrupts(.pairingConfirm)]
    }
  }

  @Test("SM/PER/SCJW/BI-02-C: a wrong DHKey check fails")
  func secureJustWorksFailure() throws {
    try fails(.offered, (.noInputNoOutput, .noInputNoOutput), .dhKeyCheckFailed) {
      $0.faults = [.corrupts(.pairingDHKeyCheck)]
    }
  }

  @Test(
    "SM/PER/PKE/BV-02-C, SM/PER/PKE/BV-05-C, SM/PER/SCPK/BV-02-C, SM/PER/SCPK/BV-03-C: a passkey, typed on either side",
    arguments: [SecureConnectionsSupport.none, .offered],
    [
      (IOCapability.displayOnly, IOCapability.keyboardOnly), (.keyboardOnly, .displayOnly),
      (.keyboardOnly, .keyboardOnly),
    ])
  func passkey(generation: SecureConnectionsSupport, capabilities: (IOCapability, IOCapability)) throws {
    try succeeds(
      .pairable(generation, capabilities.0) { $0.sendsKeypresses = true },
      .pairable(generation, capabilities.1) { $0.sendsKeypresses = true }, strength(true, generation))
  }

  @Test(
    "SM/PER/PKE/BI-03-C, SM/PER/SCPK/BI-03-C, SM/PER/SCPK/BI-04-C: a wrong passkey, or one that is refused, fails",
    arguments: [SecureConnectionsSupport.none, .offered])
  func passkeyFailures(generation: SecureConnectionsSupport) throws {
    try fails(generation, (.displayOnly, .keyboardOnly), .confirmValueFailed) { $0.faults = [.wrongPasskey] }
    try fails(generation, (.keyboardOnly, .displayOnly), .confirmValueFailed) {
      $0.faults = [.corrupts(.pairingConfirm)]
    }
    let scene = try SecurityScene(.pairable(generation, .keyboardOnly), phone: .pairable(generation, .displayOnly))
    scene.accessory.user = .refuses
    #expect(try scene.phone.pair(scene.link) == .failed(.passkeyEntryFailed, byPeer: true))
  }

  @Test("SM/PER/OOB/BV-06-C: legacy pairing with out-of-band data on both sides")
  func outOfBand() throws {
    var data = OutOfBandData()
    data.temporaryKey = [UInt8](1...16)
    let policy = PairingPolicy.pairable(.none) { $0.outOfBand = data }
    try succeeds(policy, policy, strength(true, .none))
  }

  @Test("SM/PER/OOB/BV-08-C: legacy pairing with out-of-band data on one side alone is Just Works")
  func outOfBandOnOneSide() throws {
    var data = OutOfBandData()
    data.temporaryKey = [UInt8](1...16)
    try succeeds(.pairable(.none), .pairable(.none) { $0.outOfBand = data }, strength(false, .none))
  }

  private func offers() throws -> (accessory: OutOfBandOffer, phone: OutOfBandOffer) {
    var random = SplitMix64(seed: 5)
    return (try #require(OutOfBandOffer(random: &random)), try #require(OutOfBandOffer(random: &random)))
  }

  @Test(
    "SM/PER/SCOB/BV-02-C, SM/PER/SCOB/BV-03-C: LE Secure Connections with out-of-band data of both sides or of one",
    arguments: [(true, true), (true, false), (false, true)])
  func secureOutOfBand(accessoryHas: Bool, phoneHas: Bool) throws {
    let offers = try offers()
    try succeeds(
      .pairable {
        $0.ownOutOfBand = offers.accessory
        if accessoryHas { $0.outOfBand = offers.phone.data }
      },
      .pairable {
        $0.ownOutOfBand = offers.phone
        if phoneHas { $0.outOfBand = offers.accessory.data }
      }, strength(true, .offered))
  }

  @Test("SM/PER/SCOB/BI-02-C, SM/PER/SCOB/BI-03-C: out-of-band data that is not the peer's fails")
  func secureOutOfBandFailure() throws {
    let offers = try offers()
    var wrong = offers.phone.data
    wrong.confirm?[0] ^= 1
    let scene = try SecurityScene(
      .pairable {
        $0.ownOutOfBand = offers.accessory
        $0.outOfBand = wrong
      },
      phone: .pairable {
        $0.ownOutOfBand = offers.phone
        $0.outOfBand = offers.accessory.data
      })
    #expect(try scene.phone.pair(scene.link) == .failed(.confirmValueFailed, byPeer: true))
    #expect(scene.bond == nil)
    // The random value of the phone's data is wrong: the DHKey check fails.
    let second = try SecurityScene(
      .pairable {
        $0.ownOutOfBand = offers.accessory
        $0.outOfBand = offers.phone.data
      },
      phone: .pairable {
        $0.ownOutOfBand = offers.phone
        $0.outOfBand = offers.accessory.data
        $0.outOfBand?.random?[0] ^= 1
      })
    guard case .failed = try second.phone.pair(second.link) else {
      Issue.record("paired")
      return
    }
    #expect(second.bond == nil)
  }

  @Test("SM/PER/PROT/BV-02-C: after 30 s of silence the pairing has failed, and the link takes no other")
  func timeout() throws {
    for code in [SMPCode.pairingConfirm, .pairingRandom] {
      let scene = try SecurityScene(.pairable(.none), phone: .pairable(.none) { $0.faults = [.silent(code)] })
      try scene.phone.perform(.pair(scene.link))
      scene.simulation.run(for: .seconds(29))
      #expect(!scene.events.contains(.timedOut))
      scene.simulation.run(for: .seconds(2))
      #expect(scene.events.contains(.timedOut) && scene.bond == nil)
    }
    let raw = try RawScene(Guarded.configuration(.pairable(.none), requests: .never))
    try raw.central.send("01 03 00 01 10 01 01", on: .securityManager)
    #expect(raw.central.next(on: .securityManager) != nil)
    raw.simulation.run(for: .seconds(31))
    try raw.central.exchange("01 03 00 01 10 01 01", nil, on: .securityManager)
    try raw.central.exchange("0a 0300", "0b \(Array(Specimen.name.utf8).hexadecimal)")
  }
}
