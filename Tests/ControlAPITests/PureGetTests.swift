import AccessoryProfile
import Testing

@testable import ControlAPI
@testable import Understudy

/// A GET changes nothing, however often it is sent.
@Suite(.timeLimit(.minutes(20))) struct PureGetTests {
  /// Values that change with every sending, and an instance of everything that can be requested.
  static let profile = """
    understudy: 1
    name: Lamp
    advertising: [ { id: main, kind: legacy, data: { flags: [general] }, interval: 20 ms } ]
    services:
      - id: light
        uuid: FFF0
        characteristics:
          - { id: count, uuid: FFF1, format: u8, properties: [read, notify], value: { counter: { from: 0, to: 99 } }, notify: on-demand }
          - { id: pattern, uuid: FFF2, properties: [notify], value: { pattern: counter, length: 8 }, notify: on-demand }
          - { id: beat, uuid: 2A37, properties: [notify], value: { bpm: 60, rr: { intervals: bpm }, energy: 5 }, notify: on-demand }
      - include: ancs-twin
    notifications: { rows: [ { uid: 1, category: email, app: a, title: t } ] }
    l2cap: [ { id: log, handler: sink } ]
    """

  static let paths = [
    "/v1/accessory", "/v1/accessories", "/v1/profile", "/v1/characteristics", "/v1/characteristics/count/value",
    "/v1/characteristics/pattern/value", "/v1/characteristics/beat/value", "/v1/advertising", "/v1/channels",
    "/v1/published", "/v1/notifications", "/v1/services", "/v1/questions", "/v1/bonds", "/v1/bonds/export",
    "/v1/buttons",
    "/v1/security", "/v1/security/oob", "/v1/faults", "/v1/openapi.json", "/v1/radio",
  ]

  @Test func everyGetLeavesEverythingAsItIs() async throws {
    try await RunningLamp.run(Self.profile) { lamp async throws in
      let before = try await answers(lamp)
      for _ in 0..<3 { #expect(try await answers(lamp) == before) }
      // The next notification has the first value.
      let count = try await lamp.client.get("/v1/characteristics/count/value")
      #expect(count["value"] == .int(0))
    }
  }

  private func answers(_ lamp: RunningLamp) async throws -> [String: ProfileValue] {
    var answers: [String: ProfileValue] = [:]
    for path in Self.paths {
      let answer = try await lamp.client.get(path)
      #expect(answer.status == 200, "\(path)")
      answers[path] = try answer.json
    }
    // The radio's time and traffic advance by themselves.
    answers["/v1/radio"] = nil
    return answers
  }

  /// Every GET route is refused to other pages, including the event stream.
  @Test(arguments: ["cross-site", "same-site"]) func pagesElsewhereGetNothing(site: String) async throws {
    try await RunningLamp.run(Self.profile) { lamp async throws in
      var client = lamp.client
      client.headers["Sec-Fetch-Site"] = site
      for path in Self.paths + ["/v1/events", "/v1/accessories/profile/events", "/v1/connections/0/remote"] {
        let answer = try await client.get(path)
        #expect(answer.status == 403 && answer.error.contains("another origin"), "\(path)")
      }
    }
  }

  /// Single accesses are reported as long as there is a control API, and not a second time for a stream.
  @Test func streamChangesNothing() async throws {
    try await RunningLamp.run { lamp async throws in
      #expect(await lamp.accessory.accessReaders == 1)
      let events = try await lamp.client.events()
      #expect(await lamp.accessory.accessReaders == 1)
      events.close()
    }
  }

  @Test func streamLeavesOutWhatIsNotWanted() async throws {
    try await RunningLamp.run { lamp async throws in
      let events = try await lamp.client.events("/v1/events?without=advertising,controller")
      #expect(try await lamp.client.post("/v1/advertising/main/stop").status == 202)
      #expect(try await lamp.client.put("/v1/characteristics/level/value", "9").status == 200)
      await lamp.accessory.stop()
      var names: [String] = []
      for await message in events.messages { if let name = message.name { names.append(name) } }
      #expect(names.contains("stopped") && !names.contains { $0.hasPrefix("advertis") })
      let refused = try await lamp.client.get("/v1/events?without=nonsense")
      #expect(refused.status == 400 && refused.error.contains("nonsense"))
    }
  }
}
