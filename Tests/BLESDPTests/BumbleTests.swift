import BLECore
import BLESDP
import Testing

/// Bumble's octets, and what Bumble understands.
@Suite("SDP with Bumble")
struct BumbleTests {
  private static let vendor = BluetoothUUID(high: 0x0102_0304_0506_0708, low: 0x090A_0B0C_0D0E_0F10)
  private static let handles = [ServiceRecordHandle(rawValue: 0x10000), ServiceRecordHandle(rawValue: 0x10001)]

  /// Returns the fields after the kind of all lines of a kind.
  private static func lines(_ kind: String) -> [[String]] {
    let lines = BumbleVectors.table.split(separator: "\n").map { line in line.split(separator: " ").map(String.init) }
    return lines.filter { $0.first == kind }.map { Array($0.dropFirst()) }
  }

  private static let elements: [String: DataElement] = [
    "nil": .null, "unsigned8": .unsigned8(0xFE), "unsigned16": .unsigned16(0x0102),
    "unsigned32": .unsigned32(0x0102_0304), "unsigned64": .unsigned64(0x0102_0304_0506_0708), "signed8": .signed8(-2),
    "signed16": .signed16(-2), "signed32": .signed32(-2), "signed64": .signed64(-2), "uuid16": .uuid16(0x0100),
    "uuid32": .uuid32(0x0001_0203), "uuid128": .uuid128(vendor), "text": .text("Hi"),
    "long-text": .text([UInt8](repeating: 0x78, count: 300)), "true": .boolean(true),
    "nested": .sequence([.alternative([.null, .sequence([])]), .url(Array("http://a".utf8))]),
  ]

  @Test("Data elements")
  func dataElements() throws {
    let lines = Self.lines("element")
    #expect(Set(lines.map { $0[0] }) == Set(Self.elements.keys))
    for line in lines {
      let element = try #require(Self.elements[line[0]])
      #expect(element.encoded.hexadecimal == line[1], "\(line[0])")
      #expect(try DataElement(decoding: [UInt8](hexadecimal: line[1]) ?? []) == element, "\(line[0])")
    }
  }

  private static let pattern = DataElement.sequence([.uuid16(0x0100), .uuid128(vendor)])
  private static let attributes = DataElement.sequence([.unsigned16(1), .unsigned32(0x0004_FFFF)])
  private static let pdus: [String: any SDPPDU] = [
    "search-request": ServiceSearchRequest(pattern: pattern, maximumRecords: 10, continuation: [0xA1, 0xA2]),
    "search-response": ServiceSearchResponse(totalRecords: 7, handles: handles, continuation: [0xA5]),
    "attribute-request": ServiceAttributeRequest(handle: handles[1], maximumOctets: 7, attributes: attributes),
    "attribute-response": ServiceAttributeResponse(part: [0x35, 0]),
    "search-attribute-request": ServiceSearchAttributeRequest(
      pattern: pattern, maximumOctets: 7, attributes: attributes),
    "search-attribute-response": ServiceSearchAttributeResponse(part: [0x35, 0], continuation: [9]),
  ]

  @Test("PDUs")
  func allPDUs() throws {
    let lines = Self.lines("pdu")
    #expect(Set(lines.map { $0[0] }) == Set(Self.pdus.keys))
    for line in lines {
      let pdu = try #require(Self.pdus[line[0]])
      #expect(pdu.encodedPDU(transaction: 0x1234).hexadecimal == line[1], "\(line[0])")
      let octets = try #require([UInt8](hexadecimal: line[1]))
      #expect(try Self.decode(pdu, octets).encoded == pdu.encoded, "\(line[0])")
    }
  }

  private static func decode<PDU: SDPPDU>(_: PDU, _ octets: [UInt8]) throws -> PDU {
    try PDU(decoding: Array(octets[SDPHeader.octetCount...]))
  }

  private static var database: ServiceDatabase {
    var database = ServiceDatabase()
    database.add(.gatt(BluetoothUUID(0x180D), handles: 0x10...0x15))
    database.add(.gatt(BluetoothUUID(0x180F), handles: 0x16...0x19))
    return database
  }

  private static let queries: [SDPClient.Query] = [
    .search(.publicBrowseRoot, limit: 0xFFFF), .attributes(handles[1], .all),
    .searchAttributes(.publicBrowseRoot, .all),
  ]

  @Test("Our client asks Bumble's server as Bumble's does, and gets its records")
  func client() throws {
    var said = Self.lines("said")
    let records = Array(Self.database.records.dropFirst())
    let answers: [SDPClient.Answer] = [.handles(Self.handles), .records([records[1]]), .records(records)]
    var client = SDPClient()
    for (query, answer) in zip(Self.queries, answers) {
      var request = OctetBuffer()
      try client.ask(query, mtu: 48, into: &request)
      var outcome = SDPClient.Outcome.continued
      while outcome == .continued {
        let line = said.removeFirst()
        let octets = request.copy()
        #expect(octets.dropFirst(3).hexadecimal == line[0].dropFirst(6))
        var response = try #require([UInt8](hexadecimal: line[1]))
        response[1...2] = octets[1...2]
        request.removeAll()
        outcome = client.receive(response.span, next: &request)
      }
      #expect(outcome == .answered(answer))
    }
    #expect(said.isEmpty)
  }

  @Test("Our server answers Bumble's client as it understands")
  func server() throws {
    var server = SDPServer(Self.database)
    var session = SDPServerSession()
    var ours: [String] = []
    let requests = Self.lines("said").compactMap { [UInt8](hexadecimal: $0[0]) }.filter { $0.last == 0 }
    // Bumble's client repeats its first request, with the state of the response.
    for first in requests where first[first.count - 2] != 1 {
      var request = first
      while true {
        var reply = OctetBuffer()
        server.receive(request.span, from: &session, mtu: 48, reply: &reply)
        let octets = reply.copy()
        ours.append(octets.hexadecimal)
        let state = octets.suffix(5)
        guard octets.count == 48, state.first == 4 else { break }
        request = first.dropLast() + state
        request[3...4] = UInt16(request.count - 5).bigEndianOctets[...]
      }
    }
    #expect(ours == Self.lines("ours").map { $0[0] }, "\(ours.map { "ours \($0)" }.joined(separator: "\n"))")
  }
}
