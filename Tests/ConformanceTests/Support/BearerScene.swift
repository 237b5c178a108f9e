import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import PeripheralHost
import Simulation
import Testing

/// The accessory with up to three enhanced bearers, and a central without a host on a link that counts as encrypted. The central's
/// MTU on them is 64; its channel identifiers start at 0050, the accessory's at 0040.
struct BearerScene {
  let simulation: RadioSimulation
  let accessory: SpecimenAccessory
  let central: RawCentral
  private let scene: RawScene

  /// Client Supported Features.
  static let clientFeatures: UInt16 = 0x0008
  /// The indicated characteristic, with its value at 0016 and its configuration at 0017.
  static let alarm = CharacteristicIndex(2)
  /// A value of 512 octets, and one of 3.
  static let long: UInt16 = 0x0012
  static let short: UInt16 = 0x0014

  private static let service = ServiceDefinition(
    id: "values", uuid: BluetoothUUID(0xFFF0),
    characteristics: [
      CharacteristicDefinition(
        id: "long", uuid: BluetoothUUID(0xFFF1), properties: [.read, .write], value: .stored([1, 2, 3, 4])),
      CharacteristicDefinition(
        id: "short", uuid: BluetoothUUID(0xFFF2), properties: [.read, .write, .authenticatedSignedWrites],
        value: .stored([5, 6, 7])),
      CharacteristicDefinition(
        id: "alarm", uuid: BluetoothUUID(0xFFF3), properties: .indicate, value: .stored([9])),
    ], handle: 0x0010)

  init() throws {
    var configuration = Specimen.configuration()
    configuration.services = [Self.service]
    configuration.gatt = GATTPolicy(enhancedBearers: 3)
    scene = try RawScene(configuration)
    (simulation, accessory, central) = (scene.simulation, scene.accessory, scene.central)
    accessory.setSecurity(LinkSecurity(protection: .encrypted, keySize: 16, isBonded: true), of: try scene.link)
  }

  /// Declares that the client supports enhanced bearers, and opens that many.
  func open(_ count: Int) throws {
    try central.exchange("0a 0a00", "0b 01")
    try central.exchange("12 0800 02", "13")
    let ends = (0..<count).map { "5\($0)00" }.joined()
    let others = (0..<count).map { "4\($0)00" }.joined()
    let length = [UInt8(8 + 2 * count)].hexadecimal
    try central.exchange(
      "17 01 \(length)00 2700 4000 5000 4000 \(ends)", "18 01 \(length)00 0502 f700 1100 0000 \(others)",
      on: .signalling)
  }

  /// The accessory's identifier of a bearer.
  static func end(_ bearer: Int) -> ChannelID { ChannelID(rawValue: 0x40 + UInt16(bearer)) }

  /// Sends a PDU over a bearer.
  func send(_ pdu: [UInt8], over bearer: Int) throws {
    let count = UInt16(pdu.count)
    try central.send([UInt8(count & 0xFF), UInt8(count >> 8)] + pdu, on: Self.end(bearer))
  }

  /// Returns the next PDU that arrives over a bearer; nil if there is none.
  func next(over bearer: Int) throws -> [UInt8]? {
    guard let frame = central.next(on: ChannelID(rawValue: 0x50 + UInt16(bearer))) else { return nil }
    let octets = try #require([UInt8](hexadecimal: frame))
    #expect(octets.count >= 2 && Int(octets[0]) == octets.count - 2 && octets[1] == 0)
    return Array(octets.dropFirst(2))
  }

  /// Sends a PDU over a bearer, and expects that the next one that arrives over it is the answer.
  func exchange(
    _ pdu: String, _ answer: String?, over bearer: Int, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try send(try #require([UInt8](hexadecimal: pdu)), over: bearer)
    let expected = try answer.map { try #require([UInt8](hexadecimal: $0)) }
    #expect(try next(over: bearer)?.hexadecimal == expected?.hexadecimal, sourceLocation: sourceLocation)
  }

  /// The long value in the database.
  var longValue: [UInt8]? { scene.value(CharacteristicIndex(0)) }
  var shortValue: [UInt8]? { scene.value(CharacteristicIndex(1)) }
}
