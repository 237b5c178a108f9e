import BLECore
import BLESDP

/// SDP (Core 5.4 Vol 3 Part B): data elements, a server with two clients, and a client with a server.
package enum SDPTarget: FuzzTarget {
  package static let name = "sdp"
  package static let maximumLength = 2048

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    switch input.below(3) {
    case 0: try runElements(&input)
    case 1:
      var bench = DiscoveryServerBench()
      try bench.play(&input)
    default: try runClient(&input)
    }
  }

  /// Decodes octets as an element, and as every PDU.
  private static func runElements(_ input: inout FuzzInput) throws(Violation) {
    let octets = input.rest()
    for shape in [DataElement.Shape.elements, .attributes, .attributeLists] {
      let field = DataElement.describe("Element", octets, in: octets.indices, as: shape)
      try requireNested(field, octets.indices)
    }
    if let (element, consumed) = try? DataElement.decodePrefix(of: octets.span) {
      try require(consumed <= octets.count, "an element is longer than its octets")
      let encoded = element.encoded
      try require(encoded.count <= consumed && encoded.count == element.octetCount, "an element becomes longer")
      try require((try? DataElement(decoding: encoded)) == element, "an element is another after encoding")
      _ = ServiceRecord(attributeList: element)
    }
    for type in allSDPPDUs { try requireStable(type, octets) }
  }

  private static func requireNested(_ field: DescribedField, _ range: Range<Int>) throws(Violation) {
    try require(
      field.range.lowerBound >= range.lowerBound && field.range.upperBound <= range.upperBound,
      "a field is outside of its parent")
    for child in field.children { try requireNested(child, field.range) }
  }

  private static func requireStable<PDU: SDPPDU>(_ type: PDU.Type, _ octets: [UInt8]) throws(Violation) {
    let (fields, fault) = PDU.describe(octets)
    for field in fields { try requireNested(field, octets.indices) }
    guard let pdu = try? PDU(decoding: octets) else { return }
    try require(fault == nil, "\(PDU.id) decodes, but is not described")
    let encoded = pdu.encoded
    try require((try? PDU(decoding: encoded))?.encoded == encoded, "\(PDU.id) is another after encoding")
  }

  /// Gives a client answers of a server.
  private static func runClient(_ input: inout FuzzInput) throws(Violation) {
    let limits = SDPClient.Limits(responseOctets: input.word(), answerOctets: Int(input.word()), requests: 20)
    var client = SDPClient(limits: limits)
    var request: [UInt8] = []
    while !input.isAtEnd {
      switch input.below(4) {
      case 0:
        let queries: [SDPClient.Query] = [
          .search(.publicBrowseRoot, limit: input.word()), .attributes(.server, .all),
          .searchAttributes(SearchPattern([.l2cap]), .all),
        ]
        var buffer = OctetBuffer()
        let query = queries[input.below(queries.count)]
        do throws(SDPClient.Failure) { try client.ask(query, mtu: 48, into: &buffer) } catch {
          throw Violation(description: "a short request fails: \(error)")
        }
        request = buffer.copy()
      case 1: try receive(input.run(), &client, &request)
      default:
        // A response whose header is right, so that its parameters are reached sooner.
        guard request.count >= 3 else { continue }
        let parameters = input.run()
        let head = [request[0] + UInt8(input.flag() ? 1 : 0), request[1], request[2], 0, UInt8(parameters.count)]
        try receive(head + parameters, &client, &request)
      }
    }
  }

  private static func receive(
    _ pdu: [UInt8], _ client: inout SDPClient, _ request: inout [UInt8]
  ) throws(Violation) {
    let wasBusy = client.isBusy
    var next = OctetBuffer()
    let outcome = client.receive(pdu.span, next: &next)
    try require(next.isEmpty == (outcome != .continued), "a request is written for \(outcome)")
    switch outcome {
    case .ignored: try require(client.isBusy == wasBusy, "an ignored response ends a query")
    case .continued:
      try require(client.isBusy && next.count <= 48, "a request is longer than the MTU, or nobody waits for its answer")
      request = next.copy()
    case .answered(let answer):
      try require(wasBusy && !client.isBusy, "a query that was not asked is answered")
      if case .records(let records) = answer {
        try require(
          records.reduce(0) { $0 + $1.attributes.count } <= client.limits.answerOctets, "more attributes than octets")
      }
    case .failed: try require(wasBusy && !client.isBusy, "a query that was not asked fails")
    }
  }

  package static var seeds: [Seed] { SDPSeeds.all }
}

