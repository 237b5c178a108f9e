import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import TestPreset
import Testing

/// A lamp and a phone that both support enhanced bearers, on a link that counts as encrypted.
private struct BearerScene {
  let scene: LampScene
  let link: ConnectionHandle
  let back: ConnectionHandle
  let features: UInt16

  var lamp: SimulatedAccessory<CountingApplication> { scene.lamp }
  var phone: ScriptedCentral { scene.phone }

  init(_ gatt: GATTPolicy, phoneBearers: Int = 3) throws {
    var configuration = Lamp.configuration()
    configuration.gatt = gatt
    scene = try LampScene(
      configuration, phone: CentralConfiguration(services: [Self.phoneService], enhancedBearers: phoneBearers))
    link = try scene.phone.connect(to: Lamp.address)
    scene.simulation.run(until: { [scene] in !scene.lamp.stack.linkStates.isEmpty })
    back = try #require(scene.lamp.stack.linkStates.first?.handle)
    let database = try scene.phone.discover(on: link)
    features = try #require(database.characteristic(.clientSupportedFeatures)?.value)
    encrypt()
  }

  private static let phoneService = ServiceDefinition(
    id: "phone", uuid: BluetoothUUID(0xFFA0),
    characteristics: [
      CharacteristicDefinition(id: "note", uuid: BluetoothUUID(0xFFA1), properties: .read, value: .stored([42]))
    ])

  func encrypt() {
    let security = LinkSecurity(protection: .encrypted, keySize: 16, isBonded: true)
    lamp.setSecurity(security, of: back)
    phone.setSecurity(security, of: link)
  }

  /// The number of enhanced bearers on each side.
  var counts: [Int] {
    [phone.stack.enhancedBearers(of: link).count, lamp.stack.enhancedBearers(of: back).count]
  }

  func run(_ duration: Duration) { scene.simulation.run(for: duration) }

  var faults: [ProtocolFault] {
    (lamp.events + phone.events).compactMap { if case .fault(let fault) = $0 { fault } else { nil } }
  }
}

@Suite("Enhanced bearers between our own hosts")
struct EnhancedBearerTests {
  @Test("A central opens bearers, and starts operations on all of them at once")
  func spread() throws {
    let scene = try BearerScene(GATTPolicy(enhancedBearers: 3))
    let phone = scene.phone
    let bearers = try phone.openBearers(3, on: scene.link)
    #expect(bearers.map(\.mtu) == [517, 517, 517] && scene.counts == [3, 3])
    let text = scene.scene.value(Lamp.text)
    let level = scene.scene.value(Lamp.level)
    let begun = scene.scene.simulation.now
    let operations: [GATTOperation] = [.read(text), .read(level), .read(text), .read(level)]
    let ids = try operations.map { try phone.begin($0, on: scene.link) }
    for (id, operation) in zip(ids, operations) { _ = try phone.outcome(of: id, operation, on: scene.link).get() }
    // One after another, they would take at least four connection intervals of 30 ms.
    #expect(scene.scene.simulation.now - begun <= .milliseconds(60))
    #expect(scene.faults == [])
  }

  @Test("Writes of one value keep their order, and long writes do not share the queue")
  func order() throws {
    let scene = try BearerScene(GATTPolicy(enhancedBearers: 3))
    try scene.phone.openBearers(3, on: scene.link)
    let text = scene.scene.value(Lamp.text)
    var ids: [(OperationID, GATTOperation)] = []
    for number in 0..<20 {
      let long = [UInt8](repeating: UInt8(number), count: 400 + number)
      for operation in [GATTOperation.write(text, [UInt8(number)]), .writeReliably([RemoteValue(text, long)])] {
        ids.append((try scene.phone.begin(operation, on: scene.link), operation))
      }
    }
    let last = GATTOperation.read(text)
    ids.append((try scene.phone.begin(last, on: scene.link), last))
    var result: GATTResult?
    for (id, operation) in ids { result = try scene.phone.outcome(of: id, operation, on: scene.link).get() }
    #expect(result == .value([UInt8](repeating: 19, count: 419)))
  }

