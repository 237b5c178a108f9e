import BLEATT
import BLECore
import BLEGATT
import Testing

/// A server, its application and one client, for sequence charts in tests: what the client sends, and what the server must
/// answer.
struct SequenceChart {
  var server: GATTServer
  var session = GATTSession(client: 1)
  var bearer = ServerBearer()
  var application = TestApplication()
  var effects = ServerEffects(reportsAccess: true)
  var now = Instant(nanoseconds: 1_000_000_000)

  init(
    host: [ServiceDefinition] = [], application: [ServiceDefinition], mtu: Int = 23, receiveMTU: Int = 517
  ) throws {
    server = GATTServer(
      database: try AttributeDatabase(host: host, application: application), receiveMTU: receiveMTU,
      hashFunction: testHash)
    bearer.att.setMTU(client: mtu, server: mtu)
  }

  /// Returns the server's answer; empty if there is none. The effects are those of this PDU alone.
  mutating func answer(_ pdu: [UInt8]) -> [UInt8] {
    var reply = OctetBuffer()
    effects = ServerEffects(reportsAccess: true)
    server.receive(
      pdu.span, on: &bearer, from: &session, application: &application, at: now, reply: &reply, effects: &effects)
    return reply.copy()
  }

  /// Changes the services; returns the indication that the client then gets, if any. The effects contain the reports.
  mutating func edit(_ edit: ServiceEdit) throws -> HandleValueIndication? {
    let change = try server.apply(edit)
    effects = ServerEffects(reportsAccess: true)
    server.databaseChanged(change, for: &session, events: &effects.events)
    return server.nextIndication(on: &bearer, for: &session, at: now)
  }

  /// Gives the application's late answer; returns what the client then gets.
  mutating func answer(_ ticket: AnswerTicket, with answer: LateAnswer) -> String? {
    var reply = OctetBuffer()
    effects = ServerEffects(reportsAccess: true)
    let isKnown = server.answer(
      ticket, with: answer, on: &bearer, from: &session, application: &application, at: now, reply: &reply,
      effects: &effects)
    return isKnown ? reply.copy().hexadecimal : nil
  }

  /// Returns the answer to the next early request; nil if there is none.
  mutating func answerEarly() -> String? {
    var reply = OctetBuffer()
    effects = ServerEffects(reportsAccess: true)
    let hasAnswered = server.answerEarlyRequest(
      on: &bearer, from: &session, application: &application, at: now, reply: &reply, effects: &effects)
    return hasAnswered ? reply.copy().hexadecimal : nil
  }

  /// Lets time pass, and checks the waiting requests.
  mutating func pass(_ duration: Duration) {
    now += duration
    effects = ServerEffects(reportsAccess: true)
    server.checkRequest(on: &bearer, application: &application, at: now, events: &effects.events)
  }

  /// Disconnects the client and reconnects it with its kept state; returns the indication that it then gets.
  mutating func reconnect(withBond: Bool) -> HandleValueIndication? {
    let state = server.bondState(of: session)
    let mtu = bearer.att.mtu
    session = GATTSession(client: session.client)
    bearer = ServerBearer()
    bearer.att.setMTU(client: mtu, server: mtu)
    guard withBond else { return nil }
    return restore(state)
  }

  /// Changes the database while a bonded client is away; returns the indication that it gets when it reconnects.
  mutating func reconnect(after edit: ServiceEdit) throws -> HandleValueIndication? {
    let state = server.bondState(of: session)
    _ = try server.apply(edit)
    session = GATTSession(client: session.client)
    bearer = ServerBearer()
    return restore(state)
  }

  /// Restores the client's kept state; returns the indication that it then gets.
  mutating func restore(_ state: GATTBondState) -> HandleValueIndication? {
    server.restore(state, to: &session, events: &effects.events)
    return server.nextIndication(on: &bearer, for: &session, at: now)
  }

  /// Returns the indication of a value that the client gets now; nil if it has to wait.
  mutating func indicate(_ index: CharacteristicIndex, _ value: [UInt8]) -> HandleValueIndication? {
    server.indication(of: index, value: value, on: &bearer, to: &session, at: now)
  }

  /// Returns the value of a characteristic that the server would send the client by itself.
  mutating func valueToSend(_ index: CharacteristicIndex) -> [UInt8]? {
    server.valueToSend(of: index, to: &session, application: &application, at: now)
  }

  /// Returns the notification of a value; empty if it must not be sent.
  func notify(_ index: CharacteristicIndex, _ value: [UInt8]) -> [UInt8] {
    var chart = self
    var buffer = OctetBuffer()
    let isSent = chart.server.notification(
      of: index, value: value, on: &chart.bearer, to: &chart.session, into: &buffer)
    #expect(isSent == !buffer.isEmpty)
    return buffer.copy()
  }

