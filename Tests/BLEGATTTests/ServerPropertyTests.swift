import BLEATT
import BLECore
import BLEGATT
import Testing

/// Properties of every database and every PDU.
@Suite("Any database, any PDU")
struct ServerPropertyTests {
  @Test(
    "Each request has exactly one response, which fits the MTU; nothing else has", arguments: 0..<60 as Range<UInt64>)
  func answers(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let database = try AttributeDatabase(host: Tester.host, application: random.services())
    var server = GATTServer(database: database, receiveMTU: 23 + random.below(500))
    var application = RandomApplication(random: SeededRandom(seed: seed &+ 1000))
    var session = GATTSession(client: 1)
    var bearer = ServerBearer()
    for turn in 0..<400 {
      if turn.isMultiple(of: 40) { session.security = random.security() }
      let pdu = random.pdu(handles: database.attributes.count, mtu: bearer.att.mtu)
      // The response to an MTU exchange still uses the previous MTU.
      let mtu = bearer.att.mtu
      var reply = OctetBuffer()
      var effects = ServerEffects(reportsAccess: Bool.random(using: &random))
      server.receive(
        pdu.span, on: &bearer, from: &session, application: &application, at: Instant(nanoseconds: Int64(turn)),
        reply: &reply,
        effects: &effects)
      check(pdu, reply.copy(), mtu: mtu)
    }
    checkInvariants(server.database, before: database)
  }

  private func check(_ pdu: [UInt8], _ reply: [UInt8], mtu: Int) {
    guard let first = pdu.first, ATTOpcode(rawValue: first).kind == .request else {
      #expect(reply.isEmpty, "\(pdu.hexadecimal)")
      return
    }
    #expect((1...mtu).contains(reply.count), "\(pdu.hexadecimal)")
    if reply.first == ATTOpcode.errorResponse.rawValue {
      #expect(reply.count == 5, "\(pdu.hexadecimal)")
      #expect(reply[1] == first, "\(pdu.hexadecimal)")
      #expect(reply[4] != 0, "\(pdu.hexadecimal)")
    } else {
      #expect(reply.first == first + 1, "\(pdu.hexadecimal)")
    }
    // Lists contain whole entries of one length.
    if reply.first == 0x09 || reply.first == 0x11 {
      #expect(reply[1] > 0 && (reply.count - 2).isMultiple(of: Int(reply[1])), "\(pdu.hexadecimal)")
      #expect(reply.count > 2, "\(pdu.hexadecimal)")
    }
    if reply.first == 0x05 {
      #expect((reply.count - 2).isMultiple(of: reply[1] == 1 ? 4 : 18) && reply.count > 2, "\(pdu.hexadecimal)")
    }
    if reply.first == 0x17 { #expect(Array(reply.dropFirst()) == Array(pdu.dropFirst()), "\(pdu.hexadecimal)") }
  }

  /// Checks that no declaration has changed and no value exceeds its maximum length.
  private func checkInvariants(_ after: AttributeDatabase, before: AttributeDatabase) {
    let signed = before.characteristics.filter { $0.definition.properties.contains(.authenticatedSignedWrites) }
    for (attribute, original) in zip(after.attributes, before.attributes) {
      // An encrypted link replaces a signature (Core 5.4 Vol 3 Part C 10.4.2).
      if original.permissions.write == nil, !signed.contains(where: { $0.value == original.handle }) {
        #expect(attribute.value == original.value, "\(attribute.handle)")
      }
      #expect(attribute.value.count <= max(attribute.maximumLength, original.value.count), "\(attribute.handle)")
      if attribute.hasFixedLength, case .storedValue = attribute.role {
        #expect(attribute.value.count == attribute.maximumLength, "\(attribute.handle)")
      }
    }
  }

  @Test("A PDU longer than the MTU does no harm", arguments: 0..<20 as Range<UInt64>)
  func tooLong(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let database = try AttributeDatabase(host: [], application: random.services())
    var server = GATTServer(database: database, receiveMTU: 23)
    var application = RandomApplication(random: SeededRandom(seed: seed))
    var session = GATTSession(client: 1)
    var bearer = ServerBearer()
    for _ in 0..<200 {
      let pdu = random.pdu(handles: database.attributes.count, mtu: 600)
      var reply = OctetBuffer()
      var effects = ServerEffects(reportsAccess: true)
      server.receive(
        pdu.span, on: &bearer, from: &session, application: &application, at: .zero, reply: &reply, effects: &effects)
      check(pdu, reply.copy(), mtu: 23)
    }
  }

  @Test("A client that discovers everything finds what was defined, at any MTU", arguments: 0..<40 as Range<UInt64>)
  func discovery(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let definitions = random.services()
    let database = try AttributeDatabase(host: Tester.host, application: definitions)
    var discoverer = Discoverer(server: GATTServer(database: database, receiveMTU: 517), mtu: 23 + random.below(300))
    let services = discoverer.services(.primaryService) + discoverer.services(.secondaryService)
    let found = services.sorted { $0.handles.lowerBound < $1.handles.lowerBound }
    #expect(found.map(\.handles) == database.services.map(\.handles))
    #expect(found.map(\.uuid) == database.services.map(\.uuid))
    let characteristics = discoverer.values(of: .characteristic)
    let records = database.characteristics.sorted { $0.value < $1.value }
    #expect(characteristics.map(\.handle) == records.map(\.declaration))
    #expect(characteristics.map { $0.value[0] } == records.map(\.definition.properties.rawValue))
    #expect(characteristics.map { UInt16($0.value[1]) | UInt16($0.value[2]) << 8 } == records.map(\.value))
    #expect(
      characteristics.map { BluetoothUUID(littleEndianOctets: Array($0.value[3...])) } == records.map(\.definition.uuid)
    )
    #expect(discoverer.types().map(\.uuid) == database.attributes.map(\.type))
    #expect(discoverer.types().map(\.handle) == database.attributes.map(\.handle))
    for service in Set(database.services.filter(\.isPrimary).map(\.uuid)) {
      #expect(
        discoverer.services(named: service)
          == database.services.filter { $0.isPrimary && $0.uuid == service }.map(\.handles))
    }
  }
}