  @Test(
    "The accessory opens bearers when the client has declared support, and uses the phone's server over them")
  func openedByAccessory() throws {
    let scene = try BearerScene(GATTPolicy(enhancedBearers: 2, opensEnhancedBearers: true))
    scene.run(.seconds(1))
    #expect(scene.counts == [0, 0])
    try scene.phone.write([0x02], to: scene.features, on: scene.link)
    scene.run(.seconds(1))
    #expect(scene.counts == [2, 2])
    let services = try scene.lamp.perform(.discoverAll, on: scene.back)
    guard case .services(let found) = services else { return #expect(Bool(false)) }
    let note = try #require(found.flatMap(\.characteristics).first { $0.uuid == BluetoothUUID(0xFFA1) })
    #expect(try scene.lamp.perform(.read(note.value), on: scene.back) == .value([42]))
  }

  @Test("After a collision the central goes first, and the accessory waits")
  func collision() throws {
    let scene = try BearerScene(GATTPolicy(enhancedBearers: 3))
    try scene.lamp.perform(.openBearers(scene.back, count: 3))
    try scene.phone.perform(.openBearers(scene.link, count: 3))
    scene.run(.seconds(2))
    #expect(scene.counts == [3, 3])
    let opened = scene.phone.events.compactMap { event -> Bool? in
      if case .channel(_, .opened(let status)) = event { status.isIncoming } else { nil }
    }
    #expect(opened == [false, false, false])
  }

  @Test("Notifications use the bearers, and the fixed channel if those have no credits left")
  func notifications() throws {
    let scene = try BearerScene(GATTPolicy(enhancedBearers: 1))
    let phone = scene.phone
    let bearer = try #require(try phone.openBearers(1, on: scene.link).first)
    let level = scene.scene.value(Lamp.level)
    try phone.configure(level, .notification, on: scene.link)
    let channel = ChannelID(rawValue: bearer.id.rawValue)
    var out = HostOutput()
    try phone.stack.perform(ChannelRequest.hold(scene.link, channel, true), at: scene.scene.simulation.now, into: &out)
    for _ in 0..<40 {
      try scene.lamp.perform(.notify(Lamp.level))
      scene.run(.milliseconds(100))
    }
    #expect(phone.pushed(of: level, on: scene.link).map(\.value) == (1...40).map { [$0] })
    let received = try #require(phone.stack.channelStatus(channel, of: scene.link)).received.sdus
    #expect(received > 10 && received < 40)
  }

  @Test("Each bearer carries its own indication")
  func indications() throws {
    let scene = try BearerScene(GATTPolicy(enhancedBearers: 2))
    try scene.phone.openBearers(2, on: scene.link)
    let level = scene.scene.value(Lamp.level)
    try scene.phone.configure(level, .indication, on: scene.link)
    for _ in 0..<3 { try scene.lamp.perform(.indicate(Lamp.level)) }
    scene.run(.milliseconds(200))
    #expect(Set(scene.phone.pushed(of: level, on: scene.link).map(\.value)) == [[1], [2], [3]])
  }

  @Test("The end of a bearer ends its own operations, and the others continue")
  func closed() throws {
    let scene = try BearerScene(GATTPolicy(enhancedBearers: 2))
    let bearers = try scene.phone.openBearers(2, on: scene.link)
    let text = scene.scene.value(Lamp.text)
    let channel = ChannelID(rawValue: try #require(bearers.first).id.rawValue)
    try scene.phone.closeChannel(channel, of: scene.link)
    scene.run(.seconds(1))
    #expect(scene.counts == [1, 1])
    #expect(throws: GATTFailure.closed) {
      try scene.phone.perform(.read(text), on: scene.link, over: bearers[0].id)
    }
    #expect(try scene.phone.perform(.read(text), on: scene.link, over: bearers[1].id) == .value([]))
    #expect(try scene.phone.perform(.read(text), on: scene.link, over: .fixed) == .value([]))
  }

  @Test("A bearer on a link that is no longer encrypted is closed, and nothing else")
  func encryptionEnded() throws {
    let scene = try BearerScene(GATTPolicy(enhancedBearers: 1))
    let bearer = try #require(try scene.phone.openBearers(1, on: scene.link).first)
    scene.lamp.setSecurity(.open, of: scene.back)
    let text = scene.scene.value(Lamp.text)
    #expect(throws: GATTFailure.closed) { try scene.phone.perform(.read(text), on: scene.link, over: bearer.id) }
    scene.run(.seconds(1))
    #expect(scene.counts == [0, 0])
    #expect(try scene.phone.perform(.read(text), on: scene.link) == .value([]))
  }

  @Test("With several bearers, only the Database Hash makes the client change-aware")
  func robustCaching() throws {
    let scene = try BearerScene(GATTPolicy(serviceChanged: .present, hasRobustCaching: true, enhancedBearers: 1))
    let (phone, link) = (scene.phone, scene.link)
    let bearer = try #require(try phone.openBearers(1, on: link).first).id
    try phone.write([0x03], to: scene.features, on: link)
    let text = scene.scene.value(Lamp.text)
    try scene.lamp.perform(
      .edit(.add(ServiceDefinition(id: "more", uuid: BluetoothUUID(0xFFE0), characteristics: []))))
    let outOfSync = GATTFailure.refused(.databaseOutOfSync, request: .readRequest, handle: 0)
    // Once on each bearer; later requests are answered, and do not make it change-aware.
    for place in [bearer, .fixed] {
      #expect(throws: outOfSync) { try phone.perform(.read(text), on: link, over: place) }
      #expect(try phone.perform(.read(text), on: link, over: place) == .value([]))
    }
    try scene.lamp.perform(
      .edit(.add(ServiceDefinition(id: "most", uuid: BluetoothUUID(0xFFE1), characteristics: []))))
    try phone.perform(.readByType(.databaseHash, 1...0xFFFF), on: link)
    for place in [bearer, .fixed] {
      #expect(try phone.perform(.read(text), on: link, over: place) == .value([]))
    }
  }
}