  /// Sends a client's PDU, and expects exactly that answer; nil for no answer.
  mutating func exchange(
    _ request: String, _ response: String?, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let pdu = try #require([UInt8](hexadecimal: request), sourceLocation: sourceLocation)
    let expected = try #require([UInt8](hexadecimal: response ?? ""), sourceLocation: sourceLocation)
    let reply = answer(pdu)
    #expect(reply.hexadecimal == expected.hexadecimal, sourceLocation: sourceLocation)
    #expect(reply.count <= max(bearer.att.mtu, 23), sourceLocation: sourceLocation)
  }
}

/// A substitute for AES-CMAC: 16 octets that depend on all of the input.
let testHash: GATTServer.DatabaseHashFunction = { input in
  var random = SplitMix64(seed: input.reduce(1) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
  return random.octets(16)
}

extension BluetoothUUID {
  /// Returns a 128-bit UUID that ends with that number.
  static func long(_ number: UInt8) -> BluetoothUUID {
    BluetoothUUID(high: 0xABDD_3056_28FA_441D, low: 0xA470_55A7_5A52_5500 | UInt64(number))
  }
}

extension CharacteristicDefinition {
  /// Returns a stored characteristic without security, with the accesses that its properties permit.
  static func stored(
    _ uuid: BluetoothUUID, _ properties: CharacteristicProperties, _ value: [UInt8], maximumLength: Int = 512,
    permissions: AttributePermissions? = nil, descriptors: [DescriptorDefinition] = []
  ) -> CharacteristicDefinition {
    CharacteristicDefinition(
      id: uuid.description, uuid: uuid, properties: properties, permissions: permissions, value: .stored(value),
      maximumLength: maximumLength, descriptors: descriptors)
  }

  /// Returns a characteristic whose value the application supplies.
  static func asked(
    _ uuid: BluetoothUUID, _ properties: CharacteristicProperties, maximumLength: Int = 512
  ) -> CharacteristicDefinition {
    CharacteristicDefinition(
      id: uuid.description, uuid: uuid, properties: properties, value: .asked, maximumLength: maximumLength)
  }
}

/// The accessory of most charts.
///
///     0x0001-0x0005 1800  0x0003 2A00 "Tester", 0x0005 2A01
///     0x0006        1801
///     0x0007-0x000E 180D  0x0009 2A37 notify, 0x000A CCCD, 0x000C 2A38 read, 0x000E 2A39 write, the application's
///     0x000F-0x0012 180F  0x0011 2A19 read notify, 0x0012 CCCD
///     0x0013-0x001D …01   0x0014 include 180F, 0x0016 …02 read write 60 octets, 0x0017 2901 "User" writable,
///                         0x0019 …03 indicate notify, 0x001A CCCD, 0x001C …04 write without response, 0x001D 2901
enum Tester {
  static let host: [ServiceDefinition] = [
    .genericAccess(name: "Tester", appearance: 0x0341, preferredParameters: nil), .genericAttribute,
  ]

  static let application: [ServiceDefinition] = [
    ServiceDefinition(
      id: "vendor", uuid: .long(1), includes: ["battery"],
      characteristics: [
        .stored(
          .long(2), [.read, .write], (0..<60).map { UInt8($0) }, maximumLength: 100,
          descriptors: [
            DescriptorDefinition(
              uuid: BluetoothUUID(0x2901), permissions: .readableAndWritable, value: Array("User".utf8),
              maximumLength: 40)
          ]),
        .stored(.long(3), [.indicate, .notify], [7]),
        .stored(
          .long(4), [.writeWithoutResponse], [], maximumLength: 20,
          descriptors: [DescriptorDefinition(uuid: BluetoothUUID(0x2901), value: (0..<30).map { UInt8($0) })]),
      ]),
    ServiceDefinition(
      id: "heart-rate", uuid: BluetoothUUID(0x180D),
      characteristics: [
        .stored(BluetoothUUID(0x2A37), [.notify], [0, 60]), .stored(BluetoothUUID(0x2A38), [.read], [1]),
        .asked(BluetoothUUID(0x2A39), [.write], maximumLength: 1),
      ]),
    ServiceDefinition(
      id: "battery", uuid: BluetoothUUID(0x180F),
      characteristics: [.stored(BluetoothUUID(0x2A19), [.read, .notify], [100], maximumLength: 1)]),
  ]

  /// The position of a characteristic in the order of declaration.
  static let longValue = CharacteristicIndex(0)
  static let indicated = CharacteristicIndex(1)
  static let commanded = CharacteristicIndex(2)
  static let measurement = CharacteristicIndex(3)
  static let controlPoint = CharacteristicIndex(5)
  static let battery = CharacteristicIndex(6)

  static func chart(mtu: Int = 23, receiveMTU: Int = 517) throws -> SequenceChart {
    try SequenceChart(host: host, application: application, mtu: mtu, receiveMTU: receiveMTU)
  }
}
