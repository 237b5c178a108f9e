import BLECore
import BLESDP
import Testing

@Suite("SDP server, malformed requests and continuation states")
struct SDPServerRefusalTests {
  private var server: SDPServer
  private let handle: ServiceRecordHandle
  private static let all = DataElement.sequence([.unsigned32(0x0000_FFFF)])

  init() {
    var database = ServiceDatabase()
    handle = database.add(.gatt(BluetoothUUID(0x180D), handles: 0x0010...0x0015))
    server = SDPServer(database)
  }

  private static func answer(
    _ pdu: [UInt8], _ server: inout SDPServer, _ session: inout SDPServerSession
  ) throws -> (header: SDPHeader, parameters: [UInt8])? {
    var reply = OctetBuffer()
    server.receive(pdu.span, from: &session, mtu: 48, reply: &reply)
    guard !reply.isEmpty else { return nil }
    let octets = reply.copy()
    let (header, length) = try SDPHeader.decodePrefix(of: octets.span)
    return (header, Array(octets[length...]))
  }

  private static func error(
    _ pdu: [UInt8], _ server: inout SDPServer, _ session: inout SDPServerSession
  ) throws -> SDPErrorCode? {
    guard let (header, parameters) = try answer(pdu, &server, &session), header.id == .errorResponse else { return nil }
    return try SDPErrorResponse(decoding: parameters).error
  }

  private func request(_ continuation: [UInt8] = [], octets: UInt16 = 7) -> [UInt8] {
    ServiceAttributeRequest(
      handle: handle, maximumOctets: octets, attributes: Self.all, continuation: continuation
    ).encodedPDU(transaction: 0x0102)
  }

  /// Begins to read attributes, and returns the continuation state.
  private func begin(_ server: inout SDPServer, _ session: inout SDPServerSession) throws -> [UInt8] {
    let response = try #require(try Self.answer(request(), &server, &session))
    return try ServiceAttributeResponse(decoding: response.parameters).continuation
  }

  @Test("A request that is cut at any octet has the wrong size, and with the length corrected, the wrong syntax")
  func cuts() throws {
    var (server, session) = (server, SDPServerSession())
    for request in requests {
      for count in request.indices {
        let cut = Array(request[..<count])
        let error = try Self.error(cut, &server, &session)
        #expect(error == (count < 3 ? nil : .invalidPDUSize), "\(count) of \(request.hexadecimal)")
        guard count >= 5 else { continue }
        #expect(try Self.error(withLengthCorrected(cut), &server, &session) == .invalidRequestSyntax)
      }
      #expect(try Self.error(request + [0], &server, &session) == .invalidPDUSize)
      #expect(try Self.error(withLengthCorrected(request + [0]), &server, &session) == .invalidRequestSyntax)
      #expect(try Self.error(request, &server, &session) == nil)
    }
  }

  private func withLengthCorrected(_ request: [UInt8]) -> [UInt8] {
    var corrected = request
    corrected.replaceSubrange(3..<5, with: UInt16(request.count - 5).bigEndianOctets)
    return corrected
  }

  private var requests: [[UInt8]] {
    let pattern = DataElement.sequence([.uuid16(0x0100)])
    return [
      ServiceSearchRequest(pattern: pattern, maximumRecords: 1).encodedPDU(transaction: 1),
      ServiceAttributeRequest(handle: handle, maximumOctets: 100, attributes: Self.all).encodedPDU(transaction: 2),
      ServiceSearchAttributeRequest(pattern: pattern, maximumOctets: 100, attributes: Self.all)
        .encodedPDU(transaction: 3),
    ]
  }

  @Test("Responses and unknown PDUs are refused, with the transaction of the request")
  func otherPDUs() throws {
    var (server, session) = (server, SDPServerSession())
    for id in UInt8.min...UInt8.max where ![2, 4, 6].contains(id) {
      let response = try #require(try Self.answer([id, 0x12, 0x34, 0, 0], &server, &session))
      #expect(response.header.id == .errorResponse && response.header.transaction == 0x1234)
      #expect(response.parameters == [0x00, 0x03])
    }
  }

  @Test("The rest of an answer comes once, with the state of the part before")
  func continuation() throws {
    var (server, session) = (server, SDPServerSession())
    let state = try begin(&server, &session)
    #expect(!state.isEmpty && state.count <= 16)
    #expect(try Self.error(request(state), &server, &session) == nil)
    #expect(try Self.error(request(state), &server, &session) == .invalidContinuationState)
  }

  @Test("Altered states, and those of other channels, are refused")
  func strangers() throws {
    var (server, session, other) = (server, SDPServerSession(), SDPServerSession())
    let state = try begin(&server, &session)
    #expect(try Self.error(request(state), &server, &other) == .invalidContinuationState)
    let others = try begin(&server, &other)
    #expect(others != state)
    for place in state.indices {
      var altered = state
      altered[place] ^= 0x01
      _ = try begin(&server, &session)
      #expect(try Self.error(request(altered), &server, &session) == .invalidContinuationState)
    }
    for wrong in [[], Array(state.dropLast()), state + [0], [UInt8](repeating: 0, count: 17)] where !wrong.isEmpty {
      _ = try begin(&server, &session)
      #expect(try Self.error(request(wrong), &server, &session) == .invalidContinuationState)
    }
    #expect(try Self.error(request(others), &server, &other) == nil)
  }

  @Test("A state is valid for its request only")
  func otherRequests() throws {
    var (server, session) = (server, SDPServerSession())
    let state = try begin(&server, &session)
    let others: [[UInt8]] = [
      ServiceAttributeRequest(
        handle: .server, maximumOctets: 7, attributes: Self.all, continuation: state
      ).encodedPDU(transaction: 1),
      ServiceAttributeRequest(
        handle: handle, maximumOctets: 7, attributes: .sequence([.unsigned16(1)]), continuation: state
      ).encodedPDU(transaction: 1),
      ServiceSearchAttributeRequest(
        pattern: .sequence([.uuid16(0x0100)]), maximumOctets: 7, attributes: Self.all, continuation: state
      ).encodedPDU(transaction: 1),
      ServiceSearchRequest(pattern: .sequence([.uuid16(0x0100)]), maximumRecords: 1, continuation: state)
        .encodedPDU(transaction: 1),
    ]
    for pdu in others {
      #expect(try Self.error(pdu, &server, &session) == .invalidContinuationState)
      _ = try begin(&server, &session)
    }
    // The number of octets may differ from part to part.
    let last = try begin(&server, &session)
    #expect(try Self.error(request(last, octets: 20), &server, &session) == nil)
  }

  @Test("A state is void when the records have changed")
  func changedRecords() throws {
    var (server, session) = (server, SDPServerSession())
    let state = try begin(&server, &session)
    server.database.add(.gatt(BluetoothUUID(0x180F), handles: 0x0020...0x0025))
    #expect(try Self.error(request(state), &server, &session) == .invalidContinuationState)
    let second = try begin(&server, &session)
    server.database = ServiceDatabase()
    #expect(try Self.error(request(second), &server, &session) == .invalidContinuationState)
  }
}