/// A server with two clients that send anything.
private struct DiscoveryServerBench {
  var server: SDPServer
  var sessions = [SDPServerSession(), SDPServerSession()]
  /// The state that the server gave last to each client.
  var states: [[UInt8]] = [[], []]

  init() {
    var database = ServiceDatabase()
    database.add(.gatt(BluetoothUUID(0x180D), handles: 0x0010...0x0015, hasEnhancedBearers: true))
    database.add(.gatt(BluetoothUUID(high: 1, low: 2), handles: 0x0016...0x0019))
    server = SDPServer(database)
  }

  mutating func play(_ input: inout FuzzInput) throws(Violation) {
    while !input.isAtEnd {
      let client = input.below(2)
      let mtu = 48 + Int(input.octet())
      switch input.below(5) {
      case 0: try receive(input.run(), client, mtu)
      case 1:
        let (id, parameters) = (input.octet(), input.run())
        try receive([id, 0x12, 0x34, 0, UInt8(parameters.count)] + parameters, client, mtu)
      case 2:
        // A request that continues with what the server has said to one of the clients.
        let (id, state) = (input.octet(), states[input.below(2)])
        let parameters = input.run() + [UInt8(state.count)] + state
        try receive([id, 0x12, 0x34, 0, UInt8(truncatingIfNeeded: parameters.count)] + parameters, client, mtu)
      case 3: server.database.add(.gatt(BluetoothUUID(UInt16(input.octet())), handles: 1...2))
      default:
        let handles = server.database.records.compactMap(\.handle)
        server.database.remove(handles[input.below(handles.count)])
      }
      if server.database.records.count > 20 { server.database.removeAll() }
    }
    try checkClient()
  }

  private mutating func receive(_ pdu: [UInt8], _ client: Int, _ mtu: Int) throws(Violation) {
    var reply = OctetBuffer()
    server.receive(pdu.span, from: &sessions[client], mtu: mtu, reply: &reply)
    let octets = reply.copy()
    guard pdu.count >= 3 else { return try require(octets.isEmpty, "a PDU without a transaction is answered") }
    try require(octets.count >= 5 && octets.count <= mtu, "a response of \(octets.count) octets with an MTU of \(mtu)")
    try require(octets[1] == pdu[1] && octets[2] == pdu[2], "a response has another transaction")
    try require(Int(octets[3]) << 8 | Int(octets[4]) == octets.count - 5, "a response has a wrong length")
    let isAnswer = [2, 4, 6].contains(pdu[0]) && octets[0] == pdu[0] + 1
    try require(octets[0] == 0x01 || isAnswer, "a response is of another kind than its request")
    states[client] = octets.count >= 10 && octets[octets.count - 5] == 4 ? Array(octets.suffix(4)) : []
  }

  /// Checks that a client that behaves gets all records, whatever came before.
  private mutating func checkClient() throws(Violation) {
    var client = SDPClient(limits: .init(responseOctets: 7))
    var request = OctetBuffer()
    do throws(SDPClient.Failure) {
      try client.ask(.searchAttributes(.publicBrowseRoot, .all), mtu: 48, into: &request)
    } catch { throw Violation(description: "a short request fails: \(error)") }
    while true {
      var reply = OctetBuffer()
      let octets = request.copy()
      server.receive(octets.span, from: &sessions[0], mtu: 48, reply: &reply)
      request.removeAll()
      let response = reply.copy()
      switch client.receive(response.span, next: &request) {
      case .continued: continue
      case .answered(let answer):
        return try require(
          answer == .records(server.database.records.filter { $0.contains(.publicBrowseRoot) }),
          "a client gets other records")
      case let outcome: throw Violation(description: "a client that behaves gets \(outcome)")
      }
    }
  }
}
