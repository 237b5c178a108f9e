import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import PeripheralHost
import Testing

/// Late answers, changing services, and several notifications at once, through the whole host.
@Suite("The server in a host")
struct ServerSideTests {
  private let ticket = AnswerTicket(5)

  private func bench(robustCaching: Bool = true, serviceChanged: Bool = true) throws -> Bench {
    var configuration = TestAccessory.configuration()
    configuration.gatt = GATTPolicy(
      serviceChanged: serviceChanged ? .present : .absent, hasRobustCaching: robustCaching)
    let bench = try Bench.ready(.basic, configuration)
    bench.connect()
    return bench
  }

  private func handle(_ bench: Bench, _ uuid: BluetoothUUID) throws -> UInt16 {
    try #require(bench.stack.server.database.characteristics.first { $0.definition.uuid == uuid }?.value)
  }

  /// The attribute events of connection 0.
  private func events(_ bench: Bench) -> [ServerEvent] {
    bench.events.compactMap { if case .server(_, let event) = $0 { event } else { nil } }
  }

  @Test("An answer by ticket is sent, and the requests after it are answered one by one")
  func lateAnswer() throws {
    let bench = try bench()
    bench.stack.application.tickets[TestAccessory.measurement] = ticket
    #expect(bench.att(ReadRequest(handle: bench.valueHandle(TestAccessory.measurement))).isEmpty)
    #expect(bench.att(ReadRequest(handle: bench.valueHandle(TestAccessory.text))).isEmpty)
    let before = bench.frames.count
    try bench.perform(.answer(ticket, .value([9])))
    #expect(bench.attPDUs(0, from: before) == [[0x0B, 9], [0x0B] + Array("text".utf8)])
    #expect(throws: HostRequestError.unknownTicket(ticket)) { try bench.perform(.answer(ticket, .value([9]))) }
  }

  @Test("An application answers by itself, before the effects of the request")
  func answerOfTheApplication() throws {
    let bench = try bench()
    try bench.subscribe(TestAccessory.measurement, .notification)
    bench.stack.application.tickets[TestAccessory.measurement] = ticket
    bench.att(ReadRequest(handle: bench.valueHandle(TestAccessory.measurement)))
    bench.stack.application.tickets = [:]
    bench.stack.application.values[TestAccessory.measurement] = [4]
    let before = bench.frames.count
    // The second time, no request waits.
    let answer = ApplicationAction.answer(ticket, .value([9]))
    try bench.perform(.perform([answer, .notify(TestAccessory.measurement), answer]))
    #expect(bench.attPDUs(0, from: before).map(\.first) == [0x0B, 0x1B])
    #expect(bench.attPDUs(0, from: before)[0] == [0x0B, 9])
  }

  /// Core 5.4 Vol 3 Part F 3.3.3: the bearer must not be used any more, whatever the central sends over it.
  @Test("An overdue ticket is reported, and void after 30 s; the link stays, and its bearer sends nothing more")
  func overdue() throws {
    let bench = try bench()
    bench.stack.application.tickets[TestAccessory.measurement] = ticket
    bench.att(ReadRequest(handle: bench.valueHandle(TestAccessory.measurement)))
    bench.forget()
    bench.advance(.seconds(26))
    #expect(events(bench) == [.running(outOfTime: ticket)])
    bench.advance(.seconds(5))
    #expect(events(bench) == [.running(outOfTime: ticket), .cancelled(ticket)])
    #expect(bench.stack.application.cancelled == [ticket])
    #expect(bench.events.faults.isEmpty)
    #expect(!bench.readsText())
    #expect(bench.stack.linkStates.count == 1)
  }

  @Test("A link that ends cancels its tickets")
  func disconnect() throws {
    let bench = try bench()
    bench.stack.application.tickets[TestAccessory.measurement] = ticket
    bench.att(ReadRequest(handle: bench.valueHandle(TestAccessory.measurement)))
    bench.forget()
    bench.disconnect()
    #expect(events(bench) == [.cancelled(ticket)])
    #expect(throws: HostRequestError.unknownTicket(ticket)) { try bench.perform(.answer(ticket, .value([9]))) }
  }

