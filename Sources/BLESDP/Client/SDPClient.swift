import BLECore

/// A Service Discovery Client on one channel (Core 5.4 Vol 3 Part B 4): one query at a time, of as many requests as its answer needs.
public struct SDPClient: Sendable {
  /// What to ask.
  public enum Query: Hashable, Sendable {
    /// The handles of the records that match, at most `limit`.
    case search(SearchPattern, limit: UInt16)
    /// Attributes of one record.
    case attributes(ServiceRecordHandle, AttributeSelection)
    /// Attributes of the records that match.
    case searchAttributes(SearchPattern, AttributeSelection)
  }

  /// The whole answer to a query.
  public enum Answer: Hashable, Sendable {
    /// To `search`.
    case handles([ServiceRecordHandle])
    /// To `attributes` and `searchAttributes`. Each record has only attributes that were selected.
    case records([ServiceRecord])
  }

  /// The reason why a query has no answer.
  public enum Failure: Error, Hashable, Sendable {
    /// The server refused it.
    case refused(SDPErrorCode)
    /// A response is not valid.
    case malformed
    /// The answer is longer than this client accepts, or comes in too many parts.
    case tooLong
    /// The request does not fit the MTU, in octets.
    case requestTooLong(octets: Int)
  }

  /// The result of a PDU from the server.
  public enum Outcome: Hashable, Sendable {
    /// It belongs to no query; it is ignored.
    case ignored
    /// A request for more has been written.
    case continued
    /// The query is done.
    case answered(Answer)
    /// The query has failed.
    case failed(Failure)
  }

  /// The limits of what a client accepts from a server.
  public struct Limits: Hashable, Sendable {
    /// The number of octets of attributes in each response, at least 7.
    public var responseOctets: UInt16
    /// The number of octets of a whole answer.
    public var answerOctets: Int
    /// The number of requests for one answer.
    public var requests: Int

    /// Creates limits.
    public init(responseOctets: UInt16 = 0xFFFF, answerOctets: Int = 65_536, requests: Int = 16_384) {
      self.responseOctets = max(responseOctets, SDPServer.minimumAttributeOctets)
      self.answerOctets = answerOctets
      self.requests = requests
    }
  }

  /// The limits.
  public let limits: Limits

  private var running: Running?
  private var lastTransaction: UInt16 = 0

  /// A query that has been asked.
  private struct Running: Sendable {
    let query: Query
    let mtu: Int
    var requests = 0
    /// What has been received so far: attributes as octets, or handles of four octets each.
    var octets: [UInt8] = []
    var continuation: [UInt8] = []
  }

  /// Creates a client without queries.
  public init(limits: Limits = Limits()) { self.limits = limits }

  /// Whether a query is waiting for its answer.
  public var isBusy: Bool { running != nil }

  /// Begins a query, which replaces the previous one, and appends its first request. `mtu` is the longest PDU that the server accepts.
  public mutating func ask(_ query: Query, mtu: Int, into buffer: inout OctetBuffer) throws(Failure) {
    running = nil
    var next = Running(query: query, mtu: mtu)
    try request(&next, into: &buffer)
    running = next
  }

  /// Forgets the query, because its channel has ended or it takes too long.
  public mutating func cancel() { running = nil }

  /// Processes a PDU from the server, and appends the request for the rest of its answer, if any.
  public mutating func receive(_ pdu: Span<UInt8>, next: inout OctetBuffer) -> Outcome {
    guard var query = running, let (header, length) = try? SDPHeader.decodePrefix(of: pdu),
      header.transaction == lastTransaction
    else { return .ignored }
    running = nil
    do throws(Failure) {
      guard Int(header.length) == pdu.count - length else { throw .malformed }
      try take(header.id, pdu.extracting(length...), &query)
      guard query.continuation.isEmpty else {
        try request(&query, into: &next)
        running = query
        return .continued
      }
      return .answered(try Self.answer(query))
    } catch {
      return .failed(error)
    }
  }

  // MARK: Requests

