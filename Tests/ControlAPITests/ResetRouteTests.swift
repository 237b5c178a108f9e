import AccessoryProfile
import BLECore
import Testing
import Understudy

@testable import ControlAPI

@Suite(.timeLimit(.minutes(20))) struct ResetRouteTests {
  private static let bond =
    #"{"peer": "C4:12:34:56:78:9A", "peer_type": "random", "authenticated": true, "secure_connections": true, "#
    + #""key_size": 16, "key_as_peripheral": {"key": "101112131415161718191a1b1c1d1e1f", "ediv": 0, "#
    + #""rand": "0000000000000000"}}"#

  @Test func theAccessoryIsAsJustStarted() async throws {
    try await RunningLamp.run { lamp async throws in
      let before = try await lamp.client.get("/v1/characteristics").body
      let central = try await lamp.central()
      #expect(try await lamp.client.put("/v1/characteristics/level/value", "99").status == 200)
      #expect(try await lamp.client.post("/v1/services", #"{"id": "log", "uuid": "FFE0"}"#).status == 201)
      #expect(try await lamp.client.post("/v1/published", #"{"id": "echo", "handler": "echo"}"#).status == 201)
      #expect(
        try await lamp.client.post("/v1/faults", #"{"on": {"read": "level"}, "do": {"error": "0x80"}}"#).status == 201)
      #expect(try await lamp.client.put("/v1/security", #"{"pairing": "display"}"#).status == 200)
      #expect(try await lamp.client.post("/v1/advertising/second/stop").status == 202)
      #expect(try await lamp.client.post("/v1/bonds", Self.bond).status == 201)
      let answer = try await lamp.client.post("/v1/reset")
      #expect(answer.status == 200 && answer["links"] == .int(1) && answer["bonds"] == .int(1))
      // The central got the reason (Core 5.4 Vol 1 Part F 2.20).
      #expect(try await central.disconnection() == 0x15)
      #expect(try await lamp.client.get("/v1/characteristics").body == before)
      #expect(try await lamp.client.get("/v1/published")["published"] == .array([]))
      #expect(try await lamp.client.get("/v1/faults")["faults"] == .array([]))
      #expect(try await lamp.client.get("/v1/security")["pairing"] != "display")
      let state = try await lamp.client.get("/v1/accessory")
      #expect(state["advertising"] == .array(["main", "second"]) && state["connections"] == .array([]))
      #expect(state["address"] == .string(lamp.ready.address.description))
      central.close()
      // It accepts connections again, and expectations start after the reset.
      let other = try await lamp.central(2)
      let connected = try await lamp.client.post("/v1/expectations", #"{"event": "connected"}"#)
      #expect(connected.status == 200)
      other.close()
    }
  }

  @Test func bondsGoWhereThatIsWanted() async throws {
    try await RunningLamp.run { lamp async throws in
      #expect(try await lamp.client.post("/v1/bonds", Self.bond).status == 201)
      #expect(try await lamp.client.post("/v1/reset", #"{"bonds": true}"#)["bonds"] == .int(0))
      #expect(try await lamp.client.get("/v1/bonds")["bonds"] == .array([]))
      #expect(try await lamp.client.post("/v1/reset", #"{"bonds": 1}"#).status == 400)
    }
  }
}

@Suite(.timeLimit(.minutes(20))) struct AdvanceRouteTests {
  private static let profile = """
    understudy: 1
    name: Clock
    advertising: [ { id: main, kind: legacy, data: { flags: [general] }, interval: 1 s } ]
    services:
      - id: clock
        uuid: FFF0
        characteristics:
          - { id: minutes, uuid: FFF1, format: u16, properties: [read], value: { ramp: { from: 0, to: 1000, over: 1000 min } } }
    """

  /// Hours pass in no time, and values change accordingly; then time passes as before.
  @Test func timeJumps() async throws {
    try await RunningLamp.run(Self.profile) { lamp async throws in
      let answer = try await lamp.client.post("/v1/radio/advance", #"{"for": "100 min"}"#)
      #expect(answer.status == 200 && answer["advanced_ms"]?.number ?? 0 >= 6_000_000)
      let minutes = try await lamp.client.get("/v1/characteristics/minutes/value")["value"]?.number ?? 0
      #expect(minutes >= 100 && minutes < 110)
      let again = try await lamp.client.post("/v1/radio/advance", #"{"for": "0 s"}"#)
      #expect(again.status == 200 && again["elapsed_ms"]?.number ?? 0 >= 6_000_000)
      #expect(try await lamp.client.get("/v1/characteristics/minutes/value")["value"]?.number ?? 0 < 110)
    }
  }

  @Test(arguments: [#"{}"#, #"{"for": 5}"#, #"{"for": "8 d"}"#, #"{"for": "-1 s"}"#])
  func mistakes(body: String) async throws {
    try await RunningLamp.run(Self.profile) { lamp async throws in
      #expect(try await lamp.client.post("/v1/radio/advance", body)["code"] == "bad-request")
    }
  }
}
