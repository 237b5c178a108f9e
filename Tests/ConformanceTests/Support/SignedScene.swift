import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import PeripheralHost
import Simulation
import Testing

/// The accessory with the bond of a central whose signing key was not authenticated.
struct SignedScene {
  let simulation = RadioSimulation()
  let accessory: SpecimenAccessory
  let central: RawCentral
  let peer: TypedAddress

  /// A value with signed writes, one with signed writes only on authenticated links, and one without.
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
        permissions: AttributePermissions(
          read: .open, write: nil, signedWrite: AccessRequirement(protection: .authenticated)),
        value: .stored([2])),
      CharacteristicDefinition(
        id: "plain", uuid: BluetoothUUID(0xFFF3), properties: [.read, .write], value: .stored([3])),
    ], handle: 0x0010)

  init(counter: UInt32 = 0) throws {
    var configuration = Specimen.configuration()
    configuration.services = [Self.service]
    accessory = try simulation.addSpecimen(configuration)
    central = try RawCentral(on: simulation)
    peer = TypedAddress(address: central.address, isRandom: true)
    var bond = Bond(
      peer: peer, strength: KeyStrength(isAuthenticated: false, isSecureConnections: false, keySize: 16))
    bond.peerSigning = SigningKey(key: Self.key, counter: counter)
    try accessory.perform(.setBond(BondRecord(bond: bond)))
    try central.connect()
    accessory.stack.reportsAccess = true
  }

  /// Sends a signed write, with a valid signature unless the test changes it.
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
