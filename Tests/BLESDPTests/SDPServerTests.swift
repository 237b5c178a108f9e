import BLECore
import BLESDP
import Testing

@Suite("SDP server")
struct SDPServerTests {
  /// A server with a heart rate service, a battery service, and a device's identification.
  private var server: SDPServer
  private var session = SDPServerSession()
  private let handles: [ServiceRecordHandle]
  private static let classes = DataElement.sequence([.unsigned16(0x0001)])

  init() {
    var database = ServiceDatabase()
    handles = [
      database.add(.gatt(BluetoothUUID(0x180D), handles: 0x0010...0x0015)),
      database.add(.gatt(BluetoothUUID(0x180F), handles: 0x0016...0x0019, hasEnhancedBearers: true)),
      database.add(
        .deviceIdentification(.init(source: .bluetoothSIG, vendor: 0xFFFF, product: 1, version: 0x0100))),
    ]
    server = SDPServer(database)
  }

  // MARK: Helpers

  private mutating func answer(_ pdu: [UInt8], mtu: Int = 672) -> [UInt8] {
    var reply = OctetBuffer()
    server.receive(pdu.span, from: &session, mtu: mtu, reply: &reply)
    return reply.copy()
  }

  /// Returns the response to a request, and checks its header.
  private mutating func answer<Response: SDPPDU>(
    _ request: some SDPPDU, mtu: Int = 672, as type: Response.Type = Response.self
  ) throws -> Response {
    let octets = answer(request.encodedPDU(transaction: 0xBEEF), mtu: mtu)
    #expect(octets.count <= mtu)
    let (header, length) = try SDPHeader.decodePrefix(of: octets.span)
    #expect(header.transaction == 0xBEEF && Int(header.length) == octets.count - length)
    try #require(header.id == Response.id, "\(header.id)")
    return try Response(decoding: Array(octets[length...]))
  }

  private mutating func error(_ request: some SDPPDU) throws -> SDPErrorCode {
    try answer(request, as: SDPErrorResponse.self).error
  }

  private func search(_ uuids: [DataElement], limit: UInt16 = 100, continuation: [UInt8] = []) -> ServiceSearchRequest {
    ServiceSearchRequest(pattern: .sequence(uuids), maximumRecords: limit, continuation: continuation)
  }

  // MARK: Service Search

  @Test(
    "UUIDs of any form find the records that contain all of them",
    arguments: [
      ([.uuid16(0x0100)], [0, 1, 2]), ([.uuid32(0x0007)], [1, 2]), ([.uuid128(BluetoothUUID(0x180D))], [1]),
      ([.uuid16(0x0007), .uuid16(0x180F)], [2]), ([.uuid16(0x180D), .uuid16(0x180F)], []), ([.uuid16(0x1200)], [3]),
      ([.uuid16(0x1002)], [1, 2, 3]), ([.uuid16(0x1000)], [0]), ([.uuid16(0xABCD)], []),
    ] as [([DataElement], [Int])])
  func search(_ uuids: [DataElement], _ places: [Int]) throws {
    var test = self
    let response: ServiceSearchResponse = try test.answer(test.search(uuids))
    let all = [.server] + handles
    #expect(response.handles == places.map { all[$0] })
    #expect(response.totalRecords == places.count && response.continuation.isEmpty)
  }

  @Test("No more handles come than the client wants")
  func searchLimit() throws {
    var test = self
    let response: ServiceSearchResponse = try test.answer(search([.uuid16(0x0100)], limit: 2))
    #expect(response.handles == [.server, handles[0]] && response.totalRecords == 2)
    #expect(response.continuation.isEmpty)
  }

  @Test("Handles that do not fit follow in further responses")
  func searchContinuation() throws {
    var test = self
    for _ in 0..<20 { test.server.database.add(.gatt(BluetoothUUID(0x180A), handles: 1...2)) }
    var found: [ServiceRecordHandle] = []
    var continuation: [UInt8] = []
    repeat {
      let response: ServiceSearchResponse = try test.answer(
        search([.uuid16(0x180A)], continuation: continuation), mtu: 48)
      #expect(response.totalRecords == 20)
      found += response.handles
      continuation = response.continuation
    } while !continuation.isEmpty
    #expect(found == test.server.database.records.suffix(20).compactMap(\.handle))
  }

  @Test(
    "Search patterns that are none are refused",
    arguments: [
      .sequence([]), .uuid16(0x0100), .alternative([.uuid16(0x0100)]), .sequence([.unsigned16(0x0100)]),
      .sequence([.sequence([.uuid16(0x0100)])]), .sequence(Array(repeating: .uuid16(0x0100), count: 13)),
    ] as [DataElement])
  func searchSyntax(_ pattern: DataElement) throws {
    var test = self
    let request = ServiceSearchRequest(pattern: pattern, maximumRecords: 1)
    #expect(try test.error(request) == .invalidRequestSyntax)
    let other = ServiceSearchAttributeRequest(pattern: pattern, maximumOctets: 100, attributes: Self.classes)
    #expect(try test.error(other) == .invalidRequestSyntax)
  }

