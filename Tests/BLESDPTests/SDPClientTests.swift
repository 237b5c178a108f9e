import BLECore
import BLESDP
import Testing

@Suite("SDP client")
struct SDPClientTests {
  private static let search = SDPClient.Query.search(.publicBrowseRoot, limit: 10)

  /// Asks, and returns the request.
  private func ask(_ query: SDPClient.Query, _ client: inout SDPClient, mtu: Int = 672) throws -> [UInt8] {
    var buffer = OctetBuffer()
    try client.ask(query, mtu: mtu, into: &buffer)
    return buffer.copy()
  }

  private func receive(_ pdu: [UInt8], _ client: inout SDPClient) -> (SDPClient.Outcome, [UInt8]) {
    var next = OctetBuffer()
    let outcome = client.receive(pdu.span, next: &next)
    return (outcome, next.copy())
  }

  @Test("A request has the query's parameters, and each its own transaction")
  func requests() throws {
    var client = SDPClient(limits: .init(responseOctets: 0x0100))
    #expect(try ask(Self.search, &client).hexadecimal == "020001" + "0008" + "3503191002" + "000a" + "00")
    #expect(
      try ask(.attributes(.init(rawValue: 0x10000), .all), &client).hexadecimal
        == "040002" + "000e" + "00010000" + "0100" + "35050a0000ffff" + "00")
    #expect(
      try ask(.searchAttributes(.init([.l2cap]), .init([.serviceClassIDList])), &client).hexadecimal
        == "060003" + "000d" + "3503190100" + "0100" + "3503090001" + "00")
    #expect(client.isBusy)
    client.cancel()
    #expect(!client.isBusy)
  }

  @Test("A request that does not fit the MTU fails")
  func requestTooLong() throws {
    var client = SDPClient()
    let pattern = SearchPattern(Array(repeating: BluetoothUUID(high: 1, low: 2), count: 3))
    #expect(throws: SDPClient.Failure.requestTooLong(octets: 61)) {
      try ask(.search(pattern, limit: 1), &client, mtu: 48)
    }
    #expect(!client.isBusy)
  }

  @Test("A refusal ends the query")
  func refused() throws {
    var client = SDPClient()
    _ = try ask(Self.search, &client)
    let refusal = SDPErrorResponse(error: .insufficientResources).encodedPDU(transaction: 1)
    #expect(receive(refusal, &client) == (.failed(.refused(.insufficientResources)), []))
    #expect(receive(refusal, &client) == (.ignored, []))
  }

  @Test("Responses to other transactions are ignored")
  func otherTransaction() throws {
    var client = SDPClient()
    _ = try ask(Self.search, &client)
    let response = ServiceSearchResponse(totalRecords: 0, handles: [])
    #expect(receive(response.encodedPDU(transaction: 7), &client) == (.ignored, []))
    #expect(receive([1, 2], &client) == (.ignored, []))
    #expect(receive(response.encodedPDU(transaction: 1), &client) == (.answered(.handles([])), []))
  }

  @Test("A response that is cut at any octet fails the query, or is too short to be one")
  func cuts() throws {
    let response = ServiceSearchResponse(totalRecords: 1, handles: [.init(rawValue: 0x10000)])
      .encodedPDU(transaction: 1)
    for count in response.indices {
      var client = SDPClient()
      _ = try ask(Self.search, &client)
      let (outcome, _) = receive(Array(response[..<count]), &client)
      #expect(outcome == (count < 5 ? .ignored : .failed(.malformed)))
    }
  }

  @Test("Responses of another kind, with too many handles or octets, and lists that are none fail the query")
  func malformed() throws {
    let handle = ServiceRecordHandle(rawValue: 0x10000)
    let wrong: [(SDPClient.Query, any SDPPDU)] = [
      (Self.search, ServiceAttributeResponse(part: [0x35, 0])),
      (Self.search, ServiceSearchRequest(pattern: .sequence([]), maximumRecords: 1)),
      (.search(.publicBrowseRoot, limit: 1), ServiceSearchResponse(totalRecords: 2, handles: [handle, handle])),
      (Self.search, ServiceSearchResponse(totalRecords: 2, handles: [], continuation: [1])),
      (
        Self.search,
        ServiceSearchResponse(totalRecords: 2, handles: [handle], continuation: Array(repeating: 1, count: 17))
      ),
      (.attributes(handle, .all), ServiceAttributeResponse(part: [])),
      (.attributes(handle, .all), ServiceAttributeResponse(part: [0x35, 3, 9, 0, 1])),
      (.attributes(handle, .all), ServiceAttributeResponse(part: [0x35, 2, 0, 0])),
      (.attributes(handle, .all), ServiceAttributeResponse(part: Array(repeating: 0, count: 101))),
      (.searchAttributes(.publicBrowseRoot, .all), ServiceSearchAttributeResponse(part: [0x35, 1, 0])),
      (.searchAttributes(.publicBrowseRoot, .all), ServiceSearchAttributeResponse(part: [0x09, 0, 0])),
    ]
    for (query, response) in wrong {
      var client = SDPClient(limits: .init(responseOctets: 100))
      _ = try ask(query, &client)
      let (outcome, next) = receive(response.encodedPDU(transaction: 1), &client)
      #expect(outcome == .failed(.malformed) && next.isEmpty, "\(query), \(response)")
      #expect(!client.isBusy)
    }
  }

  @Test("A server that always continues is stopped, by octets and by requests")
  func endless() throws {
    for (limits, rounds) in [(SDPClient.Limits(answerOctets: 100), 10), (SDPClient.Limits(requests: 5), 4)] {
      var client = SDPClient(limits: limits)
      _ = try ask(.attributes(.server, .all), &client)
      var received = 0
      var transaction = UInt16(1)
      while true {
        let part = ServiceAttributeResponse(part: Array(repeating: 0, count: 10), continuation: [1])
        let (outcome, _) = receive(part.encodedPDU(transaction: transaction), &client)
        guard outcome == .continued else {
          #expect(outcome == .failed(.tooLong))
          break
        }
        received += 1
        transaction += 1
      }
      #expect(received == rounds)
    }
  }

  // MARK: Against the server

  @Test(
    "A client gets exactly the server's records, with any MTU and any number of octets",
    arguments: 0..<40 as Range<UInt64>)
  func property(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var database = ServiceDatabase()
    for _ in 0..<Int.random(in: 0...12, using: &random) { database.add(.random(using: &random)) }
    var server = SDPServer(database)
    var session = SDPServerSession()
    for mtu in [48, 49, 672, Int.random(in: 48...1000, using: &random)] {
      for octets in [7, 8, UInt16.random(in: 7...500, using: &random), 0xFFFF] {
        var client = SDPClient(limits: .init(responseOctets: octets))
        let records = database.records.filter { $0.contains(.publicBrowseRoot) }
        let found = try run(Self.search(limit: 0xFFFF), &client, &server, &session, mtu: mtu)
        #expect(found == .handles(records.compactMap(\.handle)))
        let some = try run(Self.search(limit: 2), &client, &server, &session, mtu: mtu)
        #expect(some == .handles(records.prefix(2).compactMap(\.handle)))
        let all = try run(.searchAttributes(.publicBrowseRoot, .all), &client, &server, &session, mtu: mtu)
        #expect(all == .records(records))
        for record in database.records.prefix(2) {
          let handle = try #require(record.handle)
          let one = try run(.attributes(handle, .all), &client, &server, &session, mtu: mtu)
          #expect(one == .records([record]))
          let ids = AttributeSelection([0...0, 4...6])
          let part = try run(.attributes(handle, ids), &client, &server, &session, mtu: mtu)
          #expect(part == .records([ServiceRecord(record.attributes.filter { ids.contains($0.id) })]))
        }
      }
    }
  }

  private static func search(limit: UInt16) -> SDPClient.Query { .search(.publicBrowseRoot, limit: limit) }

  private func run(
    _ query: SDPClient.Query, _ client: inout SDPClient, _ server: inout SDPServer, _ session: inout SDPServerSession,
    mtu: Int
  ) throws -> SDPClient.Answer? {
    var request = try ask(query, &client, mtu: mtu)
    while true {
      #expect(request.count <= mtu)
      var reply = OctetBuffer()
      server.receive(request.span, from: &session, mtu: mtu, reply: &reply)
      #expect(reply.count <= mtu)
      let (outcome, next) = receive(reply.copy(), &client)
      switch outcome {
      case .continued: request = next
      case .answered(let answer): return answer
      case .ignored, .failed:
        Issue.record("\(outcome)")
        return nil
      }
    }
  }
}

extension ServiceRecord {
  /// Returns a record with random attributes, most of which can be found from the public browse root.
  static func random(using random: inout SplitMix64) -> ServiceRecord {
    var record = ServiceRecord()
    for _ in 0..<Int.random(in: 0...8, using: &random) {
      let id = UInt16.random(in: 1...0x0300, using: &random)
      record[AttributeID(rawValue: id)] = .random(depth: 3, using: &random)
    }
    record.browseGroups = Bool.random(using: &random) ? [.publicBrowseRoot] : []
    return record
  }
}
