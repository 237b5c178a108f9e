import AccessoryProfile
import Testing

@Suite struct ChannelRouteTests {
  /// Publishes a channel; the lamp has none by itself.
  private func publish(_ lamp: RunningLamp, _ body: String) async throws -> Answer {
    try await lamp.client.post("/v1/published", body)
  }

  private func list(_ lamp: RunningLamp, _ name: String) async throws -> [[String: ProfileValue]] {
    guard case .array(let rows) = try await lamp.client.get("/v1/\(name)")[name] else { return [] }
    return rows.compactMap { row in if case .object(let fields) = row { fields } else { nil } }
  }

  @Test func channelsArePublishedAndWithdrawn() async throws {
    try await RunningLamp.run { lamp async throws in
      #expect(try await list(lamp, "published").isEmpty)
      let first = try await publish(lamp, #"{"id": "stream", "handler": "echo"}"#)
      #expect(first.status == 201)
      #expect(first["psm"] == .int(0x80) && first["mtu"] == .int(2048) && first["security"] == "none")
      let second = try await publish(
        lamp,
        #"{"id": "log", "psm": "new", "mtu": 100, "mps": 50, "max-channels": 3, "handler": {"sink": {"rate": 9}}}"#)
      #expect(second["handler"] == .object(["sink": .object(["rate": .int(9), "hash": .bool(false)])]))
      #expect(second["max-channels"] == .int(3) && second["mps"] == .int(50))
      let rows = try await list(lamp, "published")
      #expect(rows.map { $0["id"] } == ["stream", "log"] && rows.map { $0["open"] } == [.int(0), .int(0)])
      #expect(rows[1]["psm"] == second["psm"])
      #expect(try await lamp.client.delete("/v1/published/stream").status == 200)
      #expect(try await lamp.client.delete("/v1/published/stream").status == 404)
      #expect(try await list(lamp, "published").count == 1)
      // The PSM is free again.
      #expect(try await publish(lamp, #"{"id": "stream", "psm": 128, "handler": "sink"}"#)["psm"] == .int(0x80))
    }
  }

  @Test func aCharacteristicOfALaterServiceHoldsThePSM() async throws {
    try await RunningLamp.run { lamp async throws in
      let service =
        #"{"id": "door", "uuid": "FFE0", "characteristics": ["#
        + #"{"id": "psm", "uuid": "ABDD3056-28FA-441D-A470-55A75A52553A", "properties": ["read"], "format": "u16", "value": 0},"#
        + #"{"id": "name", "uuid": "FFE2", "properties": ["read"], "value": "hex:00"}]}"#
      #expect(try await lamp.client.request("POST", "/v1/services", service).status == 201)
      let body = { (name: String) in #"{"id": "log", "psm": 145, "handler": "sink", "psm-characteristic": "\#(name)"}"#
      }
      #expect(try await publish(lamp, body("nothing")).status == 404)
      #expect(try await publish(lamp, body("name")).status == 400)
      #expect(try await list(lamp, "published").isEmpty)
      #expect(try await publish(lamp, body("psm")).status == 201)
      #expect(try await lamp.client.get("/v1/characteristics/psm/value")["hex"] == "9100")
      #expect(try await list(lamp, "published").first?["psm-characteristic"] == "psm")
    }
  }

  @Test func idsAndPSMsAreTakenOnce() async throws {
    try await RunningLamp.run { lamp async throws in
      #expect(try await publish(lamp, #"{"id": "stream", "psm": "0x90", "handler": "echo"}"#).status == 201)
      #expect(try await publish(lamp, #"{"id": "stream", "handler": "echo"}"#).status == 409)
      let answer = try await publish(lamp, #"{"id": "other", "psm": 144, "handler": "echo"}"#)
      #expect(answer.status == 409 && answer.error.contains("144"))
    }
  }

  /// Every mistake is reported with its field.
  @Test(
    arguments: [
      ("", "the body must be a channel"), ("[]", "mapping"), (#""echo""#, "mapping"), ("{}", "'id' is missing"),
      (#"{"id": "a"}"#, "'handler' is missing"), (#"{"id": "a", "handler": "ecko"}"#, "handler: unknown handler"),
      (#"{"id": "a", "handler": 5}"#, "handler: "), (#"{"id": "a/b", "handler": "echo"}"#, "id: "),
      (#"{"id": "a", "handler": "echo", "colour": 1}"#, "unknown key 'colour'"),
      (#"{"id": "a", "handler": "echo", "mtu": 22}"#, "mtu: 22 is not within"),
      (#"{"id": "a", "handler": "echo", "mtu": "100"}"#, "mtu: expected a whole number"),
      (#"{"id": "a", "handler": "echo", "mps": 1.5}"#, "mps: expected a whole number"),
      (#"{"id": "a", "handler": "echo", "mps": null}"#, "mps: "),
      (#"{"id": "a", "handler": "echo", "psm": 256}"#, "psm: 256 is not within"),
      (#"{"id": "a", "handler": "echo", "psm": "any"}"#, "psm: "),
      (#"{"id": "a", "handler": "echo", "security": "strong"}"#, "security: unknown word 'strong'"),
      (#"{"id": "a", "handler": "echo", "authorization": "yes"}"#, "authorization: unknown word 'yes'"),
      (#"{"id": "a", "handler": {"sink": {"rate": 0}}}"#, "handler.sink.rate: 0 is not within"),
      (#"{"id": "a", "handler": {"source": {"size": 1}}}"#, "handler.source: unknown key 'size'"),
      (#"{"id": "a", "handler": "echo", "psm-characteristic": {"service": "light"}}"#, "psm-characteristic"),
      (#"{"id": 5, "handler": "echo", "mtu": 1}"#, "mtu: 1 is not within"),
    ] as [(String, String)])
  func mistakesAreNamed(body: String, message: String) async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await publish(lamp, body)
      #expect(answer.status == 400)
      #expect(answer.error.contains(message), "\(answer.error)")
      #expect(try await list(lamp, "published").isEmpty)
    }
  }

  @Test(arguments: [
    RefusedRequest("POST", "/v1/channels", 405), .init("GET", "/v1/channels/0/64/send", 405),
    .init("GET", "/v1/connections/0/channels", 405), .init("POST", "/v1/connections/0/channels", #"{"psm": 128}"#, 404),
    .init("POST", "/v1/connections/one/channels", #"{"psm": 128}"#, 404),
    .init("POST", "/v1/published/stream/authorization", 405),
    .init("PUT", "/v1/published/stream/authorization", #"{"state": "ask"}"#, 404),
    .init("PUT", "/v1/published/stream/authorization", #"{"state": "maybe"}"#, 400),
    .init("GET", "/v1/published/stream", 405), .init("PUT", "/v1/published", "{}", 405),
    .init("POST", "/v1/channels/0/64/open", 404), .init("POST", "/v1/channels/0/send", 404),
    .init("POST", "/v1/channels/0/64/send", #"{"text": "a"}"#, 404),
    .init("POST", "/v1/channels/one/64/send", #"{"text": "a"}"#, 404),
    .init("POST", "/v1/channels/0/-1/close", 404), .init("POST", "/v1/channels/0/70000/close", 404),
    .init("POST", "/v1/channels/0/64/close", #"{"now": true}"#, 400),
    .init("POST", "/v1/channels/0/64/send", "", 400), .init("POST", "/v1/channels/0/64/send", "{}", 400),
    .init("POST", "/v1/channels/0/64/send", #"{"hex": "0"}"#, 400),
    .init("POST", "/v1/channels/0/64/send", #"{"hex": 1}"#, 400),
    .init("POST", "/v1/channels/0/64/send", #"{"text": 1}"#, 400),
    .init("POST", "/v1/channels/0/64/send", #"{"hex": "00", "text": "a"}"#, 400),
    .init("POST", "/v1/channels/0/64/send", #"{"octets": "00"}"#, 400),
  ])
  func requestIsRefused(_ request: RefusedRequest) async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await lamp.client.request(request.method, request.path, request.body)
      #expect(answer.status == request.status)
      #expect(!answer.error.isEmpty)
    }
  }

  @Test func openChannelsAreListedSentToAndClosed() async throws {
    try await RunningLamp.run { lamp async throws in
      _ = try await publish(lamp, #"{"id": "stream", "mtu": 100, "mps": 50, "handler": {"sink": {"hash": true}}}"#)
      let events = try await lamp.client.events()
      let central = try await lamp.central()
      // LE Credit Based Connection Request: PSM 0x80, source CID 0x50, MTU and MPS 40, 9 credits.
      try await central.send(channel: 5, [0x14, 1, 10, 0, 0x80, 0, 0x50, 0, 40, 0, 40, 0, 9, 0])
      let opened = try #require(await events.next("channel-opened"))
      try await central.send(channel: 0x40, [3, 0, 0x61, 0x62, 0x63])
      var row = try #require(try await list(lamp, "channels").first)
      while row["sink"] == .object(["sdus": .int(0), "octets": .int(0), "sha256": .string(Self.emptySHA256)]) {
        row = try #require(try await list(lamp, "channels").first)
      }
      #expect(row["sink"] == .object(["sdus": .int(1), "octets": .int(3), "sha256": .string(Self.abcSHA256)]))
      #expect(row["connection"] == opened["connection"] && row["channel"] == .int(0x40) && row["id"] == "stream")
      #expect(row["psm"] == .int(0x80) && row["mtu"] == .int(100) && row["mps"] == .int(50))
      #expect(row["peer_mtu"] == .int(40) && row["peer_mps"] == .int(40) && row["peer_credits"] == .int(9))
      #expect(try await list(lamp, "published")[0]["open"] == .int(1))
      guard case .int(let number) = opened["connection"] else { return }
      let path = "/v1/channels/\(number)/64"
      let answer = try await lamp.client.post("\(path)/send", #"{"text": "hi"}"#)
      #expect(answer.status == 202 && answer["octets"] == .int(2))
      #expect(try await central.payload(channel: 0x50, beginning: 2) == [2, 0, 0x68, 0x69])
      let long = try await lamp.client.post("\(path)/send", #"{"hex": "\#(String(repeating: "00", count: 41))"}"#)
      #expect(long.status == 400 && long.error.contains("40 octets"))
      #expect(try await lamp.client.post("\(path)/close").status == 202)
      // Disconnection Request, and its response.
      let request = try await central.payload(channel: 5, beginning: 0x06)
      try await central.send(channel: 5, [0x07, request[1], 4, 0, 0x50, 0, 0x40, 0])
      #expect(await events.next("channel-closed")?["reason"] == "closed here")
      #expect(try await list(lamp, "channels").isEmpty)
      #expect(try await lamp.client.post("\(path)/close").status == 404)
      central.close()
      events.close()
    }
  }

  @Test func aChannelIsOpenedToTheCentral() async throws {
    try await RunningLamp.run { lamp async throws in
      let events = try await lamp.client.events()
      let central = try await lamp.central()
      let path = "/v1/connections/\(central.handle)/channels"
      let answer = try await lamp.client.post(path, #"{"psm": 129, "mtu": 100, "mps": 50, "credits": 7}"#)
      #expect(answer.status == 202 && answer["channels"] == .array([.int(0x40)]) && answer["psm"] == .int(129))
      // LE Credit Based Connection Request: PSM, source, MTU, MPS, credits.
      let request = try await central.payload(channel: 5, beginning: 0x14)
      #expect(Array(request[4...]) == [129, 0, 0x40, 0, 100, 0, 50, 0, 7, 0])
      try await central.send(channel: 5, [0x15, request[1], 10, 0, 0x50, 0, 40, 0, 40, 0, 9, 0, 0, 0])
      let opened = try #require(await events.next("channel-opened"))
      #expect(opened["channel"] == .int(0x40) && opened["incoming"] == .bool(false) && opened["psm"] == .int(129))
      try await central.send(channel: 0x40, [2, 0, 0x68, 0x69])
      #expect(await events.next("sdu")?["hex"] == "6869")
      // The next one is refused.
      #expect(try await lamp.client.post(path, #"{"psm": 130}"#)["channels"] == .array([.int(0x41)]))
      let second = try await central.payload(channel: 5, beginning: 0x14)
      try await central.send(channel: 5, [0x15, second[1], 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0])
      let closed = try #require(await events.next("channel-closed"))
      #expect(closed["channel"] == .int(0x41) && closed["reason"] == "refused with result 0x2")
      central.close()
      events.close()
    }
  }

  @Test func severalChannelsAreOpenedByOneRequest() async throws {
    try await RunningLamp.run { lamp async throws in
      let central = try await lamp.central()
      let path = "/v1/connections/\(central.handle)/channels"
      let answer = try await lamp.client.post(path, #"{"psm": 129, "enhanced": true, "count": 2, "credits": 3}"#)
      #expect(answer.status == 202 && answer["channels"] == .array([.int(0x40), .int(0x41)]))
      let request = try await central.payload(channel: 5, beginning: 0x17)
      #expect(Array(request[4...]) == [129, 0, 0, 8, 0xE8, 3, 3, 0, 0x40, 0, 0x41, 0])
      for (body, field) in [
        ("{}", "psm"), (#"{"psm": 0}"#, "psm"), (#"{"psm": 256}"#, "psm"), (#"{"psm": "x"}"#, "psm"),
        (#"{"psm": 129, "mtu": 22}"#, "mtu"), (#"{"psm": 129, "mps": 65534}"#, "mps"),
        (#"{"psm": 129, "enhanced": true, "mtu": 63}"#, "mtu"), (#"{"psm": 129, "credits": -1}"#, "credits"),
        (#"{"psm": 129, "enhanced": true, "credits": 0}"#, "credits"), (#"{"psm": 129, "enhanced": 1}"#, "enhanced"),
        (#"{"psm": 129, "count": 2}"#, "count"), (#"{"psm": 129, "enhanced": true, "count": 6}"#, "count"),
        (#"{"psm": 129, "colour": 1}"#, "colour"),
      ] {
        let refusal = try await lamp.client.post(path, body)
        #expect(refusal.status == 400 && refusal.error.contains(field), "\(body): \(refusal.error)")
      }
      central.close()
    }
  }

  @Test func aCentralHasAsManyChannelsAsThereAre() async throws {
    try await RunningLamp.run { lamp async throws in
      let central = try await lamp.central()
      let path = "/v1/connections/\(central.handle)/channels"
      for _ in 0..<12 { _ = try await lamp.client.post(path, #"{"psm": 129, "enhanced": true, "count": 5}"#) }
      let last = try await lamp.client.post(path, #"{"psm": 129, "enhanced": true, "count": 5}"#)
      #expect(last.status == 202 && last["channels"] == .array((0x7C...0x7F).map { .int($0) }))
      for body in [#"{"psm": 129}"#, #"{"psm": 129, "enhanced": true}"#] {
        #expect(try await lamp.client.post(path, body).status == 409)
      }
      central.close()
    }
  }

  @Test func somebodyIsAskedForChannels() async throws {
    try await RunningLamp.run { lamp async throws in
      let published = try await publish(lamp, #"{"id": "stream", "authorization": "ask", "handler": "echo"}"#)
      #expect(published.status == 201 && published["authorization"] == "ask")
      let events = try await lamp.client.events()
      let central = try await lamp.central()
      // Enhanced requests for one channel each: PSM 0x80, MTU and MPS 64, 9 credits.
      func request(_ identifier: UInt8, source: UInt8) async throws {
        try await central.send(
          channel: 5, [0x17, identifier, 10, 0, 0x80, 0, 64, 0, 64, 0, 9, 0, source, 0])
        #expect(Array(try await central.payload(channel: 5, beginning: 0x18)[10...]) == [0x0F, 0, 0, 0])
      }
      try await request(1, source: 0x50)
      let question = try #require(await events.next("question"))
      #expect(question["kind"] == "channels" && question["psm"] == .int(0x80) && question["channels"] == .int(1))
      guard case .int(let ticket) = question["ticket"] else { return }
      let path = "/v1/questions/\(ticket)/answer"
      for body in [#"{"hex": "00"}"#, #"{"error": 6}"#] {
        #expect(try await lamp.client.post(path, body).status == 400)
      }
      #expect(try await lamp.client.post(path, #"{"accept": true}"#).status == 200)
      #expect(Array(try await central.payload(channel: 5, beginning: 0x18)[10...]) == [0, 0, 0x40, 0])
      #expect(await events.next("channel-opened")?["incoming"] == .bool(true))
      // A decision for all answers the waiting request: connections refused, insufficient authorization.
      try await request(2, source: 0x51)
      #expect(await events.next("question") != nil)
      let denied = try await lamp.client.put("/v1/published/stream/authorization", #"{"state": "denied"}"#)
      #expect(denied.status == 200 && denied["state"] == "denied")
      #expect(Array(try await central.payload(channel: 5, beginning: 0x18)[10...]) == [6, 0, 0, 0])
      #expect(try await list(lamp, "published")[0]["authorization"] == "denied")
      // From now on there are no questions, and the basic request opens nothing either.
      try await central.send(channel: 5, [0x14, 3, 10, 0, 0x80, 0, 0x52, 0, 40, 0, 40, 0, 9, 0])
      #expect(Array(try await central.payload(channel: 5, beginning: 0x15)[12...]) == [6, 0])
      _ = try await lamp.client.put("/v1/published/stream/authorization", #"{"state": "granted"}"#)
      try await central.send(channel: 5, [0x14, 4, 10, 0, 0x80, 0, 0x52, 0, 40, 0, 40, 0, 9, 0])
      #expect(Array(try await central.payload(channel: 5, beginning: 0x15)[12...]) == [0, 0])
      central.close()
      events.close()
    }
  }

  // FIPS 180-2 B.1, and the hash of no data.
  private static let abcSHA256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  private static let emptySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
}
