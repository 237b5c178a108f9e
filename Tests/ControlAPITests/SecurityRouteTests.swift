import AccessoryProfile
import Testing
import Understudy

@Suite struct SecurityRouteTests {
  private static let profile = """
    understudy: 1
    name: Safe
    identity: { address: static }
    security: { pairing: display }
    services: [ { uuid: FFF0, characteristics: [ { uuid: FFF1, properties: [read], value: hex:01 } ] } ]
    """

  @Test func thePolicyIsReadAndReplaced() async throws {
    try await RunningLamp.run(Self.profile) { safe async throws in
      let first = try await safe.client.get("/v1/security")
      #expect(first["pairing"] == "display" && first["bonding"] == .bool(true) && first["passkey"] == nil)
      let body = #"{"pairing": "keyboard", "answers": {"passkey": 7}, "secure-connections": "only"}"#
      let changed = try await safe.client.put("/v1/security", body)
      #expect(changed.status == 200)
      let second = try await safe.client.get("/v1/security")
      #expect(second["pairing"] == "keyboard" && second["secure-connections"] == "only")
      guard case .object(let answers) = second["answers"] else { throw SocketFailure(what: "no answers") }
      #expect(answers["passkey"] == .int(7))
      // The result of GET can be sent back.
      #expect(try await safe.client.put("/v1/security", try first.json.jsonText).status == 200)
    }
  }

  @Test(
    arguments: [
      "", "5", "[]", #"{"pairing": "telepathy"}"#, #"{"passkey": 1}"#, #"{"pairing": "display", "passkey": 1000000}"#,
      #"{"pairing": "display", "oob": {"confirm": "hex:00"}}"#, #"{"pairing": "keyboard", "keypress": ["hit"]}"#,
    ])
  func mistakesChangeNothing(body: String) async throws {
    try await RunningLamp.run(Self.profile) { safe async throws in
      let refused = try await safe.client.put("/v1/security", body)
      #expect(refused.status == 400, "\(body)")
      #expect(try await safe.client.get("/v1/security")["pairing"] == "display")
    }
  }

  @Test func ownDataForOutOfBandAreMadeAndForgotten() async throws {
    try await RunningLamp.run(Self.profile) { safe async throws in
      let path = "/v1/security/oob"
      let nothing = try await safe.client.get(path)
      #expect(nothing["confirm"] == .null && nothing["random"] == .null && nothing["temporary_key"] == .null)
      let first = try await safe.client.post(path, "")
      guard case .string(let confirm) = first["confirm"], case .string(let random) = first["random"] else {
        throw SocketFailure(what: "no data")
      }
      #expect(confirm.utf8.count == 32 && random.utf8.count == 32)
      #expect(try await safe.client.get(path)["confirm"] == first["confirm"])
      // Out-of-band data that a central has been given outlives a new policy.
      #expect(try await safe.client.put("/v1/security", #"{"pairing": "keyboard"}"#).status == 200)
      #expect(try await safe.client.get(path)["random"] == first["random"])
      let legacy = try await safe.client.post(path, #"{"kind": "legacy"}"#)
      guard case .string(let key) = legacy["temporary_key"] else { throw SocketFailure(what: "no key") }
      #expect(key.utf8.count == 32 && legacy["confirm"] == first["confirm"])
      #expect(try await safe.client.post(path, "")["confirm"] != first["confirm"])
      let gone = try await safe.client.delete(path)
      #expect(gone["confirm"] == .null && gone["temporary_key"] == .null)
      #expect(try await safe.client.post(path, #"{"kind": "nfc"}"#).status == 400)
      #expect(try await safe.client.put("/v1/security", #"{"pairing": "none"}"#).status == 200)
      #expect(try await safe.client.post(path, "").status == 409)
    }
  }

  @Test func aCentralIsAskedForSecurity() async throws {
    try await RunningLamp.run(Self.profile) { safe async throws in
      let central = try await safe.central()
      #expect(try await safe.client.post("/v1/connections/\(central.handle)/pair", "").status == 202)
      #expect(try await safe.client.post("/v1/connections/999/pair", "").status == 404)
      #expect(try await safe.client.post("/v1/connections/\(central.handle)/pair", #"{"now": true}"#).status == 400)
      let state = try await safe.client.get("/v1/accessory")
      guard case .array(let connections) = state["connections"], case .object(let link) = connections.first,
        case .object(let security) = link["security"]
      else { throw SocketFailure(what: "no security") }
      #expect(security["protection"] == "none" && security["key_size"] == .int(0) && security["bonded"] == .bool(false))
      #expect(try await safe.client.put("/v1/security", #"{"pairing": "none"}"#).status == 200)
      #expect(try await safe.client.post("/v1/connections/\(central.handle)/pair", "").status == 409)
    }
  }
}
