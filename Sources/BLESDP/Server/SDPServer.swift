import BLECore

/// A Service Discovery Server (Core 5.4 Vol 3 Part B 4): it answers the requests of any number of clients.
///
/// The owner keeps an `SDPServerSession` for each L2CAP channel, and passes every PDU of that channel:
///
/// ```swift
/// server.receive(pdu, from: &session, mtu: channel.sendMTU, reply: &octets)
/// ```
public struct SDPServer: Sendable {
  /// The smallest MTU of a channel on BR/EDR, for which every response is made to fit (Core 5.4 Vol 3 Part A 5.1).
  public static let minimumMTU = 48
  /// The fewest octets of attributes that a client may ask for at a time (Core 5.4 Vol 3 Part B 4.6.1).
  public static let minimumAttributeOctets: UInt16 = 7

  /// The length of a continuation state at most, in octets (Core 5.4 Vol 3 Part B 4.3).
  static let maximumStateLength = 16

  /// The records. Answers that a client has not read to the end are void when they change.
  public var database: ServiceDatabase { didSet { changes &+= 1 } }
  private var changes: UInt64 = 0
  /// The number of the next continuation state. Together with the session's memory, it makes each state valid once, and nowhere else.
  private var nextState: UInt32 = 1

  /// Creates a server of these records.
  public init(_ database: ServiceDatabase = ServiceDatabase()) { self.database = database }

  /// Processes a PDU, and appends its response, of at most `mtu` octets. Nothing is appended if the PDU is too short to have a transaction.
  public mutating func receive(
    _ pdu: Span<UInt8>, from session: inout SDPServerSession, mtu: Int, reply: inout OctetBuffer
  ) {
    guard pdu.count >= 3 else { return }
    let transaction = UInt16(pdu[1]) << 8 | UInt16(pdu[2])
    do throws(SDPRefusal) {
      guard let (header, length) = try? SDPHeader.decodePrefix(of: pdu), Int(header.length) == pdu.count - length else {
        throw SDPRefusal(.invalidPDUSize)
      }
      try respond(
        header, pdu.extracting(length...), &session, mtu: max(mtu, Self.minimumMTU), reply: &reply)
    } catch {
      session.unsent = nil
      SDPErrorResponse(error: error.error).encodePDU(transaction: transaction, into: &reply)
    }
  }

  private mutating func respond(
    _ header: SDPHeader, _ parameters: Span<UInt8>, _ session: inout SDPServerSession, mtu: Int,
    reply: inout OctetBuffer
  ) throws(SDPRefusal) {
    switch header.id {
    case .serviceSearchRequest:
      let request: ServiceSearchRequest = try decode(parameters)
      try search(request, &session, mtu: mtu).encodePDU(transaction: header.transaction, into: &reply)
    case .serviceAttributeRequest:
      let request: ServiceAttributeRequest = try decode(parameters)
      let (part, state) = try attributes(request, &session, mtu: mtu)
      ServiceAttributeResponse(part: part, continuation: state)
        .encodePDU(transaction: header.transaction, into: &reply)
    case .serviceSearchAttributeRequest:
      let request: ServiceSearchAttributeRequest = try decode(parameters)
      let (part, state) = try attributes(request, &session, mtu: mtu)
      ServiceSearchAttributeResponse(part: part, continuation: state)
        .encodePDU(transaction: header.transaction, into: &reply)
    default: throw SDPRefusal(.invalidRequestSyntax)
    }
  }

  private func decode<Request: SDPPDU>(_ parameters: Span<UInt8>) throws(SDPRefusal) -> Request {
    do throws(LayoutFault) { return try Request(decoding: parameters) } catch {
      throw SDPRefusal(.invalidRequestSyntax)
    }
  }

  // MARK: Service Search (Core 5.4 Vol 3 Part B 4.5)

  private mutating func search(
    _ request: ServiceSearchRequest, _ session: inout SDPServerSession, mtu: Int
  ) throws(SDPRefusal) -> ServiceSearchResponse {
    let pattern = try SearchPattern(request.pattern)
    guard request.maximumRecords > 0 else { throw SDPRefusal(.invalidRequestSyntax) }
    let question = SDPQuestion.search(pattern, limit: request.maximumRecords)
    let unsent = try begin(question, request.continuation, &session) { database throws(SDPRefusal) in
      let found = database.records.lazy.filter(pattern.matches).compactMap(\.handle)
      return found.prefix(Int(request.maximumRecords)).flatMap { $0.encoded }
    }
    // Before the handles come the header and two counts, after them the length of the state.
    let octets = send(unsent, room: mtu - SDPHeader.octetCount - 5, unit: 4, &session)
    let handles = stride(from: 0, to: octets.part.count, by: 4).compactMap {
      try? ServiceRecordHandle(decoding: octets.part.span.extracting($0..<$0 + 4))
    }
    return ServiceSearchResponse(
      totalRecords: UInt16(clamping: unsent.octets.count / 4), handles: handles, continuation: octets.state)
  }

