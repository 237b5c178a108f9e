import AccessoryProfile
import BLECore
import Testing
import Understudy

@testable import ControlAPI

@Suite(.timeLimit(.minutes(20))) struct SnapshotRouteTests {
  private static let bond =
    #"{"peer": "C4:12:34:56:78:9A", "peer_type": "random", "authenticated": true, "secure_connections": true, "#
    + #""key_size": 16, "key_as_peripheral": {"key": "101112131415161718191a1b1c1d1e1f", "ediv": 0, "#
    + #""rand": "0000000000000000"}}"#

  @Test func theAccessoryIsAsItWas() async throws {
    try await RunningLamp.run { lamp async throws in
      let client = lamp.client
      #expect(try await client.put("/v1/characteristics/level/value", "99").status == 200)
      #expect(
        try await client.post(
          "/v1/services",
          #"{"id": "log", "uuid": "FFE0", "characteristics": [{"id": "entry", "uuid": "FFE1", "properties": ["read"], "value": "hex:07"}]}"#
        ).status == 201)
      #expect(try await client.post("/v1/published", #"{"id": "echo", "handler": "echo"}"#).status == 201)
      #expect(
        try await client.post("/v1/faults", #"{"id": "odd", "on": {"read": "level"}, "do": {"error": "0x80"}}"#)
          .status == 201)
      #expect(try await client.put("/v1/security", #"{"pairing": "display"}"#).status == 200)
      #expect(try await client.post("/v1/advertising/second/stop").status == 202)
      #expect(try await client.post("/v1/bonds", Self.bond).status == 201)
      let paths = ["characteristics", "services", "published", "faults", "security", "bonds", "advertising"]
      var before: [[UInt8]] = []
      for path in paths { before.append(try await client.get("/v1/\(path)").body) }

      let taken = try await client.post("/v1/snapshots", #"{"id": "far"}"#)
      #expect(taken.status == 201 && taken["id"] == "far")
      let values = try #require(taken["values"])
      guard case .object(let fields) = values else { throw SocketFailure(what: "no values: \(values)") }
      #expect(fields["level"] == .object(["hex": "63", "value": .int(99)]))
      #expect(taken["faults"] == .array(["odd"]) && taken["bonds"] == .array(["C4:12:34:56:78:9A"]))

      #expect(try await client.post("/v1/reset", #"{"bonds": true}"#).status == 200)
      #expect(try await client.put("/v1/characteristics/level/value", "1").status == 200)
      let central = try await lamp.central()
      let answer = try await client.post("/v1/snapshots/far/restore")
      #expect(answer.status == 200 && answer["links"] == .int(1) && answer["bonds"] == .int(1))
      #expect(try await central.disconnection() == 0x15)
      central.close()
      for (path, was) in zip(paths, before) {
        #expect(try await client.get("/v1/\(path)").body == was, "\(path)")
      }
      // A service that was added has its value, and centrals can connect again.
      #expect(try await client.get("/v1/characteristics/entry/value")["hex"] == "07")
      let other = try await lamp.central(2)
      #expect(try await client.post("/v1/expectations", #"{"event": "connected"}"#).status == 200)
      other.close()
    }
  }

  @Test func snapshotsHaveNames() async throws {
    try await RunningLamp.run { lamp async throws in
      let client = lamp.client
      let first = try await client.post("/v1/snapshots")
      let second = try await client.post("/v1/snapshots", "{}")
      #expect(first["id"] == "snapshot-1" && second["id"] == "snapshot-2")
      #expect(try await client.post("/v1/snapshots", #"{"id": "snapshot-1"}"#).status == 201)
      #expect(try await client.get("/v1/snapshots/snapshot-2")["id"] == "snapshot-2")
      #expect(try await client.delete("/v1/snapshots/snapshot-2").status == 200)
      guard case .array(let left) = try await client.get("/v1/snapshots")["snapshots"] else {
        throw SocketFailure(what: "no list")
      }
      #expect(left.count == 1)
      #expect(try await client.get("/v1/snapshots/snapshot-2")["code"] == "unknown-snapshot")
      #expect(try await client.post("/v1/snapshots/other/restore")["code"] == "unknown-snapshot")
      #expect(try await client.post("/v1/snapshots", #"{"id": ""}"#)["code"] == "bad-request")
    }
  }

  @Test func thereAreNotTooMany() async throws {
    try await RunningLamp.run { lamp async throws in
      for _ in 0..<Accessory.snapshotLimit { #expect(try await lamp.client.post("/v1/snapshots").status == 201) }
      #expect(try await lamp.client.post("/v1/snapshots")["code"] == "impossible")
    }
  }

  private static let ramp = """
    understudy: 1
    name: Lock
    advertising: [ { id: main, kind: legacy, data: { flags: [general] }, interval: 1 s } ]
    variables: { tries: 0 }
    states:
      shut:
        - { when: { button: turn }, do: [ { set: { tries: { compute: tries + 1 } } }, { enter: open } ] }
      open:
        - { when: entered, after: 10 min, do: { enter: shut } }
    services:
      - id: lock
        uuid: FFF0
        characteristics:
          - { id: minutes, uuid: FFF1, format: u16, properties: [read], value: { ramp: { from: 0, to: 1000, over: 1000 min } } }
          - { id: count, uuid: FFF2, format: u8, properties: [read], value: { compute: tries } }
    """

  /// Values that change by themselves, delays and variables continue from the snapshot, however late it is.
  @Test func timeGoesOnFromThere() async throws {
    try await RunningLamp.run(Self.ramp) { lamp async throws in
      let client = lamp.client
      func minutes() async throws -> Double {
        try await client.get("/v1/characteristics/minutes/value")["value"]?.number ?? -1
      }
      func state() async throws -> ProfileValue? { try await client.get("/v1/buttons")["state"] }
      #expect(try await client.post("/v1/buttons/turn").status == 202)
      #expect(try await client.post("/v1/radio/advance", #"{"for": "5 min"}"#).status == 200)
      let then = try await minutes()
      #expect(try await client.post("/v1/snapshots", #"{"id": "open"}"#)["state"] == "open")
      #expect(try await client.post("/v1/radio/advance", #"{"for": "60 min"}"#).status == 200)
      #expect(try await state() == "shut")
      #expect(try await client.post("/v1/buttons/turn").status == 202)
      #expect(try await client.get("/v1/characteristics/count/value")["value"] == .int(2))
      #expect(try await client.post("/v1/snapshots/open/restore").status == 200)
      #expect(try await state() == "open")
      #expect(try await client.get("/v1/characteristics/count/value")["value"] == .int(1))
      #expect(try await minutes() - then < 2)
      // The delay had five minutes left.
      #expect(try await client.post("/v1/radio/advance", #"{"for": "4 min"}"#).status == 200)
      #expect(try await state() == "open")
      #expect(try await client.post("/v1/radio/advance", #"{"for": "2 min"}"#).status == 200)
      #expect(try await state() == "shut")
    }
  }
}
