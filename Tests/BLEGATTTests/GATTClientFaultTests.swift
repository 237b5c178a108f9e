import BLEATT
import BLECore
import BLEGATT
import Testing

@Suite("GATT client against servers that break the protocol")
struct GATTClientFaultTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var operation: GATTOperation
    /// The server's answers, one to each request.
    var answers: [String]
    var failure: GATTFailure

    var testDescription: String { name }

    init(_ name: String, _ operation: GATTOperation, _ answers: [String], _ failure: GATTFailure) {
      self.name = name
      self.operation = operation
      self.answers = answers
      self.failure = failure
    }

    init(_ name: String, _ operation: GATTOperation, _ answers: [String], _ violation: GATTViolation) {
      self.init(name, operation, answers, .violation(violation))
    }
  }

  static let groups = GATTViolation.malformed(.readByGroupTypeResponse)
  static let types = GATTViolation.malformed(.readByTypeResponse)
  static let service = ClosedRange<UInt16>(uncheckedBounds: (0x10, 0x20))

  static func groupOrder(_ handle: UInt16) -> GATTViolation {
    .handleOutOfOrder(.readByGroupTypeResponse, handle: handle)
  }

  static func typeOrder(_ handle: UInt16) -> GATTViolation { .handleOutOfOrder(.readByTypeResponse, handle: handle) }

  static let cases: [Case] = [
    Case("services without an entry", .discoverPrimaryServices, ["11 06"], groups),
    Case("services of length zero", .discoverPrimaryServices, ["11 00 0100 0200 0018"], groups),
    Case("services of another length", .discoverPrimaryServices, ["11 05 0100 0200 00"], groups),
    Case("half a service", .discoverPrimaryServices, ["11 06 0100 0200 0018 03"], groups),
    Case("a service at handle 0", .discoverPrimaryServices, ["11 06 0000 0200 0018"], groupOrder(0)),
    Case("a service that ends before it begins", .discoverPrimaryServices, ["11 06 0500 0400 0018"], groupOrder(5)),
    Case(
      "a service again", .discoverPrimaryServices, ["11 06 0100 0500 0018", "11 06 0100 0500 0018"], groupOrder(1)),
    Case(
      "services that overlap", .discoverPrimaryServices, ["11 06 0100 0500 0018 0500 0700 0118"], groupOrder(5)),
    Case(
      "services in disorder", .discoverPrimaryServices, ["11 06 0800 0900 0018 0100 0200 0118"], groupOrder(1)),
    Case("a response without a length", .discoverPrimaryServices, ["11"], groups),
    Case(
      "a group in front of the range", .discoverPrimaryServicesByUUID(BluetoothUUID(0x180F)),
      ["07 0500 0700", "07 0700 0900"], .handleOutOfOrder(.findByTypeValueResponse, handle: 7)),
    Case(
      "no group", .discoverPrimaryServicesByUUID(BluetoothUUID(0x180F)), ["07"],
      .malformed(.findByTypeValueResponse)),
    Case(
      "half a group", .discoverPrimaryServicesByUUID(BluetoothUUID(0x180F)), ["07 0500 07"],
      .malformed(.findByTypeValueResponse)),
    Case(
      "an include behind the service", .findIncludedServices(service), ["09 08 2100 0100 0200 0F18"],
      typeOrder(0x21)),
    Case("an include of nothing", .findIncludedServices(service), ["09 08 1100 0000 0000 0F18"], typeOrder(0)),
    Case("an include of another length", .findIncludedServices(service), ["09 07 1100 0100 0200 0F"], types),
    Case(
      "a characteristic before the service", .discoverCharacteristics(service), ["09 07 0F00 02 1000 192A"],
      typeOrder(0x0F)),
    Case(
      "a value in front of its declaration", .discoverCharacteristics(service), ["09 07 1100 02 1000 192A"],
      typeOrder(0x10)),
    Case(
      "a value behind the service", .discoverCharacteristics(service), ["09 07 1100 02 2100 192A"], typeOrder(0x11)),
    Case(
      "a declaration at the last handle", .discoverCharacteristics(service), ["09 07 FFFF 02 FFFF 192A"],
      typeOrder(0xFFFF)),
    Case(
      "a characteristic again", .discoverCharacteristics(service),
      ["09 07 1100 02 1200 192A", "09 07 1100 02 1200 192A"], typeOrder(0x11)),
    Case("a characteristic of another length", .discoverCharacteristics(service), ["09 08 1100 02 1200 192A00"], types),
    Case(
      "a descriptor again", .discoverDescriptors(service), ["05 01 1100 0229", "05 01 1100 0229"],
      .handleOutOfOrder(.findInformationResponse, handle: 0x11)),
    Case(
      "descriptors of no format", .discoverDescriptors(service), ["05 03 1100 0229"],
      .malformed(.findInformationResponse)),
    Case(
      "descriptors of the other format", .discoverDescriptors(service), ["05 02 1100 0229"],
      .malformed(.findInformationResponse)),
    Case(
      "values of length one", .readByType(BluetoothUUID(0x2A19), service), ["09 01 1111"], types),
    Case(
      "values in disorder", .readByType(BluetoothUUID(0x2A19), service), ["09 03 1200 01 1100 01"], typeOrder(0x11)),
    Case(
      "more values than were asked for", .readMultipleVariable([1, 2]), ["21 0100 01 0100 02 0100 03"],
      .malformed(.readMultipleVariableResponse)),
    Case(
      "fewer values than were asked for", .readMultipleVariable([1, 2]), ["21 0100 01"],
      .malformed(.readMultipleVariableResponse)),
    Case(
      "a value cut without need", .readMultipleVariable([1, 2]), ["21 0100 01 0500 02"],
      .malformed(.readMultipleVariableResponse)),
    Case("a response over the MTU", .read(3), ["0B" + String(repeating: "00", count: 23)], .malformed(.readResponse)),
    Case("a write response with content", .write(3, [1]), ["13 00"], .malformed(.writeResponse)),
    Case("an MTU of one octet", .exchangeMTU, ["03 17"], .malformed(.exchangeMTUResponse)),
    Case("half an error", .read(3), ["01 0A 0300"], .malformed(.errorResponse)),
    Case(
      "a reliable part that came back changed", .writeReliably([RemoteValue(3, [1, 2])]),
      ["17 0300 0000 0103", "19"], .mismatch(handle: 3)),
    Case(
      "a reliable part that came back short", .writeReliably([RemoteValue(3, [1, 2])]), ["17 0300 0000 01", "19"],
      .mismatch(handle: 3)),
    Case(
      "a reliable part for another attribute, and a queue that cannot be emptied",
      .writeReliably([RemoteValue(3, [1, 2])]), ["17 0400 0000 0102", "01 18 0000 0E"], .mismatch(handle: 3)),
    Case(
      "a part that is not one", .writeReliably([RemoteValue(3, [1, 2])]), ["17 03", "19"],
      .malformed(.prepareWriteResponse)),
    Case("nothing to write", .writeReliably([]), [], .tooFewAttributes),
  ]

  @Test("A response that violates the protocol ends the operation", arguments: cases)
  func violations(_ test: Case) throws {
    var bench = try ClientBench()
    #expect(try bench.perform(test.operation, answers: test.answers) == .failure(test.failure))
    // The bearer continues.
    #expect(try bench.perform(.read(3), answers: ["0B 2A"]) == .success(.value([0x2A])))
  }

  @Test("A value without an end is abandoned at 512 octets")
  func endlessValue() throws {
    var bench = try ClientBench()
    let id = bench.begin(.read(3))
    bench.receive([0x0B] + [UInt8](repeating: 1, count: 22))
    var parts = 0
    while bench.outcome(id) == nil, parts < 100 {
      parts += 1
      bench.receive([0x0D] + [UInt8](repeating: 1, count: 22))
    }
    #expect(parts == 23 && bench.outcome(id) == .failure(.violation(.valueTooLong)))
  }

  @Test("A list without an end is ended")
  func endlessList() throws {
    var bench = try ClientBench()
    let id = bench.begin(.discoverDescriptors(1...0xFFFF))
    var answers = 0
    while bench.outcome(id) == nil, answers < 0x10000, let request = bench.takeSent().last {
      answers += 1
      // One descriptor at a time, at exactly the requested handle.
      bench.receive([0x05, 0x01, request[1], request[2], 0x02, 0x29])
    }
    #expect(answers == 0xFFFF)
    guard case .success(.descriptors(let found))? = bench.outcome(id) else {
      Issue.record("no descriptors")
      return
    }
    #expect(found.count == 0xFFFF)
  }

  @Test("Circular includes have no effect")
  func endlessIncludes() throws {
    var bench = try ClientBench()
    let id = bench.begin(.discoverAll)
    var answers = 0
    while bench.outcome(id) == nil, answers < 2000, let request = bench.takeSent().last {
      answers += 1
      switch ATTOpcode(rawValue: request[0]) {
      case .readByGroupTypeRequest where request[1] == 1: bench.receive([0x11, 6, 1, 0, 2, 0, 0, 0x18])
      case .readByTypeRequest where request[5] == 0x02 && (request[1] == 1 || request[1] == 2):
        // Every service includes another one that begins at the same handle.
        bench.receive([0x09, 8, request[1], 0, 1, 0, UInt8(3 + answers % 200), 0, 0, 0x18])
      default:
        bench.receive(ErrorResponse(request: ATTOpcode(rawValue: request[0]), handle: 1, error: .attributeNotFound))
      }
    }
    #expect(answers < 20)
    #expect(bench.client.database.services.map(\.handles) == [1...2])
  }

  @Test("Unexpected responses are ignored and reported")
  func unexpectedResponses() throws {
    var bench = try ClientBench()
    bench.receive([0x0B, 1])
    #expect(bench.takeEvents() == [.violation(.unexpectedResponse(.readResponse))])
    let id = bench.begin(.read(3))
    bench.receive([0x13])
    bench.receive([0x01, 0x12, 3, 0, 0x03])
    #expect(
      bench.events == [
        .violation(.unexpectedResponse(.writeResponse)), .violation(.unexpectedResponse(.errorResponse)),
      ])
    bench.receive([0x0B, 7])
    #expect(bench.outcome(id) == .success(.value([7])))
  }

  @Test("Requests, commands and confirmations are not accepted by the client")
  func othersPDUs() throws {
    var bench = try ClientBench()
    let id = bench.begin(.read(3))
    for pdu in [[0x02, 23, 0], [0x0A, 3, 0], [0x1E], [0x52, 3, 0, 1], [0xFF], []] as [[UInt8]] { bench.receive(pdu) }
    #expect(bench.events.isEmpty && bench.sent.count == 1 && bench.outcome(id) == nil)
  }

  @Test("Without a response within thirty seconds, the bearer is dead")
  func timeout() throws {
    var bench = try ClientBench()
    let first = bench.begin(.read(3))
    let second = bench.begin(.read(4))
    let deadline = try #require(bench.client.nextDeadline)
    #expect(deadline - bench.now == .seconds(30))
    bench.advance(to: deadline - .nanoseconds(1))
    #expect(bench.events.isEmpty)
    bench.advance(to: deadline)
    #expect(bench.outcome(first) == .failure(.timedOut) && bench.outcome(second) == .failure(.timedOut))
    #expect(bench.client.hasTimedOut && bench.client.nextDeadline == nil)
    _ = bench.takeSent()
    // Neither a late response nor a new operation revives it.
    bench.receive([0x0B, 1])
    let third = bench.begin(.read(3))
    #expect(bench.outcome(third) == .failure(.timedOut) && bench.sent.isEmpty)
    let command = bench.begin(.writeWithoutResponse(3, [1]))
    #expect(bench.outcome(command) == .failure(.timedOut) && bench.sent.isEmpty)
  }

  @Test("Every request has its own thirty seconds")
  func timeoutBegins() throws {
    var bench = try ClientBench()
    let id = bench.begin(.read(3))
    bench.advance(to: bench.now + .seconds(29))
    bench.receive([0x0B] + [UInt8](repeating: 1, count: 22))
    bench.advance(to: bench.now + .seconds(29))
    #expect(bench.outcome(id) == nil)
    bench.advance(to: bench.now + .seconds(1))
    #expect(bench.outcome(id) == .failure(.timedOut))
  }

  @Test("The end of the bearer ends every operation once")
  func closing() throws {
    var bench = try ClientBench()
    let ids = [bench.begin(.read(3)), bench.begin(.discoverAll)]
    bench.close()
    bench.close()
    #expect(bench.events == ids.map { .ended($0, .failure(.closed)) })
    #expect(bench.client.pendingCount == 0)
  }

  // MARK: Pushed values

  @Test("Several values arrive in one notification")
  func multipleNotification() throws {
    var bench = try ClientBench()
    bench.receive(try #require([UInt8](hexadecimal: "23 0300 0200 0102 0400 0000")))
    #expect(
      bench.takeEvents() == [.notification(handle: 3, value: [1, 2]), .notification(handle: 4, value: [])])
    let malformed = GATTClientEvent.violation(.malformed(.multipleHandleValueNotification))
    for pdu in ["23", "23 0300 0300 0102", "23 0300 02", "23 0000 0000"] {
      bench.receive(try #require([UInt8](hexadecimal: pdu)))
      #expect(bench.takeEvents() == [malformed], "\(pdu)")
    }
  }

  @Test("A value without a handle is dropped, but an indication is confirmed")
  func malformedPush() throws {
    var bench = try ClientBench()
    for pdu in [[0x1B], [0x1B, 3], [0x1B, 0, 0, 1], [0x1B, 3, 0] + [UInt8](repeating: 0, count: 21)] as [[UInt8]] {
      bench.receive(pdu)
      #expect(bench.takeEvents() == [.violation(.malformed(.handleValueNotification))])
    }
    #expect(bench.sent.isEmpty)
    bench.receive([0x1D, 3])
    #expect(bench.takeEvents() == [.violation(.malformed(.handleValueIndication))] && bench.takeSent() == [[0x1E]])
  }

  // MARK: Changes

  private func discovered() throws -> ClientBench {
    let changing = ServiceDefinition(
      id: "attributes", uuid: BluetoothUUID(0x1801),
      characteristics: [.stored(.serviceChanged, [.indicate], [0, 0, 0, 0])])
    var bench = try ClientBench([changing] + Tester.application.filter { $0.id != "vendor" })
    _ = try bench.perform(.discoverAll)
    _ = bench.takeEvents()
    return bench
  }

  @Test(
    "Service Changed makes the client forget that range",
    arguments: [
      ("0A00 1000", 0x0A...0x10), ("0000 1000", 1...0xFFFF), ("2000 1000", 1...0xFFFF), ("01", 1...0xFFFF),
    ] as [(String, ClosedRange<UInt16>)])
  func serviceChanged(_ value: String, _ range: ClosedRange<UInt16>) throws {
    var bench = try discovered()
    let handle = try #require(bench.client.database.characteristic(.serviceChanged)?.value)
    let before = bench.client.database.services
    let octets = try #require([UInt8](hexadecimal: value))
    bench.receive(HandleValueIndication(handle: handle, value: octets))
    #expect(bench.takeEvents() == [.indication(handle: handle, value: octets), .servicesChanged(range)])
    #expect(bench.takeSent() == [[0x1E]])
    #expect(bench.client.database.services == before.filter { !$0.handles.overlaps(range) })
    #expect(bench.client.database.services.count < before.count)
    // The next one is recognized although the service is forgotten.
    bench.receive(HandleValueIndication(handle: handle, value: [1, 0, 0xFF, 0xFF]))
    #expect(bench.takeEvents().last == .servicesChanged(1...0xFFFF))
    #expect(bench.client.database.services.isEmpty)
  }

  @Test("Database Out Of Sync makes the client forget everything")
  func outOfSync() throws {
    var bench = try discovered()
    #expect(!bench.client.database.services.isEmpty)
    let outcome = try bench.perform(.read(3), answers: ["01 0A 0300 12"])
    #expect(outcome == .failure(.refused(.databaseOutOfSync, request: .readRequest, handle: 3)))
    #expect(bench.events.first == .databaseOutOfSync && bench.client.database.services.isEmpty)
  }

  // MARK: Anything

  @Test("No octets from a server end the process or prolong an operation", arguments: 0..<40)
  func randomServer(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var bench = try ClientBench()
    let operations: [GATTOperation] = [
      .discoverAll, .discoverPrimaryServices, .findIncludedServices(1...0xFFFF), .exchangeMTU,
      .discoverCharacteristics(1...0xFFFF), .discoverDescriptors(1...0xFFFF), .read(3),
      .readByType(.include, 1...0xFFFF),
      .readMultipleVariable([1, 2, 3]), .write(3, [UInt8](repeating: 1, count: 200)),
      .writeReliably([RemoteValue(3, [UInt8](repeating: 1, count: 40))]),
    ]
    var ids: [OperationID] = []
    for _ in 0..<200 {
      ids.append(bench.begin(operations[Int(random.upTo(UInt64(operations.count - 1)))]))
      for _ in 0..<random.upTo(6) {
        // Often the right opcode, then anything, often entries of a plausible length.
        let request = bench.takeSent().last(where: { $0[0] != 0x1E }) ?? [0x0A]
        var pdu = (0..<random.upTo(22)).map { _ in
          UInt8(truncatingIfNeeded: random.next() & (random.next() & 1 == 0 ? 0xFF : 0x0F))
        }
        switch random.upTo(5) {
        case 0: break
        case 1:
          pdu = ErrorResponse(request: ATTOpcode(rawValue: request[0]), handle: 1, error: .attributeNotFound).encodedPDU
        default: pdu.insert(request[0] &+ 1, at: 0)
        }
        bench.receive(pdu)
      }
    }
    bench.close()
    let ended = bench.events.compactMap { event in
      if case .ended(let id, _) = event { id } else { nil }
    }
    #expect(ended.sorted() == ids)
  }
}