  // MARK: Attributes (Core 5.4 Vol 3 Part B 4.6, 4.7)

  private mutating func attributes(
    _ request: ServiceAttributeRequest, _ session: inout SDPServerSession, mtu: Int
  ) throws(SDPRefusal) -> (part: [UInt8], state: [UInt8]) {
    let selection = try AttributeSelection(request.attributes)
    let handle = request.handle
    let question = SDPQuestion.attributes(handle, selection)
    let unsent = try begin(question, request.continuation, &session) { database throws(SDPRefusal) in
      guard let record = database.record(handle) else { throw SDPRefusal(.invalidServiceRecordHandle) }
      return record.attributeList(selection).encoded
    }
    return try send(unsent, limit: request.maximumOctets, mtu: mtu, &session)
  }

  private mutating func attributes(
    _ request: ServiceSearchAttributeRequest, _ session: inout SDPServerSession, mtu: Int
  ) throws(SDPRefusal) -> (part: [UInt8], state: [UInt8]) {
    let pattern = try SearchPattern(request.pattern)
    let selection = try AttributeSelection(request.attributes)
    let question = SDPQuestion.searchAttributes(pattern, selection)
    let unsent = try begin(question, request.continuation, &session) { database throws(SDPRefusal) in
      let lists = database.records.lazy.filter(pattern.matches).map { $0.attributeList(selection) }
      return DataElement.sequence(lists.filter { $0 != .sequence([]) }).encoded
    }
    return try send(unsent, limit: request.maximumOctets, mtu: mtu, &session)
  }

  private mutating func send(
    _ unsent: SDPServerSession.Unsent, limit: UInt16, mtu: Int, _ session: inout SDPServerSession
  ) throws(SDPRefusal) -> (part: [UInt8], state: [UInt8]) {
    guard limit >= Self.minimumAttributeOctets else { throw SDPRefusal(.invalidRequestSyntax) }
    // Before the attributes come the header and their count, after them the length of the state.
    let room = mtu - SDPHeader.octetCount - 3
    return send(unsent, room: room, limit: Int(limit), unit: 1, &session)
  }

  // MARK: Continuation (Core 5.4 Vol 3 Part B 4.3)

  /// Returns the answer to a question that begins, or the rest of the answer to one that the client continues.
  private func begin(
    _ question: SDPQuestion, _ continuation: [UInt8], _ session: inout SDPServerSession,
    answer: (ServiceDatabase) throws(SDPRefusal) -> [UInt8]
  ) throws(SDPRefusal) -> SDPServerSession.Unsent {
    guard !continuation.isEmpty else {
      return SDPServerSession.Unsent(
        question: question, changes: changes, octets: try answer(database))
    }
    guard let unsent = session.unsent, unsent.state == continuation, unsent.question == question,
      unsent.changes == changes
    else { throw SDPRefusal(.invalidContinuationState) }
    return unsent
  }

  /// Takes the next part of an answer: as many whole units as fit, with a state if more follows.
  private mutating func send(
    _ unsent: SDPServerSession.Unsent, room: Int, limit: Int = .max, unit: Int, _ session: inout SDPServerSession
  ) -> (part: [UInt8], state: [UInt8]) {
    var unsent = unsent
    let left = unsent.octets.count - unsent.offset
    let isLast = left <= min(room, limit)
    let count = isLast ? left : min(room - SDPServerSession.stateLength, limit) / unit * unit
    let part = Array(unsent.octets[unsent.offset..<unsent.offset + count])
    guard !isLast else {
      session.unsent = nil
      return (part, [])
    }
    unsent.offset += count
    unsent.state = nextState.littleEndianOctets
    nextState &+= 1
    session.unsent = unsent
    return (part, unsent.state)
  }
}

/// What a server remembers about one channel: the answer of which the client has only a part. It is never longer than the records.
public struct SDPServerSession: Sendable {
  /// The length of a continuation state in octets.
  static let stateLength = 4

  var unsent: Unsent?

  /// Creates a session without unfinished answers.
  public init() {}

  struct Unsent: Sendable {
    let question: SDPQuestion
    /// The number of changes of the records before the answer was made.
    let changes: UInt64
    /// The whole answer.
    let octets: [UInt8]
    /// The number of octets that have been sent.
    var offset = 0
    /// The state with which the client gets the rest.
    var state: [UInt8] = []
  }
}

/// What a client asks, which is the same in all requests for one answer.
enum SDPQuestion: Hashable, Sendable {
  case search(SearchPattern, limit: UInt16)
  case attributes(ServiceRecordHandle, AttributeSelection)
  case searchAttributes(SearchPattern, AttributeSelection)
}
