import AccessoryProfile
import Testing

@Suite struct IdentityRouteTests {
  private static let record =
    #"{"peer": "C4:12:34:56:78:9A", "peer_type": "random", "authenticated": true, "secure_connections": true, "#
    + #""key_size": 16, "irk": "000102030405060708090a0b0c0d0e0f"}"#

  @Test func theAccessoryIsAnotherDevice() async throws {
    try await RunningLamp.run { lamp async throws in
      let before = try await lamp.client.get("/v1/accessory")["address"]
      #expect(try await lamp.client.post("/v1/bonds", Self.record).status == 201)
      let answer = try await lamp.client.post("/v1/identity/rotate", "")
      #expect(answer.status == 200 && answer["address"] != before && answer["aside"] == .array([]))
      #expect(try await lamp.client.get("/v1/accessory")["address"] == answer["address"])
      #expect(try await lamp.client.get("/v1/bonds")["bonds"] == .array([]))
      let again = try await lamp.client.post("/v1/identity/rotate", "{}")
      #expect(again.status == 200 && again["address"] != answer["address"])
    }
  }

  @Test func refusesWhatTheProfileFixes() async throws {
    let profile = RunningLamp.profile.replacing("address: static", with: #"address: "C4:12:34:56:78:9A""#)
    try await RunningLamp.run(profile) { lamp async throws in
      #expect(try await lamp.client.post("/v1/bonds", Self.record).status == 201)
      let answer = try await lamp.client.post("/v1/identity/rotate", "")
      #expect(answer.status == 400 && answer.error.contains("there is no new identity"), "\(answer.error)")
      guard case .array(let bonds)? = try await lamp.client.get("/v1/bonds")["bonds"] else { return }
      #expect(bonds.count == 1)
    }
  }

  @Test(arguments: [
    RefusedRequest("GET", "/v1/identity/rotate", 405), .init("POST", "/v1/identity/rotate", #"{"now": true}"#, 400),
    .init("POST", "/v1/identity", "", 404), .init("POST", "/v1/identity/other", "", 404),
  ])
  func refuses(_ request: RefusedRequest) async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await lamp.client.request(request.method, request.path, request.body)
      #expect(answer.status == request.status, "\(answer.error)")
    }
  }
}
