import AccessoryProfile
import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import Faults
import PeripheralHost
import Simulation
import Testing
import Understudy

@Suite("Faults for requests") struct RequestFaultTests {
  @Test("A fault refuses an access with any error", arguments: [0x01, 0x05, 0x0E, 0x11, 0x80, 0xFC, 0xFF])
  func refuses(code: Int) throws {
    let scene = try FaultScene("on: { read: level }, do: { error: \(code) }")
    let link = try scene.connect()
    let handle = try scene.handle("level")
    let refusal = GATTFailure.refused(ATTErrorCode(rawValue: UInt8(code)), request: .readRequest, handle: handle)
    #expect(try scene.outcome(.read(handle), on: link) == .failure(refusal))
    #expect(try scene.outcome(.read(scene.handle("lock")), on: link) == .success(.value([1, 2])))
    #expect(scene.injected == ["fault-1"])
  }

  @Test("A refused write changes nothing, and a refused command is ignored")
  func refusesWrites() throws {
    let scene = try FaultScene("on: { write: lock }, do: { error: 0x80 }")
    let link = try scene.connect()
    let handle = try scene.handle("lock")
    #expect(throws: GATTFailure.self) { try scene.phone.write([9], to: handle, on: link) }
    try scene.phone.writeWithoutResponse([8], to: handle, on: link)
    #expect(try scene.phone.read(handle, on: link) == [1, 2])
    #expect(scene.injected.count == 2)
  }

  @Test(
    "The timing selects the occasions",
    arguments: [
      ("nth: 2", [true, false, true, true, true]), ("every: 2", [true, false, true, false, true]),
      ("times: 2", [false, false, true, true, true]), ("nth: 2, times: 2", [true, false, false, true, true]),
      ("nth: 2, every: 2, times: 1", [true, false, true, true, true]),
      ("probability: 0", [true, true, true, true, true]),
      ("probability: 100%", [false, false, false, false, false]),
      ("after: { read: lock }", [true, true, true, true, true]), ("connection: 77", [true, true, true, true, true]),
    ] as [(String, [Bool])])
  func timing(keys: String, expected: [Bool]) throws {
    let scene = try FaultScene("on: { read: level }, do: { error: 0x80 }, \(keys)")
    let link = try scene.connect()
    let handle = try scene.handle("level")
    var results: [Bool] = []
    for _ in expected { results.append((try? scene.phone.read(handle, on: link)) != nil) }
    #expect(results == expected)
  }

