import AccessoryProfile
import Testing

@Suite struct ServiceRouteTests {
  private let log =
    #"{"id": "log", "uuid": "FFE0", "characteristics": [{"id": "entry", "uuid": "FFE1", "properties": ["read", "write", "#
    + #""notify"], "format": "u8", "value": 4}]}"#

  private func ids(_ lamp: RunningLamp) async throws -> [String] {
    guard case .array(let rows) = try await lamp.client.get("/v1/services")["services"] else { return [] }
    return rows.compactMap { row in
      guard case .object(let fields) = row, case .string(let id) = fields["id"] else { return nil }
      return id
    }
  }

  @Test func servicesComeChangeAndGo() async throws {
    try await RunningLamp.run { lamp async throws in
      #expect(try await ids(lamp) == ["generic-access", "generic-attribute", "light"])
      let events = try await lamp.client.events()
      let added = try await lamp.client.post("/v1/services", log)
      #expect(added.status == 201 && added["id"] == "log" && added["uuid"] == "FFE0")
      let changed = try #require(await events.next("database-changed"))
      #expect(changed["first_handle"] == added["handle"] && changed["last_handle"] == added["end"])
      guard case .string(let hash) = changed["hash"] else { return #expect(Bool(false)) }
      #expect(hash.count == 32)
      #expect(try await ids(lamp).last == "log")
      #expect(try await lamp.client.get("/v1/characteristics/entry/value")["value"] == .int(4))
      let replaced = try await lamp.client.put(
        "/v1/services/log",
        #"{"uuid": "FFE0", "characteristics": [{"id": "entry", "uuid": "FFE1", "properties": ["read"], "format": "u8", "value": 5}]}"#
      )
      #expect(replaced.status == 200 && replaced["handle"] == added["handle"])
      #expect(try await lamp.client.get("/v1/characteristics/entry/value")["value"] == .int(5))
      #expect(try await lamp.client.delete("/v1/services/log")["removed"] == "log")
      #expect(try await lamp.client.get("/v1/characteristics/entry/value").status == 404)
      #expect(try await lamp.client.delete("/v1/services/log").status == 404)
      #expect(try await ids(lamp) == ["generic-access", "generic-attribute", "light"])
      events.close()
    }
  }

  @Test func aCentralUsesWhatHasCome() async throws {
    try await RunningLamp.run { lamp async throws in
      let central = try await lamp.central()
      _ = try await lamp.client.post("/v1/services", log)
      let handle = try await lamp.valueHandle("entry")
      try await central.send([0x0A, UInt8(handle & 0xFF), UInt8(handle >> 8)])
      #expect(try await central.payload(channel: 4, beginning: 0x0B) == [0x0B, 4])
      try await central.subscribe(handle + 1, 1)
      _ = try await lamp.client.put("/v1/characteristics/entry/value", "9")
      #expect(try await central.payload(channel: 4, beginning: 0x1B) == [0x1B, UInt8(handle), 0, 9])
      central.close()
    }
  }

  @Test(arguments: [
    RefusedRequest("POST", "/v1/services", "", 400), .init("POST", "/v1/services", "{", 400),
    .init("POST", "/v1/services", "{}", 400), .init("POST", "/v1/services", #"{"uuid": "FFE"}"#, 400),
    .init("POST", "/v1/services", #"{"uuid": "1800", "characteristics": []}"#, 409),
    .init("POST", "/v1/services", #"{"id": "light", "uuid": "FFE0", "characteristics": []}"#, 409),
    .init("PUT", "/v1/services/none", #"{"uuid": "FFE0", "characteristics": []}"#, 404),
    .init("PUT", "/v1/services/light", "", 400), .init("PUT", "/v1/services/light", "[]", 400),
    .init("PUT", "/v1/services/light", #"{"id": "other", "uuid": "FFE0", "characteristics": []}"#, 400),
    .init("PUT", "/v1/services/generic-access", #"{"uuid": "FFE0", "characteristics": []}"#, 409),
    .init("DELETE", "/v1/services/generic-attribute", 409), .init("DELETE", "/v1/services", 405),
    .init("GET", "/v1/services/light", 405), .init("POST", "/v1/services/light/start", 404),
  ])
  func requestIsRefused(_ request: RefusedRequest) async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await lamp.client.request(request.method, request.path, request.body)
      #expect(answer.status == request.status, "\(answer.error)")
      #expect(!answer.error.isEmpty)
      #expect(try await ids(lamp) == ["generic-access", "generic-attribute", "light"])
    }
  }
}
