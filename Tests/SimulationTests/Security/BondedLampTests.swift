import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import Faults
import PeripheralHost
import Simulation
import TestPreset
import Testing

/// A lamp and a phone that pair, exchange signing keys, and both support enhanced bearers.
private struct BondedScene {
  let scene: LampScene
  private static let signed = CharacteristicIndex(3)

  var lamp: SimulatedAccessory<CountingApplication> { scene.lamp }
  var phone: ScriptedCentral { scene.phone }
  /// A value with only signed writes.
  var signed: UInt16 { scene.value(Self.signed) }

  init(_ gatt: GATTPolicy = GATTPolicy()) throws {
    var policy = PairingPolicy.pairable()
    policy.distributes = [.encryption, .identity, .signing]
    policy.wants = [.encryption, .identity, .signing]
    var configuration = Lamp.configuration()
    configuration.security = policy
    configuration.gatt = gatt
    configuration.services.append(
      ServiceDefinition(
        id: "signed", uuid: BluetoothUUID(0xFFE0),
        characteristics: [
          CharacteristicDefinition(
            id: "signed", uuid: BluetoothUUID(0xFFE1), properties: [.read, .authenticatedSignedWrites],
            value: .stored([1]))
        ]))
    var phone = CentralConfiguration(randomAddress: .randomStatic(from: 0xF0E), enhancedBearers: 3)
    phone.security = policy
    scene = try LampScene(configuration, phone: phone)
    scene.lamp.user = .accepts()
    scene.phone.user = .accepts()
    scene.lamp.stack.reportsAccess = true
  }

  func connect() throws -> ConnectionHandle { try phone.connect(to: Lamp.address) }

  func pair(_ link: ConnectionHandle) throws {
    guard case .paired = try phone.pair(link) else {
      Issue.record("not paired")
      return
    }
    scene.simulation.run(for: .seconds(1))
  }

  func disconnect(_ link: ConnectionHandle) throws {
    try phone.disconnect(link)
    scene.simulation.run(until: { [scene] in scene.lamp.stack.linkStates.isEmpty })
  }

  var value: [UInt8]? { lamp.stack.value(of: Self.signed, at: scene.simulation.now) }

  var refusals: [ServerEvent] {
    lamp.events.compactMap { event in
      guard case .server(_, let event) = event, case .refused = event else { return nil }
      return event
    }
  }
}

@Suite("Signed writes and enhanced bearers after pairing")
struct BondedLampTests {
  /// Core 5.4 Vol 3 Part C 10.4.1, 10.4.2.
  @Test("A bonded phone writes with a signature, and both sides keep their counters")
  func signedWrites() throws {
    let scene = try BondedScene()
    var link = try scene.connect()
    try scene.pair(link)
    try scene.disconnect(link)
    link = try scene.connect()
    for number in [UInt8(7), 8, 9] {
      try scene.phone.perform(.writeSigned(scene.signed, [number]), on: link)
      scene.scene.simulation.run(for: .milliseconds(200))
      #expect(scene.value == [number])
    }
    #expect(scene.lamp.stack.bonds.first?.bond.peerSigning?.counter == 3)
    #expect(scene.phone.stack.bonds.first?.bond.ownSigning?.counter == 3)
    let kept = scene.lamp.events.compactMap { event -> UInt32? in
      if case .bondChanged(let record) = event { record.bond.peerSigning?.counter } else { nil }
    }
    #expect(kept.suffix(3) == [1, 2, 3])
    // A used counter is not accepted again, nor is a signature with another key.
    var record = try #require(scene.phone.stack.bonds.first)
    record.bond.ownSigning?.counter = 1
    try scene.disconnect(link)
    try scene.phone.perform(.setBond(record))
    link = try scene.connect()
    try scene.phone.perform(.writeSigned(scene.signed, [10]), on: link)
    scene.scene.simulation.run(for: .milliseconds(200))
    #expect(scene.value == [9])
    #expect(scene.refusals == [.refused(.signedWriteCommand, handle: scene.signed, .insufficientAuthentication)])
  }

  @Test("A fault accepts a write with a valid signature, and delays it, like any other")
  func faultySignedWrites() throws {
    let scene = try BondedScene()
    var link = try scene.connect()
    try scene.pair(link)
    try scene.disconnect(link)
    link = try scene.connect()
    let write = FaultOccasion.access(.write, of: "signed")
    for (action, value, later) in [(FaultAction.ignore, [1], [1]), (.delay(.seconds(1)), [1], [8])]
      as [(FaultAction, [UInt8], [UInt8])]
    {
      scene.lamp.stack.arm([Fault(id: "signed", on: write, do: action)], at: scene.scene.simulation.now)
      try scene.phone.perform(.writeSigned(scene.signed, [8]), on: link)
      scene.scene.simulation.run(for: .milliseconds(200))
      #expect(scene.value == value, "\(action)")
      scene.scene.simulation.run(for: .seconds(2))
      #expect(scene.value == later, "\(action)")
    }
    let injected = scene.lamp.events.filter { if case .injected = $0 { true } else { false } }
    #expect(injected.count == 2)
  }

  @Test("On an encrypted link no signature is sent, and none is needed")
  func encrypted() throws {
    let scene = try BondedScene()
    let link = try scene.connect()
    #expect(throws: GATTFailure.noSigningKey) { try scene.phone.perform(.writeSigned(scene.signed, [2]), on: link) }
    try scene.pair(link)
    try scene.phone.perform(.writeSigned(scene.signed, [7]), on: link)
    scene.scene.simulation.run(for: .milliseconds(200))
    #expect(scene.value == [7] && scene.lamp.stack.bonds.first?.bond.peerSigning?.counter == 0)
  }

  @Test("A value that requires a signature is not written without one")
  func unsigned() throws {
    let scene = try BondedScene()
    let link = try scene.connect()
    try scene.phone.writeWithoutResponse([5], to: scene.signed, on: link)
    scene.scene.simulation.run(for: .milliseconds(200))
    #expect(scene.value == [1])
  }

  @Test("The accessory opens bearers after pairing, and with a bonded phone as soon as the link is encrypted")
  func bearers() throws {
    let scene = try BondedScene(GATTPolicy(enhancedBearers: 2, opensEnhancedBearers: true))
    var link = try scene.connect()
    let database = try scene.phone.discover(on: link)
    let features = try #require(database.characteristic(.clientSupportedFeatures)?.value)
    try scene.phone.write([0x02], to: features, on: link)
    scene.scene.simulation.run(for: .seconds(1))
    #expect(scene.phone.stack.enhancedBearers(of: link).isEmpty)
    try scene.pair(link)
    #expect(scene.phone.stack.enhancedBearers(of: link).count == 2)
    try scene.disconnect(link)
    link = try scene.connect()
    try scene.phone.perform(.pair(link))
    scene.scene.simulation.run(for: .seconds(1))
    #expect(scene.phone.stack.enhancedBearers(of: link).count == 2)
    let bearer = try #require(scene.phone.stack.enhancedBearers(of: link).last?.id)
    #expect(try scene.phone.perform(.read(scene.signed), on: link, over: bearer) == .value([1]))
  }
}