/// A client that discovers a server according to Core 5.4 Vol 3 Part G 4.4-4.7.
struct Discoverer {
  var server: GATTServer
  var session = GATTSession(client: 1)
  var bearer = ServerBearer()
  var application = TestApplication()
  /// The number of requests that it has sent.
  var requests = 0

  init(server: GATTServer, mtu: Int) {
    self.server = server
    bearer.att.setMTU(client: mtu, server: mtu)
  }

  private mutating func ask<PDU: ATTPDU>(_ request: PDU) -> [UInt8] {
    requests += 1
    let pdu = request.encodedPDU
    var reply = OctetBuffer()
    var effects = ServerEffects(reportsAccess: false)
    server.receive(
      pdu.span, on: &bearer, from: &session, application: &application, at: .zero, reply: &reply, effects: &effects)
    return reply.copy()
  }

  /// Repeats a request from the end of the last response, until there is no more.
  private mutating func collect<Entry, PDU: ATTPDU>(
    _ request: (UInt16) -> PDU, _ entries: ([UInt8]) -> [Entry], end: (Entry) -> UInt16
  ) -> [Entry] {
    var all: [Entry] = []
    var start: UInt16 = 1
    while true {
      let reply = ask(request(start))
      guard reply.first == PDU.opcode.rawValue + 1 else { return all }
      let new = entries(reply)
      all += new
      guard let last = new.last, end(last) < 0xFFFF, end(last) >= start else { return all }
      start = end(last) + 1
    }
  }

  private static func word(_ octets: ArraySlice<UInt8>) -> UInt16 {
    UInt16(octets[octets.startIndex]) | UInt16(octets[octets.startIndex + 1]) << 8
  }

  private static func split(_ octets: ArraySlice<UInt8>, _ length: Int) -> [ArraySlice<UInt8>] {
    stride(from: octets.startIndex, to: octets.endIndex, by: length).map { octets[$0..<($0 + length)] }
  }

  mutating func services(_ type: BluetoothUUID) -> [(handles: ClosedRange<UInt16>, uuid: BluetoothUUID?)] {
    collect(
      { ReadByGroupTypeRequest(start: $0, end: 0xFFFF, type: type) },
      { reply in
        Self.split(reply[2...], Int(reply[1])).map { entry in
          (
            Self.word(entry)...Self.word(entry.dropFirst(2)),
            BluetoothUUID(littleEndianOctets: Array(entry.dropFirst(4)))
          )
        }
      }, end: { $0.handles.upperBound })
  }

  mutating func services(named uuid: BluetoothUUID) -> [ClosedRange<UInt16>] {
    collect(
      { FindByTypeValueRequest(start: $0, end: 0xFFFF, type: 0x2800, value: uuid.littleEndianOctets) },
      { reply in Self.split(reply[1...], 4).map { Self.word($0)...Self.word($0.dropFirst(2)) } },
      end: { $0.upperBound })
  }

  mutating func values(of type: BluetoothUUID) -> [(handle: UInt16, value: [UInt8])] {
    collect(
      { ReadByTypeRequest(start: $0, end: 0xFFFF, type: type) },
      { reply in
        Self.split(reply[2...], Int(reply[1])).map { (Self.word($0), Array($0.dropFirst(2))) }
      }, end: { $0.handle })
  }

  mutating func types() -> [(handle: UInt16, uuid: BluetoothUUID?)] {
    collect(
      { FindInformationRequest(start: $0, end: 0xFFFF) },
      { reply in
        Self.split(reply[2...], reply[1] == 1 ? 4 : 18).map {
          (Self.word($0), BluetoothUUID(littleEndianOctets: Array($0.dropFirst(2))))
        }
      }, end: { $0.handle })
  }
}
