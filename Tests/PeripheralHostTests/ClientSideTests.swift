import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Testing

@Suite("The client of the central's server")
struct ClientSideTests {
  private static let link = ConnectionHandle(rawValue: 0)

  /// Returns a host with a link; the test answers its requests.
  private static func connected() throws -> Bench {
    let bench = try Bench.ready()
    bench.connect()
    bench.forget()
    return bench
  }

  private static func outcomes(_ bench: Bench) -> [GATTOutcome] {
    bench.events.compactMap { if case .client(link, .ended(_, let outcome)) = $0 { outcome } else { nil } }
  }

  @Test("A request begins an operation, with events for its number and end")
  func request() throws {
    let bench = try Self.connected()
    try bench.perform(.client(Self.link, .read(5)))
    #expect(bench.attPDUs() == [ReadRequest(handle: 5).encodedPDU])
    bench.att(ReadResponse(value: [1, 2]))
    let events = bench.events.compactMap { if case .client(_, let event) = $0 { event } else { nil } }
    try #require(events.count == 2)
    guard case .began(let id, .read(5)) = events[0] else { return #expect(Bool(false), "\(events)") }
    #expect(events[1] == .ended(id, .success(.value([1, 2]))))
    #expect(throws: HostRequestError.unknownConnection(ConnectionHandle(rawValue: 9))) {
      try bench.perform(.client(ConnectionHandle(rawValue: 9), .read(5)))
    }
  }

  @Test(
    "A central without a server refuses, and the operation ends with its error",
    arguments: [ATTErrorCode.requestNotSupported, .attributeNotFound])
  func noServer(error: ATTErrorCode) throws {
    let bench = try Self.connected()
    try bench.perform(.client(Self.link, .discoverAll))
    try bench.perform(.client(Self.link, .read(3)))
    bench.att(ErrorResponse(request: .readByGroupTypeRequest, handle: 1, error: error))
    bench.att(ErrorResponse(request: .readRequest, handle: 3, error: error))
    // An empty result is not a failure of a discovery (Core 5.4 Vol 3 Part G 4.4.1).
    let first: GATTOutcome =
      error == .attributeNotFound
      ? .success(.services([])) : .failure(.refused(error, request: .readByGroupTypeRequest, handle: 1))
    #expect(Self.outcomes(bench) == [first, .failure(.refused(error, request: .readRequest, handle: 3))])
    #expect(bench.readsText())
  }

  @Test("A request without a response within 30 s ends all operations and the link")
  func timeout() throws {
    let bench = try Self.connected()
    try bench.perform(.client(Self.link, .read(3)))
    try bench.perform(.client(Self.link, .read(4)))
    bench.advance(.milliseconds(29_999))
    #expect(Self.outcomes(bench).isEmpty && bench.readsText())
    bench.advance(.milliseconds(1))
    #expect(Self.outcomes(bench) == [.failure(.timedOut), .failure(.timedOut)])
    #expect(bench.events.faults == [.transactionTimeout(Self.link)])
    #expect(bench.opcodes().first == .disconnect)
  }

  @Test("The MTU that this side has exchanged also applies to the server")
  func ownExchange() throws {
    let bench = try Self.connected()
    try bench.perform(.client(Self.link, .exchangeMTU))
    #expect(bench.attPDUs() == [ExchangeMTURequest(clientMTU: 517).encodedPDU])
    bench.att(ExchangeMTUResponse(serverMTU: 100))
    #expect(Self.outcomes(bench) == [.success(.mtu(100))])
    #expect(bench.stack.linkStates.map(\.mtu) == [100])
  }

  @Test("The MTU that the central has exchanged also applies to the client", arguments: [false, true])
  func centralsExchange(isClientThere: Bool) throws {
    let bench = try Self.connected()
    if isClientThere { try bench.perform(.client(Self.link, .writeWithoutResponse(3, []))) }
    bench.att(ExchangeMTURequest(clientMTU: 60))
    bench.forget()
    try bench.perform(.client(Self.link, .writeWithoutResponse(3, Array(repeating: 1, count: 58))))
    try bench.perform(.client(Self.link, .writeWithoutResponse(3, Array(repeating: 1, count: 57))))
    #expect(Self.outcomes(bench) == [.failure(.tooLong(octets: 58, limit: 57)), .success(.done)])
    #expect(bench.attPDUs().map(\.count) == [60])
  }

  @Test("A response that was full at the MTU of its request is not the whole value at the next MTU")
  func exchangeWithinRead() throws {
    let bench = try Self.connected()
    try bench.perform(.client(Self.link, .read(3)))
    bench.att(ExchangeMTURequest(clientMTU: 100))
    let next = bench.att(ReadResponse(value: Array(repeating: 1, count: 22)))
    #expect(next == [ReadBlobRequest(handle: 3, offset: 22).encodedPDU])
    bench.att(ReadBlobResponse(value: [2]))
    #expect(Self.outcomes(bench) == [.success(.value(Array(repeating: 1, count: 22) + [2]))])
  }

  @Test("An unexpected indication is confirmed and reported, an unexpected response is neither")
  func unasked() throws {
    let bench = try Self.connected()
    #expect(bench.att(ReadResponse(value: [1])).isEmpty && bench.events.isEmpty)
    let answers = bench.att(HandleValueIndication(handle: 9, value: [1, 2]))
    #expect(answers == [HandleValueConfirmation().encodedPDU])
    bench.att(HandleValueNotification(handle: 8, value: [3]))
    let events = bench.events.compactMap { if case .client(_, let event) = $0 { event } else { nil } }
    #expect(events == [.indication(handle: 9, value: [1, 2]), .notification(handle: 8, value: [3])])
    bench.att(ReadResponse(value: [1]))
    guard case .client(_, .violation(.unexpectedResponse(.readResponse)))? = bench.events.last else {
      return #expect(Bool(false), "\(bench.events)")
    }
  }

  @Test("Each side has its own transaction: the central's request is answered while ours waits")
  func ownTransactions() throws {
    let bench = try Self.connected()
    try bench.perform(.client(Self.link, .write(7, [1])))
    #expect(bench.readsText())
    bench.att(WriteResponse())
    #expect(Self.outcomes(bench) == [.success(.done)])
  }

  @Test("A restart of the controller ends the operations of its links")
  func restart() throws {
    let bench = try Self.connected()
    try bench.perform(.client(Self.link, .read(3)))
    bench.event(HCIHardwareError { $0.hardwareCode = 1 })
    #expect(Self.outcomes(bench) == [.failure(.closed)])
  }
}
