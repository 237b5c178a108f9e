import AccessoryProfile
import BLECore
import Testing
import Understudy

@Suite struct RouteTests {
  @Test func accessoryShowsItsState() async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await lamp.client.get("/v1/accessory")
      #expect(answer.status == 200)
      #expect(answer.headers["content-type"]?.hasPrefix("application/json") == true)
      #expect(answer["name"] == "Lamp")
      #expect(answer["address"] == .string(lamp.ready.address.description))
      #expect(answer["connections"] == .array([]))
    }
  }

  @Test func characteristicsAreListedByHandle() async throws {
    try await RunningLamp.run { lamp async throws in
      guard case .array(let list) = try await lamp.client.get("/v1/characteristics")["characteristics"] else {
        Issue.record("no list")
        return
      }
      let rows = list.compactMap { row in if case .object(let fields) = row { fields } else { nil } }
      let ids = rows.compactMap { row in if case .string(let id) = row["id"] { id } else { nil } }
      #expect(ids.suffix(4) == ["level", "raw", "left", "right"])
      let level = try #require(rows.first { $0["id"] == "level" })
      #expect(level["uuid"] == "FFF1")
      #expect(level["service"] == "light")
      #expect(level["properties"] == .array(["read", "write", "notify", "indicate"]))
    }
  }

  @Test func valuesAreReadWithTheirMeaning() async throws {
    try await RunningLamp.run { lamp async throws in
      let level = try await lamp.client.get("/v1/characteristics/level/value")
      #expect(level.status == 200)
      #expect(try level.json == .object(["id": "level", "uuid": "FFF1", "hex": "07", "value": .int(7)]))
      let raw = try await lamp.client.get("/v1/characteristics/raw/value")
      #expect(raw["hex"] == "0102")
      #expect(raw["value"] == .octets([1, 2]))
    }
  }

  /// A value can be given as octets, under `value`, or directly; a characteristic by its id or UUID, also with
  /// percent-encoding.
  @Test(arguments: [
    ("level", #"{"hex": "2a"}"#), ("level", #"{"value": 42}"#), ("level", "42"), ("FFF1", "42"), ("fff1", "42"),
    ("%6Cevel", "42"), ("0000fff1-0000-1000-8000-00805f9b34fb", "42"),
  ])
  func valuesArePut(name: String, body: String) async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await lamp.client.put("/v1/characteristics/\(name)/value", body)
      #expect(answer.status == 200)
      #expect(answer["value"] == .int(42))
      #expect(try await lamp.client.get("/v1/characteristics/level/value")["hex"] == "2a")
    }
  }

  @Test func setsGoOffTheAirAndOnAgain() async throws {
    try await RunningLamp.run { lamp async throws in
      #expect(try await lamp.advertisingIsOn("main") == true)
      let events = try await lamp.client.events()
      #expect(try await lamp.client.post("/v1/advertising/main/stop").status == 202)
      #expect(await events.next("advertising-stopped")?["set"] == "main")
      #expect(try await lamp.advertisingIsOn("main") == false)
      #expect(try await lamp.client.post("/v1/advertising/main/start").status == 202)
      #expect(await events.next("advertising-started")?["set"] == "main")
      #expect(try await lamp.advertisingIsOn("main") == true)
      events.close()
    }
  }

  @Test func unknownParametersAreRefused() async throws {
    try await RunningLamp.run { lamp async throws in
      #expect(try await lamp.client.get("/v1/accessory?pretty=1").status == 400)
    }
  }
}

extension RunningLamp {
  /// Returns whether a set is on the air, according to the list of sets.
  func advertisingIsOn(_ id: String) async throws -> Bool? {
    guard case .array(let sets) = try await client.get("/v1/advertising")["advertising"] else { return nil }
    for case .object(let fields) in sets where fields["id"] == .string(id) {
      if case .bool(let isOn) = fields["on"] { return isOn }
    }
    return nil
  }
}
