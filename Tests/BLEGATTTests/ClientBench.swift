import BLEATT
import BLECore
import BLEGATT
import Testing

/// A client on one bearer with a server; the responses come from our own server or from the test.
struct ClientBench {
  var client: GATTClient
  var chart: SequenceChart
  var now = Instant(nanoseconds: 1_000_000_000)
  /// Everything that the client reported.
  private(set) var events: [GATTClientEvent] = []
  /// The client's PDUs that have not been taken.
  private(set) var sent: [[UInt8]] = []
  /// The number of requests that the server has answered.
  private(set) var exchanges = 0

  init(mtu: Int = 517, serverMTU: Int = 517, _ services: [ServiceDefinition] = Tester.application) throws {
    client = GATTClient(mtu: mtu)
    chart = try SequenceChart(host: Tester.host, application: services, receiveMTU: serverMTU)
  }

  /// Begins an operation without answering its request.
  mutating func begin(_ operation: GATTOperation) -> OperationID {
    var out = GATTClientOutput()
    let id = client.perform(operation, at: now, into: &out)
    collect(&out)
    return id
  }

  /// Passes a PDU to the client.
  mutating func receive(_ pdu: [UInt8]) {
    var out = GATTClientOutput()
    client.receive(pdu.span, at: now, into: &out)
    collect(&out)
  }

  mutating func receive(_ pdu: some ATTPDU) { receive(pdu.encodedPDU) }

  mutating func advance(to instant: Instant) {
    now = instant
    var out = GATTClientOutput()
    client.advance(to: now, into: &out)
    collect(&out)
  }

  mutating func close() {
    var out = GATTClientOutput()
    client.close(into: &out)
    collect(&out)
  }

  private mutating func collect(_ out: inout GATTClientOutput) {
    events += out.events
    var pdus: [[UInt8]] = []
    out.forEachPDU { pdu, _ in pdus.append(pdu.withUnsafeBytes { Array($0) }) }
    sent += pdus
  }

  mutating func takeSent() -> [[UInt8]] {
    defer { sent = [] }
    return sent
  }

  mutating func takeEvents() -> [GATTClientEvent] {
    defer { events = [] }
    return events
  }

  /// Lets our own server answer until the client sends no more, at most the given number of times.
  mutating func serve(limit: Int = 10_000) {
    while !sent.isEmpty, exchanges < limit {
      exchanges += 1
      let answer = chart.answer(sent.removeFirst())
      if !answer.isEmpty { receive(answer) }
    }
  }

  /// Returns how an operation ended; nil while it is in progress.
  func outcome(_ id: OperationID) -> GATTOutcome? {
    for case .ended(id, let outcome) in events { return outcome }
    return nil
  }

  /// Performs an operation with our own server.
  mutating func perform(_ operation: GATTOperation) throws -> GATTOutcome {
    let id = begin(operation)
    serve()
    return try #require(outcome(id))
  }

  /// Performs an operation; each of its requests is answered with the next of these PDUs in hexadecimal.
  mutating func perform(_ operation: GATTOperation, answers: [String]) throws -> GATTOutcome? {
    let id = begin(operation)
    for answer in answers { receive(try #require([UInt8](hexadecimal: answer))) }
    return outcome(id)
  }
}