  private mutating func request(_ running: inout Running, into buffer: inout OctetBuffer) throws(Failure) {
    guard running.requests < limits.requests else { throw .tooLong }
    running.requests += 1
    lastTransaction &+= 1
    let start = buffer.count
    switch running.query {
    case .search(let pattern, let limit):
      ServiceSearchRequest(
        pattern: pattern.element, maximumRecords: max(limit, 1), continuation: running.continuation
      ).encodePDU(transaction: lastTransaction, into: &buffer)
    case .attributes(let handle, let ids):
      ServiceAttributeRequest(
        handle: handle, maximumOctets: limits.responseOctets, attributes: ids.element,
        continuation: running.continuation
      ).encodePDU(transaction: lastTransaction, into: &buffer)
    case .searchAttributes(let pattern, let ids):
      ServiceSearchAttributeRequest(
        pattern: pattern.element, maximumOctets: limits.responseOctets, attributes: ids.element,
        continuation: running.continuation
      ).encodePDU(transaction: lastTransaction, into: &buffer)
    }
    let length = buffer.count - start
    guard length <= running.mtu else {
      buffer.truncate(to: start)
      throw .requestTooLong(octets: length)
    }
  }

  // MARK: Responses

  /// Adds a response to what has been received.
  private func take(_ id: SDPPDUID, _ parameters: Span<UInt8>, _ running: inout Running) throws(Failure) {
    switch (id, running.query) {
    case (.errorResponse, _):
      let response: SDPErrorResponse = try Self.decode(parameters)
      throw .refused(response.error)
    case (.serviceSearchResponse, .search(_, let limit)):
      let response: ServiceSearchResponse = try Self.decode(parameters)
      try add(
        response.handles.flatMap(\.encoded), limit: 4 * Int(max(limit, 1)) - running.octets.count,
        response.continuation, to: &running)
    case (.serviceAttributeResponse, .attributes):
      let response: ServiceAttributeResponse = try Self.decode(parameters)
      try add(response.part, limit: Int(limits.responseOctets), response.continuation, to: &running)
    case (.serviceSearchAttributeResponse, .searchAttributes):
      let response: ServiceSearchAttributeResponse = try Self.decode(parameters)
      try add(response.part, limit: Int(limits.responseOctets), response.continuation, to: &running)
    default: throw .malformed
    }
  }

  private static func decode<PDU: SDPPDU>(_ parameters: Span<UInt8>) throws(Failure) -> PDU {
    do throws(LayoutFault) { return try PDU(decoding: parameters) } catch { throw .malformed }
  }

  /// Adds a part of the answer. A part that is not the last must bring something, so that a server cannot go on forever.
  private func add(
    _ part: [UInt8], limit: Int, _ continuation: [UInt8], to running: inout Running
  ) throws(Failure) {
    guard part.count <= limit, continuation.count <= SDPServer.maximumStateLength,
      !part.isEmpty || continuation.isEmpty
    else { throw .malformed }
    guard running.octets.count + part.count <= limits.answerOctets else { throw .tooLong }
    running.octets += part
    running.continuation = continuation
  }

  /// Returns the answer that the parts make together.
  private static func answer(_ running: Running) throws(Failure) -> Answer {
    switch running.query {
    case .search:
      return .handles(
        stride(from: 0, to: running.octets.count, by: 4).compactMap {
          try? ServiceRecordHandle(decoding: running.octets.span.extracting($0..<$0 + 4))
        })
    case .attributes:
      let record = ServiceRecord(attributeList: try element(running.octets))
      guard let record else { throw .malformed }
      return .records([record])
    case .searchAttributes:
      guard case .sequence(let lists) = try element(running.octets) else { throw .malformed }
      let records = lists.compactMap(ServiceRecord.init(attributeList:))
      guard records.count == lists.count else { throw .malformed }
      return .records(records)
    }
  }

  private static func element(_ octets: [UInt8]) throws(Failure) -> DataElement {
    do throws(LayoutFault) { return try DataElement(decoding: octets) } catch { throw .malformed }
  }
}