  @Test("A fault becomes active after a time, or after another occasion")
  func begins() throws {
    let scene = try FaultScene(
      "on: { read: level }, do: { error: 0x80 }, after: 60 s",
      "on: { read: level }, do: { error: 0x81 }, after: { write: lock }")
    let link = try scene.connect()
    let handle = try scene.handle("level")
    #expect(try scene.phone.read(handle, on: link) == [7])
    try scene.phone.write([1], to: try scene.handle("lock"), on: link)
    #expect(
      try scene.outcome(.read(handle), on: link)
        == .failure(.refused(ATTErrorCode(rawValue: 0x81), request: .readRequest, handle: handle)))
    scene.simulation.run(for: .seconds(60))
    #expect(
      try scene.outcome(.read(handle), on: link)
        == .failure(.refused(ATTErrorCode(rawValue: 0x80), request: .readRequest, handle: handle)))
  }

  @Test("The seed determines the random choices")
  func chance() throws {
    let results = try (0..<2).map { _ in
      let scene = try FaultScene("on: { read: level }, do: { error: 0x80 }, probability: 50%")
      let link = try scene.connect()
      let handle = try scene.handle("level")
      return (0..<40).map { _ in (try? scene.phone.read(handle, on: link)) != nil }
    }
    #expect(results[0] == results[1])
    #expect((10...30).contains(results[0].count { $0 }))
  }

  @Test("A response is late, and the request is not executed earlier")
  func late() throws {
    let scene = try FaultScene("on: { write: lock }, do: { delay: 5 s }")
    let link = try scene.connect()
    let handle = try scene.handle("lock")
    let operation = GATTOperation.write(handle, [5])
    let id = try scene.phone.begin(operation, on: link)
    scene.simulation.run(for: .seconds(4))
    #expect(scene.accessory.stack.value(of: CharacteristicIndex(1), at: scene.simulation.now) == [1, 2])
    #expect(try scene.phone.outcome(of: id, operation, on: link) == .success(.done))
    #expect(try scene.phone.read(handle, on: link) == [5])
  }

  @Test("A response after more than 30 s, or none, is the client's timeout", arguments: ["{ delay: 31 s }", "ignore"])
  func timesOut(action: String) throws {
    let scene = try FaultScene("on: { read: level }, do: \(action)")
    let link = try scene.connect()
    #expect(try scene.outcome(.read(scene.handle("level")), on: link) == .failure(.timedOut))
  }

  @Test(
    "A response is sent with changes",
    arguments: [
      ("{ value: hex:0A0B0C }", GATTOutcome.success(.value([0x0A, 0x0B, 0x0C]))),
      ("corrupt", .success(.value([0xFE, 0xFD]))), ("{ truncate: 2 }", .success(.value([1]))),
      ("{ lengthen: 40 }", .failure(.violation(.malformed(.readResponse)))),
      ("{ pdu: hex:01 }", .failure(.violation(.malformed(.errorResponse)))), ("twice", .success(.value([1, 2]))),
    ])
  func altered(action: String, outcome: GATTOutcome) throws {
    let scene = try FaultScene("on: { read: lock }, do: \(action)")
    let link = try scene.connect()
    #expect(try scene.outcome(.read(scene.handle("lock")), on: link) == outcome)
  }

  @Test("The second of two responses, and the response to another request, are violations")
  func violations() throws {
    let scene = try FaultScene("on: { read: lock }, do: twice", "on: { read: level }, do: wrong-request")
    let link = try scene.connect()
    _ = try scene.phone.read(try scene.handle("lock"), on: link)
    scene.simulation.run(for: .seconds(1))
    #expect(try scene.outcome(.read(scene.handle("level")), on: link) == .failure(.timedOut))
    let answers = scene.phone.events.compactMap { event -> GATTViolation? in
      if case .client(link, .violation(let violation)) = event { violation } else { nil }
    }
    #expect(answers == [.unexpectedResponse(.readResponse), .unexpectedResponse(.writeResponse)])
  }

  @Test("The MTU is refused, or tiny")
  func mtu() throws {
    let scene = try FaultScene(
      "on: { request: exchange-mtu }, do: { error: request-not-supported }, times: 1",
      "on: { request: exchange-mtu }, do: { mtu: 30 }")
    let link = try scene.connect()
    let refusal = GATTFailure.refused(.requestNotSupported, request: .exchangeMTURequest, handle: 0)
    #expect(try scene.outcome(.exchangeMTU, on: link) == .failure(refusal))
    #expect(try scene.phone.exchangeMTU(on: link) == 30)
    #expect(scene.accessory.stack.linkStates.first?.mtu == 30)
  }

  @Test("The link ends before, instead of, or after the response", arguments: FaultMoment.allCases)
  func disconnects(moment: FaultMoment) throws {
    let scene = try FaultScene("on: { write: lock }, do: { disconnect: low-resources, when: \(moment.rawValue) }")
    let link = try scene.connect()
    let outcome = try scene.outcome(.write(scene.handle("lock"), [3]), on: link)
    #expect(outcome == (moment == .after ? .success(.done) : .failure(.closed)))
    scene.simulation.run(for: .seconds(2))
    #expect(scene.phone.ends == [.remoteDeviceTerminatedLowResources])
    let value = scene.accessory.stack.value(of: CharacteristicIndex(1), at: scene.simulation.now)
    #expect(value == (moment == .before ? [1, 2] : [3]))
  }

  @Test("A connected central never gets a response")
  func mute() throws {
    let scene = try FaultScene("on: connected, do: mute")
    let link = try scene.connect()
    #expect(try scene.outcome(.read(scene.handle("level")), on: link) == .failure(.timedOut))
    #expect(scene.injected == ["fault-1"])
    scene.simulation.run(for: .seconds(2))
    #expect(scene.phone.links.isEmpty)
  }

  @Test("A subscription is refused")
  func subscription() throws {
    let scene = try FaultScene("on: { subscribe: count }, do: { error: cccd-improperly-configured }")
    let link = try scene.connect()
    try scene.phone.discover(on: link)
    #expect(throws: GATTFailure.self) { try scene.phone.configure(scene.handle("count"), .notification, on: link) }
    try scene.phone.configure(scene.handle("level"), .notification, on: link)
  }
}