  @Test("Twelve UUIDs are accepted, no records wanted are not")
  func searchBounds() throws {
    var test = self
    let twelve = [DataElement](repeating: .uuid128(.l2cap), count: 12)
    let response: ServiceSearchResponse = try test.answer(search(twelve))
    #expect(response.handles.count == 4 - 1)
    #expect(try test.error(search([.uuid16(0x0100)], limit: 0)) == .invalidRequestSyntax)
  }

  // MARK: Attributes

  @Test("Attributes come in ascending order, whatever the order of the request")
  func attributes() throws {
    var test = self
    let selection = DataElement.sequence([.unsigned32(0x0004_0005), .unsigned16(0x0001), .unsigned16(0x0004)])
    let response: ServiceAttributeResponse = try test.answer(
      ServiceAttributeRequest(handle: handles[0], maximumOctets: 0xFFFF, attributes: selection))
    #expect(
      try DataElement(decoding: response.part).description
        == "[0x0001, [Heart Rate (0x180D)], 0x0004, [[L2CAP (0x0100), 0x001F], [ATT (0x0007), 0x0010, 0x0015]], "
        + "0x0005, [PublicBrowseRoot (0x1002)]]")
  }

  @Test("Attributes that a record does not have are left out, and so are records without any")
  func missingAttributes() throws {
    var test = self
    let none = DataElement.sequence([.unsigned16(0x0300)])
    let one: ServiceAttributeResponse = try test.answer(
      ServiceAttributeRequest(handle: handles[0], maximumOctets: 7, attributes: none))
    #expect(one.part == [0x35, 0x00] && one.continuation.isEmpty)
    let all: ServiceSearchAttributeResponse = try test.answer(
      ServiceSearchAttributeRequest(
        pattern: .sequence([.uuid16(0x0100)]), maximumOctets: 7, attributes: .sequence([.unsigned16(0x000D)])))
    let rest: ServiceSearchAttributeResponse = try test.answer(
      ServiceSearchAttributeRequest(
        pattern: .sequence([.uuid16(0x0100)]), maximumOctets: 0xFFFF, attributes: .sequence([.unsigned16(0x000D)]),
        continuation: all.continuation))
    #expect(all.part.count == 7)
    let lists = try DataElement(decoding: all.part + rest.part).elements
    #expect(lists?.count == 1)
    let nobody: ServiceSearchAttributeResponse = try test.answer(
      ServiceSearchAttributeRequest(
        pattern: .sequence([.uuid16(0xABCD)]), maximumOctets: 100, attributes: Self.classes))
    #expect(nobody.part == [0x35, 0x00])
  }

  @Test("A record that does not exist is refused", arguments: [1, 0x0000_FFFF, 0x0001_1234, 0xFFFF_FFFF] as [UInt32])
  func unknownRecord(_ handle: UInt32) throws {
    var test = self
    let request = ServiceAttributeRequest(
      handle: .init(rawValue: handle), maximumOctets: 100, attributes: Self.classes)
    #expect(try test.error(request) == .invalidServiceRecordHandle)
  }

  @Test(
    "Attribute lists that are none are refused",
    arguments: [
      .unsigned16(1), .alternative([.unsigned16(1)]), .sequence([.unsigned8(1)]), .sequence([.signed16(1)]),
      .sequence([.uuid16(1)]), .sequence([.unsigned32(0x0002_0001)]), .sequence([.sequence([.unsigned16(1)])]),
    ] as [DataElement])
  func attributeSyntax(_ attributes: DataElement) throws {
    var test = self
    let request = ServiceAttributeRequest(handle: handles[0], maximumOctets: 100, attributes: attributes)
    #expect(try test.error(request) == .invalidRequestSyntax)
    let other = ServiceSearchAttributeRequest(
      pattern: .sequence([.uuid16(0x0100)]), maximumOctets: 100, attributes: attributes)
    #expect(try test.error(other) == .invalidRequestSyntax)
  }

  @Test("Too many attribute ids need more resources than there are")
  func tooManyAttributes() throws {
    var test = self
    for (count, isAllowed) in [(64, true), (65, false)] {
      let ids = DataElement.sequence((0..<UInt16(count)).map { .unsigned16($0) })
      let request = ServiceAttributeRequest(handle: handles[0], maximumOctets: 100, attributes: ids)
      if isAllowed {
        let _: ServiceAttributeResponse = try test.answer(request)
      } else {
        #expect(try test.error(request) == .insufficientResources)
      }
    }
  }

  @Test("Fewer than seven octets of attributes are refused")
  func attributeOctets() throws {
    var test = self
    for count in UInt16(0)..<7 {
      #expect(
        try test.error(ServiceAttributeRequest(handle: handles[0], maximumOctets: count, attributes: Self.classes))
          == .invalidRequestSyntax)
    }
    let response: ServiceAttributeResponse = try test.answer(
      ServiceAttributeRequest(handle: handles[0], maximumOctets: 7, attributes: Self.classes))
    #expect(response.part.count == 7 && !response.continuation.isEmpty)
  }
}
