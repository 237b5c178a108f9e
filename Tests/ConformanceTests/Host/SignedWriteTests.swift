import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import PeripheralHost
import Simulation
import Testing

/// Data signing with a bonded client (Core 5.4 Vol 3 Part C 10.4, Part F 3.4.5.4, Part H 2.4.5).
@Suite("Signed writes")
struct SignedWriteTests {
  /// The accessory with the bond of a central whose signing key was not authenticated.
  private struct Scene {
    let simulation = RadioSimulation()
    let accessory: SpecimenAccessory
    let central: RawCentral
    let peer: PeerIdentity

    /// A value that takes signed writes, one that takes them over authenticated links alone, and one that takes none.
    static let signed: UInt16 = 0x0012
    static let authenticated: UInt16 = 0x0014
    static let plain: UInt16 = 0x0016
    static let key = (0..<16).map { UInt8($0 * 11) }

    private static let service = ServiceDefinition(
      id: "values", uuid: BluetoothUUID(0xFFF0),
      characteristics: [
        CharacteristicDefinition(
          id: "signed", uuid: BluetoothUUID(0xFFF1), properties: [.read, .authenticatedSignedWrites],
          value: .stored([1])),
        CharacteristicDefinition(
          id: "authenticated", uuid: BluetoothUUID(0xFFF2), properties: [.read, .authenticatedSignedWrites],
          permissions: AttributePermissions(read: .open, write: AccessRequirement(protection: .authenticated)),
          value: .stored([2])),
        CharacteristicDefinition(
          id: "plain", uuid: BluetoothUUID(0xFFF3), properties: [.read, .write], value: .stored([3])),
      ], handle: 0x0010)

    init(counter: UInt32 = 0) throws {
      var configuration = Specimen.configuration()
      configuration.services = [Self.service]
      accessory = try simulation.addSpecimen(configuration)
      central = try RawCentral(on: simulation)
      peer = PeerIdentity(address: central.address, isRandom: true)
      var bond = Bond(
        peer: peer, strength: KeyStrength(isAuthenticated: false, isSecureConnections: false, keySize: 16))
      bond.peerSigning = SigningKey(key: Self.key, counter: counter)
      try accessory.perform(.setBond(BondRecord(bond: bond)))
      try central.connect()
      accessory.stack.reportsAccess = true
    }

    /// Sends a signed write, whose signature is right unless the test changes it.
    func write(
      _ value: [UInt8], to handle: UInt16 = signed, counter: UInt32, change: (inout [UInt8]) -> Void = { _ in }
    ) throws {
      let data = [0xD2, UInt8(handle & 0xFF), UInt8(handle >> 8)] + value
      var signature = DataSignature.sign(data, key: Self.key, counter: counter)
      change(&signature)
      try central.send(data + signature, on: .attributeProtocol)
      #expect(central.next() == nil)
    }

    func expect(_ value: String, of handle: UInt16 = signed, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let low = [UInt8(handle & 0xFF)].hexadecimal
      try central.exchange("0a \(low)00", "0b \(value)", sourceLocation: sourceLocation)
    }

    var refusals: [ServerEvent] {
      accessory.events.compactMap { event in
        guard case .server(_, let event) = event, case .refused = event else { return nil }
        return event
      }
    }
  }

  @Test("GAP/SEC/CSIGN/BV-02-C, GATT/SR/GAW/BV-02-C: a write with a right signature is done")
  func right() throws {
    let scene = try Scene()
    try scene.write([7], counter: 0)
    try scene.expect("07")
    // Counters that were left out are gone.
    try scene.write([8], counter: 5)
    try scene.expect("08")
    #expect(scene.accessory.stack.bonds.first?.bond.peerSigning?.counter == 6)
  }

  @Test("GAP/SEC/CSIGN/BI-01-C, GATT/SR/GAW/BI-01-C: a write with a wrong signature is ignored")
  func wrong() throws {
    let scene = try Scene()
    for octet in [0, 4, 11] { try scene.write([7], counter: 0) { $0[octet] ^= 1 } }
    try scene.expect("01")
    #expect(scene.refusals.count == 3 && scene.central.ends == [])
    #expect(scene.accessory.stack.bonds.first?.bond.peerSigning?.counter == 0)
    try scene.write([7], counter: 0)
    try scene.expect("07")
  }

  @Test("GAP/SEC/CSIGN/BI-02-C: a write with a counter that was used before is ignored")
  func replayed() throws {
    let scene = try Scene(counter: 2)
    try scene.write([7], counter: 2)
    try scene.write([8], counter: 3)
    try scene.write([9], counter: 0)
    try scene.write([10], counter: 3)
    try scene.expect("08")
  }

  @Test("GAP/SEC/CSIGN/BI-03-C: a signed write of a central whose bond was deleted is ignored")
  func bondDeleted() throws {
    let scene = try Scene()
    try scene.accessory.perform(.removeBond(scene.peer))
    try scene.write([7], counter: 0)
    try scene.expect("01")
  }

  @Test("GAP/SEC/CSIGN/BI-04-C: a signed write of a value that asks for authentication is ignored")
  func notAuthenticated() throws {
    let scene = try Scene()
    try scene.write([7], to: Scene.authenticated, counter: 0)
    try scene.expect("02", of: Scene.authenticated)
  }

  @Test("A value that takes no signed writes, one that is too long and a handle that is not there change nothing")
  func notTaken() throws {
    let scene = try Scene()
    try scene.write([7], to: Scene.plain, counter: 0)
    try scene.write([7], to: 0x00EE, counter: 1)
    try scene.write([UInt8](repeating: 7, count: 600), counter: 2)
    try scene.write([], counter: 3) { $0.removeAll() }
    try scene.expect("03", of: Scene.plain)
    try scene.expect("01")
    #expect(scene.central.ends == [])
  }
}
