import AccessoryProfile
import Testing

@Suite struct BondRouteTests {
  private static let record =
    #"{"peer": "C4:12:34:56:78:9A", "peer_type": "random", "authenticated": true, "secure_connections": true, "#
    + #""key_size": 16, "irk": "000102030405060708090a0b0c0d0e0f", "key_as_peripheral": {"key": "#
    + #""101112131415161718191a1b1c1d1e1f", "ediv": 0, "rand": "0000000000000000"}}"#

  @Test func bondsComeChangeAndGo() async throws {
    try await RunningLamp.run { lamp async throws in
      #expect(try await lamp.client.get("/v1/bonds")["bonds"] == .array([]))
      let added = try await lamp.client.post("/v1/bonds", Self.record)
      #expect(added.status == 201)
      let bond = try await lamp.client.get("/v1/bonds/C4:12:34:56:78:9A")
      #expect(bond["id"] == "C4:12:34:56:78:9A-random" && bond["keys"] == .array(["irk", "key_as_peripheral"]))
      #expect(bond["irk"] == nil && bond["key_as_peripheral"] == nil)
      let exported = try await lamp.client.get("/v1/bonds/C4:12:34:56:78:9A-random/export?format=json")
      guard case .array(let records) = exported["bonds"], case .object(let fields) = records.first else {
        return #expect(Bool(false))
      }
      #expect(fields["irk"] == .string("000102030405060708090a0b0c0d0e0f"))
      let altered = try await lamp.client.post(
        "/v1/bonds/C4:12:34:56:78:9A/alter", #"{"with": "short-key", "key_size": 9}"#)
      #expect(altered.status == 200 && altered["key_size"] == .int(9))
      #expect(try await lamp.client.delete("/v1/bonds/C4:12:34:56:78:9A")["removed"] == "C4:12:34:56:78:9A-random")
      #expect(try await lamp.client.get("/v1/bonds")["bonds"] == .array([]))
    }
  }

  @Test(arguments: [
    RefusedRequest("GET", "/v1/bonds/C4:12:34:56:78:9A", 404), .init("DELETE", "/v1/bonds/x", 404),
    .init("GET", "/v1/bonds/export?format=other", 400), .init("GET", "/v1/bonds/x/export", 404),
    .init("POST", "/v1/bonds", "", 400), .init("POST", "/v1/bonds", "[]", 400), .init("POST", "/v1/bonds", "{}", 400),
    .init("POST", "/v1/bonds", #"{"bonds": [1]}"#, 400), .init("POST", "/v1/bonds", #"{"text": "a"}"#, 400),
    .init("POST", "/v1/bonds", #"{"format": "wireshark", "text": "0x00"}"#, 400),
    .init("POST", "/v1/bonds", #"{"format": "bluez", "text": "[LongTermKey]"}"#, 400),
    .init("POST", "/v1/bonds", #"{"format": "bluez", "text": "[LongTermKey]", "peer": "x"}"#, 400),
    .init("POST", "/v1/bonds/x/alter", #"{"with": "wrong-ltk"}"#, 404), .init("PUT", "/v1/bonds", "{}", 405),
    .init("POST", "/v1/bonds/export", "{}", 405), .init("GET", "/v1/bonds/x/alter", 405),
  ])
  func refuses(_ request: RefusedRequest) async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await lamp.client.request(request.method, request.path, request.body)
      #expect(answer.status == request.status, "\(answer.error)")
    }
  }

  @Test(arguments: [
    #"{}"#, #"{"with": "other"}"#, #"{"with": "short-key", "key_size": 6}"#,
    #"{"with": "second-identity", "address": 1}"#,
    #"{"with": "second-identity", "address": "00:00:00:00:00:01"}"#, #"{"how": "wrong-ltk"}"#,
  ])
  func refusesAlterations(_ body: String) async throws {
    try await RunningLamp.run { lamp async throws in
      _ = try await lamp.client.post("/v1/bonds", Self.record)
      #expect(try await lamp.client.post("/v1/bonds/C4:12:34:56:78:9A/alter", body).status == 400)
    }
  }
}
