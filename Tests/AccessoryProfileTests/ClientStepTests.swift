import BLEATT
import BLECore
import BLEGATT
import Testing

@testable import AccessoryProfile

/// A runtime and the phone that it is connected to: the client's PDUs go to a server, and its responses come back.
private final class PhoneBench {
  var runtime: ProfileRuntime
  var now = Instant.zero
  /// Whether the phone answers.
  var isReachable = true
  /// The actions that the runtime has requested.
  var actions: [ApplicationAction] = []
  /// The requests and commands that the phone has received.
  var requests: [ATTOpcode] = []
  private var client = GATTClient(mtu: 517)
  private var server: GATTServer
  private var session = GATTSession(client: 1)
  private var bearer = ServerBearer()
  private var application = Stored()
  private var out = GATTClientOutput()

  static let clock = CharacteristicIndex(0)
  static let level = CharacteristicIndex(1)

  /// The time 2024-02-29T12:30:00.
  static let noon: [UInt8] = [0xE8, 0x07, 2, 29, 12, 30, 0, 4, 0, 0]

  /// A phone that indicates changes of its services.
  static var attributes: GATTPolicy {
    var policy = GATTPolicy()
    policy.serviceChanged = .present
    return policy
  }

  static let services = [
    ServiceDefinition(
      id: "time", uuid: BluetoothUUID(0x1805),
      characteristics: [
        CharacteristicDefinition(
          id: "current-time", uuid: BluetoothUUID(0x2A2B), properties: [.read, .notify], value: .stored(noon))
      ]),
    ServiceDefinition(
      id: "battery", uuid: BluetoothUUID(0x180F),
      characteristics: [
        CharacteristicDefinition(
          id: "level", uuid: BluetoothUUID(0x2A19), properties: [.read, .indicate], value: .stored([61])),
        CharacteristicDefinition(
          id: "command", uuid: BluetoothUUID(0xFFE1), properties: [.writeWithoutResponse], value: .stored([])),
      ]),
  ]

  init(_ profile: Profile, services: [ServiceDefinition] = services) throws {
    runtime = ProfileRuntime(profile: profile)
    let database = try AttributeDatabase(
      host: [.genericAccess(name: "Phone", appearance: 0, preferredParameters: nil), Self.attributes.service],
      application: services)
    server = GATTServer(database: database, receiveMTU: 517)
    runtime.clientArrived(1, at: now)
  }

  /// Advances time from deadline to deadline.
  func advance(_ duration: Duration) {
    let end = now + duration
    while let deadline = Instant.earliest(runtime.nextDeadline, client.nextDeadline), deadline <= end {
      now = max(now, deadline)
      runtime.advance(to: now, actions: &actions)
      client.advance(to: now, into: &out)
      if runtime.wantsClient(of: 1, at: now) { runtime.useClient(&client, of: 1, at: now, into: &out) }
      exchange()
    }
    now = end
  }

  func subscribe(_ characteristic: CharacteristicIndex) {
    runtime.configurationChanged(characteristic, of: 1, to: .notification, at: now)
    runtime.subscriptionsChanged(characteristic, notified: 1, indicated: 0, at: now, actions: &actions)
  }

  /// Makes the phone send a value by itself.
  func push(_ value: [UInt8], of characteristic: CharacteristicIndex, _ opcode: ATTOpcode) {
    let handle = server.database[characteristic].value
    receive([opcode.rawValue, UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8)] + value)
  }

  /// Changes the phone's services.
  func changeServices(to services: [ServiceDefinition]) throws {
    let database = try AttributeDatabase(
      host: [.genericAccess(name: "Phone", appearance: 0, preferredParameters: nil), Self.attributes.service],
      application: services)
    let old = server.database
    server = GATTServer(database: database, receiveMTU: 517)
    let position = try #require(old.attributes.firstIndex { $0.type == BluetoothUUID(0x2A05) })
    let handle = old.attributes[position].handle
    receive([0x1D, UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8), 1, 0, 0xFF, 0xFF])
  }

  private func receive(_ pdu: [UInt8]) {
    client.receive(pdu.span, at: now, into: &out)
    exchange()
  }

  /// Passes on events and PDUs until there are none.
  private func exchange() {
    while !out.events.isEmpty || out.pduCount > 0 {
      var next = 0
      while next < out.events.count {
        runtime.clientReported(out.events[next], &client, of: 1, at: now, into: &out, actions: &actions)
        next += 1
      }
      var pdus: [[UInt8]] = []
      out.forEachPDU { pdu, _ in pdus.append(pdu.withUnsafeBytes { Array($0) }) }
      out.removeAll()
      for pdu in pdus {
        requests.append(ATTOpcode(rawValue: pdu[0]))
        var reply = OctetBuffer()
        var effects = ServerEffects(reportsAccess: true)
        server.receive(
          pdu.span, on: &bearer, from: &session, application: &application, at: now, reply: &reply, effects: &effects)
        if isReachable, !reply.isEmpty { client.receive(reply.copy().span, at: now, into: &out) }
      }
    }
  }

  func value(_ index: CharacteristicIndex) -> [UInt8] {
    return runtime.presentValue(of: index, at: now) ?? []
  }

  func reports() -> [ClientStepReport] { runtime.takeClientReports() }
}

