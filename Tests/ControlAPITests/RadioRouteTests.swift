import AccessoryProfile
import Glibc
import Testing
import Transport
import Understudy
import VirtualRadio

@testable import ControlAPI

@Suite("The virtual radio over HTTP", .timeLimit(.minutes(20)))
struct RadioRouteTests {
  private static let good: [String: ProfileValue] = [
    "loss": .int(0), "ber": .int(0), "rssi": .int(-50), "reachable": .bool(true),
  ]

  /// Returns an unimpaired path in JSON, with some fields changed.
  private func path(_ changes: [String: ProfileValue]) -> ProfileValue {
    .object(Self.good.merging(changes) { _, new in new })
  }

  /// Serves a radio with a terminal and without an accessory.
  private func withRadio(_ body: (RadioHub, HTTPClient) async throws -> Void) async throws {
    let loop = try PollLoop(name: "radio")
    try loop.start()
    defer { loop.stop() }
    let radio = RadioHub(loop: loop)
    _ = try await radio.openTerminal()
    try await RunningLamp.serve(.radio(radio)) { try await body(radio, HTTPClient(port: $0.port)) }
    await radio.close()
  }

  @Test("An accessory's radio is described with it")
  func state() async throws {
    try await RunningLamp.run { lamp in
      let answer = try await lamp.client.get("/v1/radio")
      #expect(answer.status == 200)
      #expect(answer["default"] == path([:]) && answer["paths"] == .array([]))
      #expect(answer["joining"] == .array([.string("tcp-client:127.0.0.1:\(lamp.ready.ports[0])")]))
      let sound = ProfileValue.object(["latency_ms": .int(0), "hung": .bool(false), "buffers": .null])
      #expect(
        answer["controllers"]
          == .array([
            .object([
              "name": .string("accessory"), "place": .string("this process"), "preset": .string("full"),
              "host": .bool(true), "impairment": sound,
            ])
          ]))
    }
  }

  @Test("Paths are impaired and restored")
  func paths() async throws {
    try await withRadio { radio, client in
      var answer = try await client.put("/v1/radio/default", #"{"loss": 0.2, "rssi": -70}"#)
      #expect(answer.status == 200)
      #expect(try answer.json == path(["loss": .double(0.2), "rssi": .int(-70)]))
      answer = try await client.put(
        "/v1/radio/paths/accessory/tcp-1", #"{"loss": "LL.", "ber": 1e-5, "reachable": false}"#)
      let ends: [String: ProfileValue] = ["from": .string("accessory"), "to": .string("tcp-1")]
      let worse = path(
        ends.merging(["loss": .string("LL."), "ber": .double(1e-5), "reachable": .bool(false)]) { _, new in new })
      #expect(try answer.json == worse)
      #expect(try await client.get("/v1/radio")["paths"] == .array([worse]))
      #expect(
        await radio.impairment(from: "accessory", to: "tcp-1")
          == PathImpairment(loss: .pattern([true, true, false]), bitErrorRate: 1e-5, isReachable: false))
      #expect(await radio.defaultImpairment == PathImpairment(loss: .fraction(0.2), strength: -70))
      // A restored path follows the default; then the default is cleared.
      answer = try await client.delete("/v1/radio/paths/accessory/tcp-1")
      #expect(try answer.json == path(ends.merging(["loss": .double(0.2), "rssi": .int(-70)]) { _, new in new }))
      #expect(try await client.delete("/v1/radio/default").json == path([:]))
      #expect(try await client.get("/v1/radio")["paths"] == .array([]))
      #expect(await radio.defaultImpairment == PathImpairment())
    }
  }

  @Test("Controllers are impaired, restored and restarted")
  func controllers() async throws {
    try await withRadio { radio, client in
      let answer = try await client.put(
        "/v1/radio/controllers/pty-1", #"{"latency_ms": 2.5, "hung": true, "buffers": 2}"#)
      #expect(answer.status == 200 && answer["latency_ms"] == .double(2.5))
      let worse = ControllerImpairment(latency: .microseconds(2500), isHung: true, bufferLimit: 2)
      #expect(await radio.impairment(of: "pty-1") == worse)
      for notice in [
        "", #"{"notice": "silent"}"#, #"{"notice": "nop"}"#, #"{"notice": "hardware-error", "code": 66}"#,
        #"{"notice": "assertion", "file": "ull.c", "line": 3}"#,
      ] {
        #expect(try await client.post("/v1/radio/controllers/pty-1/restart", notice).status == 200)
      }
      #expect(await !radio.impairment(of: "pty-1").isHung)
      #expect(try await client.delete("/v1/radio/controllers/pty-1")["buffers"] == .null)
      #expect(await radio.impairment(of: "pty-1") == ControllerImpairment())
      // A controller that has not joined yet.
      #expect(try await client.put("/v1/radio/controllers/tcp-7", #"{"buffers": 0}"#)["buffers"] == .int(0))
      #expect(try await client.post("/v1/radio/controllers/tcp-7/restart").status == 404)
    }
  }

  static let refused: [(method: String, path: String, body: String, status: Int, error: String)] = [
    ("PUT", "default", "", 400, "the body must be an object (known: loss, ber, rssi, reachable)"),
    ("PUT", "default", "0.2", 400, "the body must be an object"), ("PUT", "default", "{", 400, "the body is not JSON"),
    ("PUT", "default", #"{"lost": 1}"#, 400, "unknown field lost (known: loss, ber, rssi, reachable)"),
    ("PUT", "default", #"{"loss": 1.5}"#, 400, "loss must be a fraction"),
    ("PUT", "default", #"{"loss": null}"#, 400, "loss must be a fraction"),
    ("PUT", "default", #"{"loss": "all"}"#, 400, "loss must be a fraction"),
    ("PUT", "default", #"{"ber": -1}"#, 400, "ber must be a number from 0 to 1"),
    ("PUT", "default", #"{"ber": [0]}"#, 400, "ber must be a number from 0 to 1"),
    ("PUT", "default", #"{"rssi": -200}"#, 400, "rssi must be a whole number from -127 to 20"),
    ("PUT", "default", #"{"reachable": 0}"#, 400, "reachable must be true or false"),
    ("PUT", "paths/accessory/phone", "{}", 404, "no controller ever has the name phone"),
    ("PUT", "paths/tcp-1/tcp-1", "{}", 404, "a path leads from one controller to another"),
    ("PUT", "controllers/tcp-0", "{}", 404, "no controller ever has the name tcp-0"),
    ("PUT", "controllers/tcp-1", #"{"latency": 5}"#, 400, "unknown field latency (known: latency_ms, hung, buffers)"),
    ("PUT", "controllers/tcp-1", #"{"latency_ms": "5"}"#, 400, "latency_ms must be a number from 0 to 60000"),
    ("PUT", "controllers/tcp-1", #"{"latency_ms": 60001}"#, 400, "latency_ms must be"),
    ("PUT", "controllers/tcp-1", #"{"hung": 1}"#, 400, "hung must be true or false"),
    ("PUT", "controllers/tcp-1", #"{"buffers": 1.5}"#, 400, "buffers must be"),
    ("POST", "controllers/pty-1/restart", #"{"notice": "loud"}"#, 400, "notice must be one of silent, nop"),
    ("POST", "controllers/pty-1/restart", #"{"notice": "hardware-error", "code": 256}"#, 400, "code must be"),
    ("POST", "controllers/pty-1/restart", #"{"notice": "assertion", "file": 1}"#, 400, "file must be a text"),
    ("POST", "controllers/pty-1/restart", #"{"notice": "assertion", "line": -1}"#, 400, "line must be"),
    ("POST", "default", "{}", 405, "/v1/radio/default does not have POST (known: PUT, DELETE)"),
    ("GET", "controllers/pty-1", "", 405, "does not have GET"), ("GET", "paths", "", 404, "there is nothing at"),
    ("GET", "controllers/pty-1/start", "", 404, "there is nothing at"),
    ("GET", "../accessory", "", 404, "there is nothing at"),
  ]

  @Test("Errors are reported, and nothing changes")
  func refusals() async throws {
    try await withRadio { radio, client in
      for request in Self.refused {
        let answer = try await client.request(request.method, "/v1/radio/\(request.path)", request.body)
        #expect(answer.status == request.status, "\(request)")
        #expect(answer.error.contains(request.error), "\(request): \(answer.error)")
      }
      #expect(await radio.defaultImpairment == PathImpairment())
      #expect(try await client.get("/v1/radio")["paths"] == .array([]))
    }
  }

  @Test("Without an accessory there is only the radio")
  func radioAlone() async throws {
    try await withRadio { _, client in
      let answer = try await client.get("/v1/accessory")
      #expect(answer.status == 404 && answer.error == "there is no accessory, only the virtual radio: /v1/radio")
    }
  }

  @Test("Without a virtual radio, its routes give the reason")
  func noRadio() async throws {
    let loop = try PollLoop(name: "board")
    try loop.start()
    defer { loop.stop() }
    let options = AccessoryOptions(controller: .pty(link: nil))
    let accessory = try Accessory(try Profile.load(text: RunningLamp.profile), options: options, loop: loop)
    try await accessory.start()
    try await RunningLamp.serve(accessory) { address in
      let answer = try await HTTPClient(port: address.port).get("/v1/radio")
      #expect(answer.status == 404 && answer.error == "there is no virtual radio: the controller is pty")
    }
    await accessory.stop()
  }
}
