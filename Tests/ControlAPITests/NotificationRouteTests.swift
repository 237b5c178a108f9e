import AccessoryProfile
import Testing
import Understudy

@Suite struct NotificationRouteTests {
  private static let phone = """
    understudy: 1
    name: Phone
    advertising: []
    services:
      - include: ancs
        authorization: { state: pending, error: insufficient-authentication }
    notifications:
      rows:
        - { uid: 1, category: email, app: com.apple.mobilemail, title: Ada }
    """

  private func titles(_ lamp: RunningLamp) async throws -> [String] {
    guard case .array(let rows) = try await lamp.client.get("/v1/notifications")["notifications"] else { return [] }
    return rows.compactMap { row in
      if case .object(let columns) = row, case .string(let title) = columns["title"] { title } else { nil }
    }
  }

  @Test func comeChangeAndGo() async throws {
    try await RunningLamp.run(Self.phone) { lamp async throws in
      #expect(try await titles(lamp) == ["Ada"])
      let added = try await lamp.client.post(
        "/v1/notifications", #"{"category": "social", "app": "com.example.chat", "title": "Grace"}"#)
      #expect(added.status == 201)
      #expect(added["uid"] == .int(2))
      #expect(try await titles(lamp) == ["Ada", "Grace"])
      #expect(try await lamp.client.put("/v1/notifications/2", #"{"title": "Grace Hopper"}"#).status == 200)
      #expect(try await titles(lamp) == ["Ada", "Grace Hopper"])
      #expect(try await lamp.client.delete("/v1/notifications/1").status == 200)
      #expect(try await titles(lamp) == ["Grace Hopper"])
    }
  }

  @Test func mistakesAreSaid() async throws {
    try await RunningLamp.run(Self.phone) { lamp async throws in
      #expect(try await lamp.client.put("/v1/notifications/9", #"{"title": "x"}"#).status == 404)
      #expect(try await lamp.client.delete("/v1/notifications/none").status == 404)
      #expect(try await lamp.client.post("/v1/notifications", "[]").status == 400)
      #expect(try await lamp.client.post("/v1/notifications", #"{"titel": "x"}"#).status == 400)
      #expect(try await lamp.client.delete("/v1/notifications").status == 405)
      #expect(try await titles(lamp) == ["Ada"])
    }
  }

  @Test func authorizationIsGivenAndTaken() async throws {
    try await RunningLamp.run(Self.phone) { lamp async throws in
      for state in ["granted", "revoked", "denied", "pending"] {
        let answer = try await lamp.client.put("/v1/services/ancs/authorization", #"{"state": "\#(state)"}"#)
        #expect(answer.status == 200)
        #expect(answer["state"] == .string(state))
      }
      #expect(try await lamp.client.put("/v1/services/ancs/authorization", #"{"state": "maybe"}"#).status == 400)
      #expect(try await lamp.client.put("/v1/services/none/authorization", #"{"state": "granted"}"#).status == 400)
    }
  }
}