/// The application behind a phone's stored values.
private struct Stored: AttributeApplication {
  func read(_ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> ReadAnswer { .value([]) }
  func write(
    _ value: [UInt8], to characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> WriteAnswer { .accepted }
  func subscriptionsChanged(
    _ characteristic: CharacteristicIndex, notified: Int, indicated: Int, at now: Instant,
    actions: inout [ApplicationAction]
  ) {}
  var nextDeadline: Instant? { nil }
  func advance(to now: Instant, actions: inout [ApplicationAction]) {}
}

@Suite("Client steps")
struct ClientStepTests {
  private static func profile(_ client: String) throws -> Profile {
    try Profile.load(
      text: """
        understudy: 1
        name: Test
        services:
          - uuid: FFF0
            characteristics:
              - { id: copy, uuid: FFF1, properties: [read, notify], format: u8, value: 0 }
        client:
        \(client.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))
        """)
  }

  private static let copy = CharacteristicIndex(0)

  @Test("The shipped profile reads the time and the battery level from the phone")
  func phoneClient() throws {
    let path = try #require(ShippedProfiles.path(named: "phone-client"))
    let bench = try PhoneBench(try Profile.load(contentsOf: path))
    let clock = try #require(bench.runtime.index(of: "current-time"))
    let battery = try #require(bench.runtime.index(of: "phone-battery"))
    bench.advance(.milliseconds(999))
    #expect(bench.requests.isEmpty && bench.value(battery) == [0])
    bench.advance(.milliseconds(1))
    #expect(bench.value(battery) == [61])
    bench.advance(.seconds(90))
    // The clock continues from there.
    #expect(bench.value(clock).prefix(7) == [0xE8, 0x07, 2, 29, 12, 31, 30])
    #expect(bench.reports().map(\.outcome) == [.value(PhoneBench.noon), .value([61])])
    bench.push([60], of: PhoneBench.level, .handleValueIndication)
    #expect(bench.value(battery) == [60] && bench.requests.last == .handleValueConfirmation)
    bench.push([0xE9, 0x07, 1, 1, 0, 0, 0, 3, 0, 0], of: PhoneBench.clock, .handleValueNotification)
    bench.advance(.seconds(5))
    #expect(bench.value(clock).prefix(7) == [0xE9, 0x07, 1, 1, 0, 0, 5])
  }

  @Test("A copied value is sent to subscribers, and a subscription can begin a step")
  func subscription() throws {
    let bench = try PhoneBench(
      try Self.profile("- { when: { subscribed: copy }, read: battery-level, do: { copy: copy } }"))
    bench.advance(.seconds(10))
    #expect(bench.requests.isEmpty)
    bench.subscribe(Self.copy)
    bench.advance(.zero)
    #expect(bench.value(Self.copy) == [61])
    #expect(bench.actions.contains(.notify(Self.copy)))
  }

  @Test("A missing characteristic is reported, and searched for again when the services change")
  func missing() throws {
    let bench = try PhoneBench(
      try Self.profile("- { read: battery-level, do: { copy: copy }, retry: { times: 2, every: 10 s } }"), services: [])
    bench.advance(.seconds(9))
    #expect(bench.reports().map(\.outcome) == [.failed(.notThere, isTriedAgain: true)])
    bench.advance(.seconds(60))
    #expect(
      bench.reports().map(\.outcome) == [
        .failed(.notThere, isTriedAgain: true), .failed(.notThere, isTriedAgain: false),
      ])
    try bench.changeServices(to: PhoneBench.services)
    bench.advance(.seconds(1))
    #expect(bench.value(Self.copy) == [61] && bench.reports().isEmpty)
  }

  @Test("A subscription that ends with its service is reported, and made again when the service returns")
  func lapsed() throws {
    let bench = try PhoneBench(
      try Self.profile("- { subscribe: battery-level, do: { copy: copy }, retry: { times: 1, every: 10 s } }"))
    bench.advance(.seconds(1))
    try bench.changeServices(to: [PhoneBench.services[0]])
    bench.advance(.seconds(60))
    #expect(
      bench.reports().map(\.outcome) == [
        .lapsed, .failed(.notThere, isTriedAgain: true), .failed(.notThere, isTriedAgain: false),
      ])
    try bench.changeServices(to: PhoneBench.services)
    bench.advance(.seconds(1))
    bench.push([40], of: PhoneBench.level, .handleValueIndication)
    #expect(bench.value(Self.copy) == [40] && bench.reports().isEmpty)
  }