@Suite("Faults for outgoing values") struct PushFaultTests {
  /// Returns the values of the counter that arrive within 1.05 s.
  private func values(_ fault: String) throws -> (values: [UInt8], times: [Instant], scene: FaultScene) {
    let scene = try FaultScene(fault)
    let link = try scene.connect()
    try scene.phone.discover(on: link)
    let handle = try scene.handle("count")
    try scene.phone.configure(handle, .notification, on: link)
    scene.simulation.run(for: .milliseconds(1050))
    let pushed = scene.phone.pushed(of: handle, on: link)
    return (pushed.compactMap(\.value.first), pushed.map(\.at), scene)
  }

  @Test(
    "Values are dropped, repeated, reordered, and have gaps",
    arguments: [
      ("on: { notify: count }, do: drop, every: 2", [0, 2, 4, 6, 8]),
      ("on: { notify: count }, do: drop, nth: 3, times: 4", [0, 1, 6, 7, 8]),
      ("on: { notify: count }, do: duplicate, nth: 2", [0, 1, 1, 2, 3]),
      ("on: { notify: count }, do: { repeat: 3 }, nth: 2", [0, 1, 1, 1, 2]),
      ("on: { notify: count }, do: reorder, nth: 2", [0, 2, 1, 3, 4]),
      ("on: { notify: count }, do: corrupt, nth: 2", [0, 254, 2, 3, 4]),
      ("on: { notify: count }, do: { delay: 250 ms }, nth: 1", [1, 2, 0, 3, 4]),
    ] as [(String, [UInt8])])
  func pushes(fault: String, expected: [UInt8]) throws {
    let values = try values(fault).values
    let first = values.min() ?? 0
    #expect(values.prefix(5).map { $0 >= 200 ? $0 : $0 - first } == expected.map { $0 >= 200 ? $0 &- first : $0 })
  }

  @Test("Values arrive although the subscription has ended")
  func afterwards() throws {
    let scene = try FaultScene("on: { unsubscribed: count }, do: { keep-sending: 3, pause: 50 ms }")
    let link = try scene.connect()
    try scene.phone.discover(on: link)
    let handle = try scene.handle("count")
    try scene.phone.configure(handle, .notification, on: link)
    scene.simulation.run(for: .milliseconds(550))
    try scene.phone.configure(handle, [], on: link)
    let before = scene.phone.pushed.count
    scene.simulation.run(for: .seconds(1))
    #expect(scene.phone.pushed.count == before + 3)
    #expect(Set(scene.phone.pushed.suffix(3).map(\.value)).count == 1)
  }

  @Test("A dropped indication ends the link, like an unconfirmed one")
  func indication() throws {
    let scene = try FaultScene("on: { indicate: level }, do: drop")
    let link = try scene.connect()
    try scene.phone.discover(on: link)
    try scene.phone.configure(scene.handle("level"), .indication, on: link)
    try scene.accessory.perform(.indicate(CharacteristicIndex(0)))
    scene.simulation.run(for: .seconds(31))
    #expect(scene.phone.pushed.isEmpty)
    #expect(scene.phone.ends == [.remoteUserTerminatedConnection])
  }
}
