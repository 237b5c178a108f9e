import AccessoryProfile
import BLECore
import Testing
import Transport
import Understudy

@testable import ControlAPI

/// An accessory on the virtual radio with its control API.
struct RunningLamp: Sendable {
  var accessory: Accessory
  var ready: ReadyReport
  var client: HTTPClient
  var address: HTTPAddress

  static let profile = """
    understudy: 1
    name: Lamp
    about: Something to control.
    identity: { address: static }
    advertising:
      - id: main
        kind: legacy
        data: { flags: [general], name: complete }
        schedule: [ { interval: 20 ms } ]
      - id: second
        kind: legacy
        data: { flags: [general] }
        schedule: [ { interval: 100 ms } ]
    connection: { mtu: 247 }
    services:
      - id: light
        uuid: FFF0
        characteristics:
          - id: level
            uuid: FFF1
            properties: [read, write, notify, indicate]
            format: u8
            value: 7
            notify: on-change
          - { id: raw, uuid: FFF2, properties: [read], value: hex:0102 }
          - { id: left, uuid: FFF3, properties: [read], value: hex:00 }
          - { id: right, uuid: FFF3, properties: [read], value: hex:01 }
    """

  /// Runs the lamp, or another accessory, with its control API, and ends both after `body`.
  static func run(
    _ profile: String = profile, host: String = "127.0.0.1", token: String? = nil,
    bridges: BridgeAllowance = BridgeAllowance(),
    limits: ControlLimits = ControlLimits(),
    _ body: (RunningLamp) async throws -> Void
  ) async throws {
    let loop = try PollLoop(name: "lamp")
    try loop.start()
    defer { loop.stop() }
    let accessory = try Accessory(try Profile.load(text: profile), options: AccessoryOptions(), loop: loop)
    let events = await accessory.events()
    try await accessory.start()
    var ready: ReadyReport?
    for await event in events {
      guard case .ready(let report) = event.kind else { continue }
      ready = report
      break
    }
    let report = try #require(ready)
    try await serve(accessory, host: host, token: token, bridges: bridges, limits: limits) { address in
      try await body(
        RunningLamp(
          accessory: accessory, ready: report, client: HTTPClient(port: address.port), address: address))
    }
    await accessory.stop()
    _ = await accessory.end()
  }

  /// Serves the control API of an accessory while `body` runs.
  static func serve(
    _ accessory: Accessory, host: String = "127.0.0.1", token: String? = nil,
    bridges: BridgeAllowance = BridgeAllowance(),
    limits: ControlLimits = ControlLimits(),
    _ body: (HTTPAddress) async throws -> Void
  ) async throws {
    try await serve(.accessory(accessory), host: host, token: token, bridges: bridges, limits: limits, body)
  }

  /// Serves any control API while `body` runs.
  static func serve(
    _ subject: ControlSubject, host: String = "127.0.0.1", token: String? = nil,
    bridges: BridgeAllowance = BridgeAllowance(),
    limits: ControlLimits = ControlLimits(),
    _ body: (HTTPAddress) async throws -> Void
  ) async throws {
    let server = try ControlServer(
      subject, address: HTTPAddress(host: host, port: 0), token: token, bridges: bridges, limits: limits)
    let (addresses, feed) = AsyncStream.makeStream(of: HTTPAddress.self)
    let serving = Task {
      defer { feed.finish() }
      try await server.run { feed.yield($0) }
    }
    var iterator = addresses.makeAsyncIterator()
    let address = try #require(await iterator.next())
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await body(address))
    } catch {
      outcome = .failure(error)
    }
    serving.cancel()
    try await serving.value
    try outcome.get()
  }

  /// Returns the handle of a characteristic's value.
  func valueHandle(_ id: String) async throws -> UInt16 {
    guard case .array(let list) = try await client.get("/v1/characteristics")["characteristics"] else { return 0 }
    for case .object(let fields) in list where fields["id"] == .string(id) {
      if case .int(let handle) = fields["value_handle"] { return UInt16(handle) }
    }
    return 0
  }
}