  @Test("A change of services is indicated to subscribers, and ends subscriptions and streams")
  func edit() throws {
    let bench = try bench()
    let serviceChanged = try handle(bench, .serviceChanged)
    #expect(bench.att(WriteRequest(handle: serviceChanged + 1, value: [2, 0])) == [[0x13]])
    try bench.subscribe(TestAccessory.measurement, .notification)
    let range = try #require(bench.stack.server.database.services.last?.handles)
    let before = bench.frames.count
    bench.forget()
    try bench.perform(.edit(.remove("test")))
    #expect(before > 0)
    #expect(
      bench.attPDUs()
        == [
          HandleValueIndication(
            handle: serviceChanged, value: [UInt8(range.lowerBound), 0, UInt8(range.upperBound), 0]
          ).encodedPDU
        ])
    #expect(bench.stack.application.subscribers[TestAccessory.measurement]?.notified == 0)
    #expect(throws: HostRequestError.noSubscriber(TestAccessory.measurement)) {
      try bench.perform(.notify(TestAccessory.measurement))
    }
    #expect(throws: HostRequestError.impossibleEdit(.unknownService("test"))) {
      try bench.perform(.edit(.remove("test")))
    }
    try bench.perform(.edit(.add(TestAccessory.service)))
  }

  @Test("A change-unaware client is not notified before it is change-aware")
  func outOfSync() throws {
    let bench = try bench()
    let features = try handle(bench, .clientSupportedFeatures)
    #expect(bench.att(WriteRequest(handle: features, value: [1])) == [[0x13]])
    try bench.subscribe(TestAccessory.measurement, .notification)
    try bench.perform(.edit(.add(ServiceDefinition(id: "extra", uuid: BluetoothUUID(0xFFF8)))))
    bench.forget()
    try bench.perform(.notify(TestAccessory.measurement))
    #expect(bench.frames.isEmpty)
    #expect(bench.events.tags == ["dropped 0"])
    let text = ReadRequest(handle: bench.valueHandle(TestAccessory.text))
    #expect(bench.att(text) == [[0x01, 0x0A, 0, 0, 0x12]])
    #expect(bench.att(text) == [[0x0B] + Array("text".utf8)])
    bench.forget()
    try bench.perform(.notify(TestAccessory.measurement))
    #expect(bench.attPDUs().first?.first == 0x1B)
  }

  @Test("Several notifications due at once are sent in one PDU to a client that supports it, and one by one to others")
  func multipleNotifications() throws {
    let bench = try bench()
    bench.connect(1)
    let features = try handle(bench, .clientSupportedFeatures)
    #expect(bench.att(WriteRequest(handle: features, value: [4]), 1) == [[0x13]])
    bench.stack.application.values = [TestAccessory.measurement: [1], TestAccessory.stream: [2, 3]]
    bench.stack.application.refused = [TestAccessory.stream]
    for link in 0...1 as ClosedRange<UInt16> {
      try bench.subscribe(TestAccessory.measurement, .notification, link)
      try bench.subscribe(TestAccessory.stream, .notification, link)
    }
    bench.stack.application.refused = []
    let both: [ApplicationAction] = [.notify(TestAccessory.measurement), .notify(TestAccessory.stream)]
    bench.script.completesPackets = false
    bench.forget()
    try bench.perform(.perform(both))
    #expect(bench.attPDUs(0).prefix(2).map(\.first) == [0x1B, 0x1B])
    let (first, second) = (bench.valueHandle(TestAccessory.measurement), bench.valueHandle(TestAccessory.stream))
    #expect(
      bench.attPDUs(1).first == [0x23, UInt8(first), 0, 1, 0, 1, UInt8(second), 0, 2, 0, 2, 3])
  }

  @Test("A bond's state is exported and restored, and missed changes are indicated")
  func bond() throws {
    let bench = try bench()
    let serviceChanged = try handle(bench, .serviceChanged)
    bench.att(WriteRequest(handle: serviceChanged + 1, value: [2, 0]))
    try bench.subscribe(TestAccessory.measurement, .notification)
    let link = ConnectionHandle(rawValue: 0)
    let state = try #require(bench.stack.bondState(of: link))
    bench.disconnect()
    try bench.perform(.edit(.add(ServiceDefinition(id: "extra", uuid: BluetoothUUID(0xFFF8)))))
    bench.connect()
    bench.forget()
    bench.restore(state)
    #expect(bench.attPDUs().map(\.first) == [0x1D])
    #expect(bench.stack.application.subscribers[TestAccessory.measurement]?.notified == 1)
    #expect(bench.stack.bondState(of: ConnectionHandle(rawValue: 9)) == nil)
  }

  /// In a host, the hash is AES-CMAC, least significant octet first.
  @Test("The Database Hash has a value of 16 octets")
  func hash() throws {
    let bench = try bench()
    let pdus = bench.att(ReadRequest(handle: try handle(bench, .databaseHash)))
    #expect(pdus.first?.count == 17)
    #expect(pdus.first?.dropFirst().contains { $0 != 0 } == true)
  }
}
