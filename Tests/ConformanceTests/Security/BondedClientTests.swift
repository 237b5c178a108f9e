import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import PeripheralHost
import Simulation
import Testing

/// The behavior of a server and its channels for a client with a bond, or with a short key, through the whole host.
@Suite("GATT/SR, L2CAP/LE: bonds and keys")
struct BondedClientTests {
  /// Returns a paired phone with a key of 7 octets.
  private func shortKeyScene() throws -> SecurityScene {
    let scene = try SecurityScene(phone: .pairable { $0.keySizes = 7...7 })
    try scene.pair()
    return scene
  }

  private func refusal(_ operation: GATTOperation, _ scene: SecurityScene) throws -> ATTErrorCode? {
    do {
      try scene.phone.perform(operation, on: scene.link)
      return nil
    } catch GATTFailure.refused(let code, _, _) { return code }
  }

  @Test(
    """
    GATT/SR/GAR/BI-05-C, GATT/SR/GAR/BI-11-C, GATT/SR/GAR/BI-17-C, GATT/SR/GAR/BI-22-C, GATT/SR/GAR/BI-44-C, \
    GATT/SR/GAW/BI-06-C, GATT/SR/GAW/BI-13-C: a short key is refused by every way to read and write, and a long one is not
    """)
  func keySize() throws {
    let short = try shortKeyScene()
    let value = short.handle(Guarded.longKey)
    let other = short.handle(Guarded.encrypted)
    let operations: [GATTOperation] = [
      .read(value), .readByType(BluetoothUUID(0xFFF4), 1...0xFFFF), .readFrom(value, offset: 20),
      .readMultiple([other, value]), .readMultipleVariable([other, value]), .write(value, [1]),
      .write(value, Array(repeating: 2, count: 40)),
    ]
    for operation in operations {
      #expect(try refusal(operation, short) == .encryptionKeySizeTooShort, "\(operation)")
    }
    let long = try SecurityScene()
    try long.pair()
    for operation in operations { #expect(try refusal(operation, long) == nil, "\(operation)") }
  }

  @Test("GATT/SR/GAN/BV-03-C, GATT/SR/GAI/BV-02-C: a bonded client is notified and indicated again after encryption")
  func subscriptions() throws {
    let scene = try SecurityScene()
    try scene.pair()
    try scene.phone.discover(on: scene.link)
    try scene.phone.configure(scene.handle(Guarded.notified), .notification, on: scene.link)
    try scene.phone.configure(scene.handle(Guarded.indicated), .indication, on: scene.link)
    try scene.reconnect()
    #expect(try scene.encrypt())
    try scene.accessory.perform(.notify(Guarded.notified))
    try scene.accessory.perform(.indicate(Guarded.indicated))
    scene.simulation.run(for: .seconds(1))
    #expect(scene.phone.pushed(of: scene.handle(Guarded.notified), on: scene.link).count == 1)
    #expect(scene.phone.pushed(of: scene.handle(Guarded.indicated), on: scene.link).map(\.isIndication) == [true])
  }

  @Test(
    "GATT/SR/GAS/BV-04-C, GATT/SR/GAS/BV-07-C: a bonded client's features are kept, and it learns of a missed change"
  )
  func robustCaching() throws {
    let scene = try SecurityScene()
    try scene.pair()
    let database = try scene.phone.discover(on: scene.link)
    let features = try #require(database.characteristic(.clientSupportedFeatures)?.value)
    let hash = try #require(database.characteristic(.databaseHash)?.value)
    try scene.phone.write([1], to: features, on: scene.link)
    try scene.reconnect()
    #expect(try scene.encrypt())
    #expect(try scene.phone.read(features, on: scene.link) == [1])
    #expect(try scene.refusal(Guarded.encrypted) == nil)
    try scene.phone.disconnect(scene.link)
    scene.simulation.run(for: .seconds(1))
    try scene.accessory.perform(
      .edit(.add(ServiceDefinition(id: "new", uuid: BluetoothUUID(0xFFE0), characteristics: []))))
    let link = try scene.phone.connect(to: Specimen.address)
    #expect(try scene.phone.pair(link) == .encrypted)
    scene.simulation.run(for: .milliseconds(200))
    #expect(throws: GATTFailure.refused(.databaseOutOfSync, request: .readRequest, handle: 0)) {
      try scene.phone.read(features, on: link)
    }
    #expect(try scene.phone.perform(.readByType(.databaseHash, 1...0xFFFF), on: link) != .done)
    #expect(try scene.phone.read(features, on: link) == [1])
    #expect(hash > 0)
  }

  /// Returns the accessory's results for channel requests.
  private func results(_ scene: SecurityScene) -> [CreditBasedResult] {
    scene.accessory.events.compactMap { event in
      if case .channel(_, .peerRefused(_, let result, _)) = event { result } else { nil }
    }
  }

  @Test("L2CAP/LE/CFC/BV-15-C: a channel that needs a long key is refused on a link with a short one")
  func channelKeySize() throws {
    let short = try shortKeyScene()
    #expect(throws: SimulationFailure.self) { try short.phone.openChannel(Guarded.longKeyPSM, on: short.link) }
    #expect(results(short) == [.encryptionKeySizeTooShort])
    let long = try SecurityScene()
    try long.pair()
    _ = try long.phone.openChannel(Guarded.longKeyPSM, on: long.link)
  }

  @Test(
    "L2CAP/LE/CFC/BV-25-C: a channel for encrypted links is refused until the link is encrypted, with a key as well")
  func channelEncryption() throws {
    let scene = try SecurityScene()
    #expect(throws: SimulationFailure.self) { try scene.phone.openChannel(Guarded.encryptedPSM, on: scene.link) }
    try scene.pair()
    _ = try scene.phone.openChannel(Guarded.encryptedPSM, on: scene.link)
    try scene.reconnect()
    #expect(throws: SimulationFailure.self) { try scene.phone.openChannel(Guarded.encryptedPSM, on: scene.link) }
    #expect(results(scene) == [.insufficientAuthentication, .insufficientEncryption])
    #expect(try scene.encrypt())
    _ = try scene.phone.openChannel(Guarded.encryptedPSM, on: scene.link)
  }
}