  @Test("An error is reported with its step and reason, and the step is retried as configured")
  func refused() throws {
    let bench = try PhoneBench(
      try Self.profile("- { read: FFE1, do: { copy: copy }, retry: { times: 2, every: 10 s } }"))
    bench.advance(.seconds(100))
    let reports = bench.reports()
    #expect(reports.count == 3 && Set(reports.map(\.step)) == ["read FFE1"])
    guard case .failed(.operation(.refused(.readNotPermitted, .readRequest, _)), false)? = reports.last?.outcome else {
      return #expect(Bool(false), "\(reports)")
    }
    #expect(bench.value(Self.copy) == [0])
  }

  @Test("A central that does not respond gets no more requests on that link")
  func silence() throws {
    let bench = try PhoneBench(try Self.profile("- { read: battery-level, retry: { times: 5, every: 1 s } }"))
    bench.isReachable = false
    bench.advance(.seconds(100))
    #expect(bench.reports().map(\.outcome) == [.failed(.operation(.timedOut), isTriedAgain: false)])
    #expect(bench.requests.count == 1)
    bench.runtime.clientLeft(1, at: bench.now)
    #expect(bench.runtime.nextDeadline == nil)
  }

  @Test("A received value can begin another step, once for each value, and that step can write it")
  func received() throws {
    let bench = try PhoneBench(
      try Self.profile(
        """
        - { subscribe: battery-level }
        - { when: { received: battery-level }, if: written < 50, write: FFE1, value: { compute: 7 ++ written }, do: [log, { set: { copy: { compute: 'octets(written)[1]' } } }] }
        """))
    bench.advance(.seconds(1))
    #expect(bench.reports().isEmpty)
    bench.push([60], of: PhoneBench.level, .handleValueIndication)
    bench.push([40], of: PhoneBench.level, .handleValueIndication)
    bench.push([30], of: PhoneBench.level, .handleValueIndication)
    bench.advance(.seconds(1))
    #expect(bench.reports().map(\.outcome) == [.value([7, 40]), .value([7, 30])])
    #expect(bench.value(Self.copy) == [30])
  }

  @Test("A button begins a step on every press")
  func button() throws {
    let bench = try PhoneBench(
      try Self.profile("- { when: { button: ring }, after: 2 s, write: FFE1, value: hex:01, do: log }"))
    #expect(bench.runtime.buttons == ["ring"])
    for _ in 0..<2 { _ = try bench.runtime.press("ring", at: bench.now) }
    bench.advance(.milliseconds(1999))
    #expect(bench.reports().isEmpty)
    bench.advance(.seconds(3))
    #expect(bench.reports().map(\.outcome) == [.value([1]), .value([1])])
    bench.runtime.clientLeft(1, at: bench.now)
    _ = try bench.runtime.press("ring", at: bench.now)
    #expect(bench.runtime.nextDeadline == nil)
  }

  @Test("A write uses a method that the characteristic supports")
  func write() throws {
    let bench = try PhoneBench(
      try Self.profile("- { write: FFE1, value: hex:0102, do: log }\n- { discover: all }"))
    bench.advance(.seconds(1))
    #expect(bench.requests.last == .writeCommand || bench.requests.contains(.writeCommand))
    #expect(bench.reports() == [ClientStepReport(peer: 1, step: "write FFE1", outcome: .value([1, 2]))])
    // Everything was discovered once, for both steps.
    #expect(bench.requests.count { $0 == .readByGroupTypeRequest } <= 4)
  }
}
