import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost
import Testing

@Suite("Sending")
struct SendingTests {
  private func bench(links: Int = 1, buffers: UInt8 = 4) throws -> Bench {
    var script = ControllerScript.basic
    script.bufferCount = buffers
    script.completesPackets = false
    let bench = try Bench.ready(
      script, TestAccessory.configuration(connection: ConnectionPolicy(maximumConnections: links)))
    for handle in 0..<UInt16(links) { bench.connect(handle) }
    return bench
  }

  /// The first octet of each notified value on a link.
  private func notified(_ bench: Bench, _ handle: UInt16 = 0) -> [UInt8] {
    bench.attPDUs(handle).filter { $0[0] == ATTOpcode.handleValueNotification.rawValue }.map { $0[3] }
  }

  @Test("A notification has the current value and goes to subscribers")
  func notification() throws {
    let bench = try bench(links: 2)
    #expect(throws: HostRequestError.noSubscriber(TestAccessory.measurement)) {
      try bench.perform(.notify(TestAccessory.measurement))
    }
    try bench.subscribe(TestAccessory.measurement, .notification, 1)
    #expect(bench.stack.application.subscribers[TestAccessory.measurement]?.notified == 1)
    bench.completeAll()
    bench.forget()
    bench.stack.reportsAccess = true
    bench.stack.application.values[TestAccessory.measurement] = [7, 8, 9]
    try bench.perform(.notify(TestAccessory.measurement))
    let handle = bench.valueHandle(TestAccessory.measurement)
    #expect(bench.frames.count == 1 && bench.frames[0].handle == 1)
    #expect(bench.attPDUs(1) == [[0x1B, UInt8(handle), 0, 7, 8, 9]])
    guard case .notified(let link, TestAccessory.measurement, let octets) = bench.events.first else {
      Issue.record("no event")
      return
    }
    #expect(link.rawValue == 1 && octets == [7, 8, 9])
  }

  @Test("A value longer than the MTU is truncated")
  func cutNotification() throws {
    let bench = try bench()
    try bench.subscribe(TestAccessory.measurement, .notification)
    bench.completeAll()
    bench.stack.application.values[TestAccessory.measurement] = [UInt8](repeating: 5, count: 100)
    try bench.perform(.notify(TestAccessory.measurement))
    #expect(bench.attPDUs().last?.count == 23)
  }

  @Test("A value that the application does not supply is not sent")
  func refusedValue() throws {
    let bench = try bench()
    try bench.subscribe(TestAccessory.measurement, .notification)
    bench.forget()
    bench.stack.application.refused = [TestAccessory.measurement]
    try bench.perform(.notify(TestAccessory.measurement))
    #expect(bench.frames.isEmpty)
  }

  @Test("The subscriptions of a client that has left are gone")
  func goneClient() throws {
    let bench = try bench()
    try bench.subscribe(TestAccessory.measurement, .notification)
    try bench.subscribe(TestAccessory.alarm, .indication)
    bench.disconnect()
    #expect(bench.stack.application.subscribers[TestAccessory.measurement]?.notified == 0)
    #expect(bench.stack.application.subscribers[TestAccessory.alarm]?.indicated == 0)
    bench.connect()
    #expect(bench.stack.linkStates[0].subscriptions.isEmpty)
    #expect(throws: HostRequestError.noSubscriber(TestAccessory.alarm)) {
      try bench.perform(.indicate(TestAccessory.alarm))
    }
  }

  // MARK: Buffers

  @Test("Without free buffers, notifications beyond the backlog are dropped, responses never")
  func withheldBuffers() throws {
    let bench = try bench()
    try bench.subscribe(TestAccessory.measurement, .notification)
    bench.completeAll()
    bench.forget()
    for _ in 0..<50 { try bench.perform(.notify(TestAccessory.measurement)) }
    // 4 in the controller, 16 in the backlog.
    #expect(bench.frames.count == 4)
    #expect(bench.events.tags == [String](repeating: "dropped 0", count: 30))
    for _ in 0..<20 { bench.att(ReadRequest(handle: bench.valueHandle(TestAccessory.text))) }
    #expect(bench.frames.count == 4)
    while bench.held.values.contains(where: { $0 > 0 }) { bench.completeAll() }
    #expect(bench.frames.count == 40)
    #expect(bench.attPDUs().suffix(20).allSatisfy { $0 == [0x0B] + Array("text".utf8) })
    #expect(bench.violations == [])
    #expect(bench.events.faults == [])
  }

  @Test("One event reports completed packets of several links")
  func severalHandles() throws {
    let bench = try bench(links: 3, buffers: 6)
    for handle in 0..<3 as Range<UInt16> { try bench.subscribe(TestAccessory.measurement, .notification, handle) }
    bench.completeAll()
    bench.forget()
    for _ in 0..<4 { try bench.perform(.notify(TestAccessory.measurement)) }
    #expect(bench.frames.count == 6)
    #expect(bench.held == [0: 2, 1: 2, 2: 2])
    bench.completeAll()
    #expect(bench.frames.count == 12 && bench.held == [0: 2, 1: 2, 2: 2])
    bench.completeAll()
    #expect(bench.violations == [] && bench.events.faults == [])
  }

  @Test("Excess completed packets are reported and ignored")
  func bogusCompletion() throws {
    let bench = try bench(links: 2)
    try bench.subscribe(TestAccessory.measurement, .notification, 0)
    bench.completeAll()
    bench.forget()
    let bogus = HCINumberOfCompletedPackets {
      $0.completed = [CompletedPackets(.zero, count: 200), CompletedPackets(ConnectionHandle(rawValue: 77), count: 1)]
    }
    bench.event(bogus)
    #expect(
      bench.events.faults == [.bogusCompletion(.zero), .bogusCompletion(ConnectionHandle(rawValue: 77))])
    for _ in 0..<10 { try bench.perform(.notify(TestAccessory.measurement)) }
    #expect(bench.violations == [])
  }

  @Test("The buffers of a link that ends are free at once")
  func endedLink() throws {
    let bench = try bench(links: 2)
    try bench.subscribe(TestAccessory.measurement, .notification, 0)
    for _ in 0..<10 { try bench.perform(.notify(TestAccessory.measurement)) }
    #expect(bench.held[0] == 3)
    bench.disconnect(0)
    bench.forget()
    for _ in 0..<4 { bench.att(ReadRequest(handle: bench.valueHandle(TestAccessory.text)), 1) }
    #expect(bench.frames.count == 4 && bench.held == [1: 4])
    #expect(bench.violations == [])
  }

  // MARK: Continuous notifications

  @Test("Continuous notifications fill exactly the free buffers, repeatedly")
  func stream() throws {
    let bench = try bench()
    try bench.subscribe(TestAccessory.stream, .notification)
    #expect(bench.held == [0: 4])
    for _ in 0..<100 {
      bench.forget()
      bench.completeAll()
      #expect(bench.frames.count == 4 && bench.held == [0: 4])
    }
    #expect(bench.violations == [] && bench.events.isEmpty)
    bench.completeAll()
    bench.disconnect()
    bench.forget()
    bench.connect()
    #expect(bench.frames.isEmpty)
  }

  @Test("Two streams share the buffers, and a response is sent in between")
  func fairStreams() throws {
    let bench = try bench(links: 2, buffers: 6)
    try bench.subscribe(TestAccessory.stream, .notification, 0)
    try bench.subscribe(TestAccessory.stream, .notification, 1)
    bench.completeAll()
    bench.forget()
    for _ in 0..<100 { bench.completeAll() }
    let counts = [notified(bench, 0).count, notified(bench, 1).count]
    #expect(counts.reduce(0, +) == 600 && abs(counts[0] - counts[1]) <= 6)
    bench.forget()
    bench.att(ReadRequest(handle: bench.valueHandle(TestAccessory.text)), 1)
    bench.completeAll()
    #expect(bench.attPDUs(1).contains([0x0B] + Array("text".utf8)))
    #expect(bench.violations == [])
  }

  @Test("A stream of long values is split into packets and stays within the buffers")
  func longStream() throws {
    let bench = try bench()
    bench.att(ExchangeMTURequest(clientMTU: 100))
    bench.stack.application.values[TestAccessory.stream] = [UInt8](repeating: 1, count: 97)
    bench.completeAll()
    try bench.subscribe(TestAccessory.stream, .notification)
    for _ in 0..<40 { bench.completeAll() }
    #expect(notified(bench).count >= 39)
    #expect(bench.violations == [])
  }

  @Test("A stream without a value sends nothing, and the turn ends", .timeLimit(.minutes(20)))
  func refusedStream() throws {
    let bench = try bench(links: 2)
    bench.stack.application.refused = [TestAccessory.stream]
    try bench.subscribe(TestAccessory.stream, .notification, 0)
    try bench.subscribe(TestAccessory.stream, .notification, 1)
    bench.completeAll()
    #expect(notified(bench, 0) == [] && notified(bench, 1) == [])
    bench.stack.application.refused = []
    #expect(bench.readsText(0))
    #expect(notified(bench, 0).count > 0 && notified(bench, 1).count > 0)
  }

  @Test("A stream ends when its client unsubscribes")
  func unsubscribedStream() throws {
    let bench = try bench()
    try bench.subscribe(TestAccessory.stream, .notification)
    bench.completeAll()
    let descriptor = try #require(bench.stack.server.database[TestAccessory.stream].configuration)
    bench.att(WriteRequest(handle: descriptor, value: [0, 0]))
    bench.completeAll()
    bench.completeAll()
    bench.forget()
    bench.completeAll()
    #expect(bench.frames.isEmpty)
  }

  // MARK: Indications

  @Test("One indication at a time; its confirmation lets the next one be sent")
  func indications() throws {
    let bench = try bench()
    try bench.subscribe(TestAccessory.alarm, .indication)
    bench.completeAll()
    bench.forget()
    bench.stack.application.values[TestAccessory.alarm] = [1]
    try bench.perform(.indicate(TestAccessory.alarm))
    bench.stack.application.values[TestAccessory.alarm] = [2]
    try bench.perform(.indicate(TestAccessory.alarm))
    let handle = UInt8(bench.valueHandle(TestAccessory.alarm))
    #expect(bench.attPDUs() == [[0x1D, handle, 0, 1]])
    bench.att(HandleValueConfirmation())
    #expect(bench.attPDUs() == [[0x1D, handle, 0, 1], [0x1D, handle, 0, 2]])
    bench.att(HandleValueConfirmation())
    bench.advance(.seconds(60))
    #expect(bench.events.faults == [] && bench.stack.linkStates.count == 1)
  }

  @Test("An indication that is not confirmed within 30 s ends the link")
  func unconfirmed() throws {
    let bench = try bench()
    try bench.subscribe(TestAccessory.alarm, .indication)
    try bench.perform(.indicate(TestAccessory.alarm))
    bench.forget()
    bench.advance(.milliseconds(29_999))
    #expect(bench.events.isEmpty && bench.readsText())
    bench.advance(.milliseconds(1))
    #expect(bench.events.faults == [.transactionTimeout(.zero)])
    #expect(
      bench.commands.first
        == Bench.Sent(
          opcode: .disconnect, parameters: [0, 0, ErrorCode.remoteUserTerminatedConnection.rawValue]))
    #expect(bench.events.tags == ["disconnected 0 22", "started main"])
  }

  // MARK: Requests

  @Test("Requests for missing objects are refused")
  func refusedWishes() throws {
    let bench = try bench()
    let nobody = ConnectionHandle(rawValue: 9)
    let request = ConnectionPolicy.ParameterRequest(
      intervals: .milliseconds(15)...(.milliseconds(15)), timeout: .seconds(2), delay: .zero)
    #expect(throws: HostRequestError.unknownConnection(nobody)) {
      try bench.perform(.disconnect(nobody, reason: .remoteUserTerminatedConnection))
    }
    #expect(throws: HostRequestError.unknownConnection(nobody)) {
      try bench.perform(.requestParameters(nobody, request))
    }
    #expect(throws: HostRequestError.unknownSet("other")) { try bench.perform(.advertise(set: "other", isOn: true)) }
  }

  @Test("Requests are carried out: disconnection, parameters, advertising, actions")
  func grantedWishes() throws {
    let bench = try bench(links: 2)
    try bench.perform(
      .requestParameters(
        ConnectionHandle(rawValue: 1),
        ConnectionPolicy.ParameterRequest(
          intervals: .milliseconds(15)...(.milliseconds(15)), timeout: .seconds(2), delay: .seconds(9))))
    #expect(bench.frames.count == 1 && bench.frames[0].handle == 1 && bench.frames[0].octets[4] == 0x12)
    try bench.perform(.disconnect(ConnectionHandle(rawValue: 1), reason: .remoteDeviceTerminatedLowResources))
    #expect(bench.commands.contains(Bench.Sent(opcode: .disconnect, parameters: [1, 0, 0x14])))
    #expect(bench.stack.linkStates.count == 1 && bench.stack.activeSets == ["main"])
    try bench.perform(.advertise(set: "main", isOn: false))
    #expect(bench.stack.activeSets == [])
    try bench.perform(.advertise(set: "main", isOn: true))
    #expect(bench.stack.activeSets == ["main"])
    try bench.perform(.perform([.store(TestAccessory.text, Array("new".utf8))]))
    #expect(bench.stack.value(of: TestAccessory.text, at: bench.now) == Array("new".utf8))
  }

  @Test("Advertising that is switched before the controller is up changes when it is", arguments: [true, false])
  func earlyAdvertising(isOn: Bool) throws {
    let bench = try Bench(.basic, TestAccessory.configuration())
    bench.stack.restoreAdvertising(["main": !isOn])
    try bench.perform(.advertise(set: "main", isOn: isOn))
    bench.start()
    #expect(bench.stack.activeSets == (isOn ? ["main"] : []))
  }

  @Test("A central that sends endless requests without reading responses is disconnected, and the others are not")
  func flooding() throws {
    let bench = try bench(links: 2)
    for _ in 0..<5000 { _ = bench.att(ReadRequest(handle: 3)) }
    let isFlooding = bench.events.filter { event in
      if case .fault(.flooding(let handle)) = event { handle.rawValue == 0 } else { false }
    }
    #expect(isFlooding.count == 1)
    #expect(bench.opcodes().contains(.disconnect))
    bench.completeAll()
    #expect(bench.stack.linkStates.map(\.handle.rawValue) == [1])
    #expect(bench.readsText(1))
  }
}
