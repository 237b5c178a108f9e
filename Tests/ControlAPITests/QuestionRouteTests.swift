import AccessoryProfile
import Testing

@Suite struct QuestionRouteTests {
  /// Questions to answer, and delayed answers.
  static let profile = """
    understudy: 1
    name: Safe
    identity: { address: static }
    services:
      - id: safe
        uuid: FFF0
        characteristics:
          - { id: code, uuid: FFF1, properties: [read], format: u16, value: 1, on-read: { ask: true, else: 0x85 } }
          - id: lock
            uuid: FFF2
            properties: [read, write]
            format: u8
            value: 7
            on-write: [ { otherwise: [], ask: true } ]
          - { id: slow, uuid: FFF3, properties: [read], value: hex:0102, on-read: { after: 10 ms } }
          - { id: quick, uuid: FFF4, properties: [read], value: hex:00, on-read: { ask: true, within: 10 ms } }
          - { id: secret, uuid: FFF5, properties: [read], value: hex:2a, authorization: ask }
    """

  private func questions(_ lamp: RunningLamp) async throws -> [[String: ProfileValue]] {
    guard case .array(let rows) = try await lamp.client.get("/v1/questions")["questions"] else { return [] }
    return rows.compactMap { row in if case .object(let fields) = row { fields } else { nil } }
  }

  /// Sends a request for a characteristic: opcode, value handle, value.
  private func send(
    _ opcode: UInt8, _ id: String, _ value: [UInt8] = [], to lamp: RunningLamp, from central: Central
  ) async throws {
    let handle = try await lamp.valueHandle(id)
    try await central.send([opcode, UInt8(handle & 0xFF), UInt8(handle >> 8)] + value)
  }

  private func answer(_ ticket: ProfileValue?, _ body: String, _ lamp: RunningLamp) async throws -> Answer {
    guard case .int(let number) = ticket else { throw SocketFailure(what: "no ticket") }
    return try await lamp.client.post("/v1/questions/\(number)/answer", body)
  }

  @Test func aReadWaitsForItsAnswer() async throws {
    try await RunningLamp.run(Self.profile) { safe async throws in
      let events = try await safe.client.events()
      let central = try await safe.central()
      #expect(try await questions(safe).isEmpty)
      try await send(0x0A, "code", to: safe, from: central)
      let question = try #require(await events.next("question"))
      #expect(question["kind"] == "read" && question["characteristic"] == "code" && question["uuid"] == "FFF1")
      #expect(question["connection"] == .int(Int64(central.handle)))
      guard case .double(let deadline) = question["deadline"], case .double(let time) = question["time"] else {
        throw SocketFailure(what: "no deadline")
      }
      #expect(deadline - time > 24 && deadline - time <= 25.001)
      let listed = try #require(try await questions(safe).first)
      #expect(listed["ticket"] == question["ticket"] && listed["characteristic"] == "code" && listed["kind"] == "read")
      for body in [
        "", "{}", "5", #"{"value": 1, "hex": "00"}"#, #"{"value": 65536}"#, #"{"hex": "0"}"#,
        #"{"accept": true}"#, #"{"accept": 1}"#, #"{"error": 0}"#, #"{"error": "none"}"#, #"{"error": true}"#,
        #"{"other": 1}"#,
      ] {
        let refusal = try await answer(question["ticket"], body, safe)
        #expect(refusal.status == 400 && !refusal.error.isEmpty, "\(body)")
      }
      #expect(try await answer(question["ticket"], #"{"value": 513}"#, safe).status == 200)
      #expect(try await central.payload(channel: 4, beginning: 0x0B) == [0x0B, 1, 2])
      let end = try #require(await events.next("question-ended"))
      #expect(end["ticket"] == question["ticket"] && end["end"] == "answered" && end["answer"] == "0102")
      let late = try await answer(question["ticket"], #"{"value": 513}"#, safe)
      #expect(late.status == 409 && late.error.contains("it was answered"))
      #expect(try await questions(safe).isEmpty)
      central.close()
      events.close()
    }
  }

  @Test(
    arguments: [
      (#"{"accept": true}"#, [0x13], 9), (#"{"accept": false}"#, [0x01, 0x12, 0x0E], 7),
      (#"{"error": "value-not-allowed"}"#, [0x01, 0x12, 0x13], 7), (#"{"error": "0x83"}"#, [0x01, 0x12, 0x83], 7),
      (#"{"error": 128}"#, [0x01, 0x12, 0x80], 7),
    ] as [(String, [UInt8], Int64)])
  func aWriteIsDecided(body: String, reply: [UInt8], value: Int64) async throws {
    try await RunningLamp.run(Self.profile) { safe async throws in
      let events = try await safe.client.events()
      let central = try await safe.central()
      try await send(0x12, "lock", [9], to: safe, from: central)
      let question = try #require(await events.next("question"))
      #expect(question["kind"] == "write" && question["hex"] == "09" && question["value"] == .int(9))
      #expect(try await answer(question["ticket"], body, safe).status == 200)
      let pdu = try await central.payload(channel: 4, beginning: reply[0])
      // An Error Response has the request, its handle and the code.
      #expect(reply == (pdu[0] == 1 ? [pdu[0], pdu[1], pdu[4]] : pdu))
      #expect(try await safe.client.get("/v1/characteristics/lock/value")["value"] == .int(value))
      central.close()
      events.close()
    }
  }

  @Test func aDelayIsNoQuestion() async throws {
    try await RunningLamp.run(Self.profile) { safe async throws in
      let central = try await safe.central()
      try await send(0x0A, "slow", to: safe, from: central)
      #expect(try await central.payload(channel: 4, beginning: 0x0B) == [0x0B, 1, 2])
      #expect(try await safe.client.get("/v1/characteristics/slow/value")["hex"] == "0102")
      #expect(try await safe.client.post("/v1/questions/1/answer", #"{"hex": "00"}"#).status == 404)
      central.close()
    }
  }

  @Test func whatNobodyAnswersTimesOut() async throws {
    try await RunningLamp.run(Self.profile) { safe async throws in
      let events = try await safe.client.events()
      let central = try await safe.central()
      try await send(0x0A, "quick", to: safe, from: central)
      let error = try await central.payload(channel: 4, beginning: 0x01)
      #expect(error[1] == 0x0A && error[4] == 0x0E)
      let end = try #require(await events.next("question-ended"))
      #expect(end["end"] == "timed-out" && end["error"] == "Unlikely Error (0x0E)")
      let late = try await answer(end["ticket"], #"{"hex": "00"}"#, safe)
      #expect(late.status == 409 && late.error.contains("nobody answered in time"))
      central.close()
      events.close()
    }
  }

  @Test func aQuestionEndsWhenItsCentralLeaves() async throws {
    try await RunningLamp.run(Self.profile) { safe async throws in
      let events = try await safe.client.events()
      let central = try await safe.central()
      try await send(0x0A, "code", to: safe, from: central)
      let question = try #require(await events.next("question"))
      #expect(try await safe.client.post("/v1/connections/\(central.handle)/disconnect").status == 202)
      #expect(await events.next("question-ended")?["end"] == "client-gone")
      #expect(try await answer(question["ticket"], #"{"value": 1}"#, safe).status == 409)
      central.close()
      events.close()
    }
  }

  @Test func authorizationIsAskedOnce() async throws {
    try await RunningLamp.run(Self.profile) { safe async throws in
      let events = try await safe.client.events()
      let central = try await safe.central()
      try await send(0x0A, "secret", to: safe, from: central)
      let question = try #require(await events.next("question"))
      #expect(question["kind"] == "authorization" && question["operation"] == "read")
      #expect(question["characteristic"] == "secret")
      #expect(try await answer(question["ticket"], #"{"hex": "00"}"#, safe).status == 400)
      #expect(try await answer(question["ticket"], #"{"accept": true}"#, safe).status == 200)
      #expect(try await central.payload(channel: 4, beginning: 0x0B) == [0x0B, 0x2A])
      try await send(0x0A, "secret", to: safe, from: central)
      #expect(try await central.payload(channel: 4, beginning: 0x0B) == [0x0B, 0x2A])
      let path = "/v1/characteristics/secret/authorization"
      #expect(try await safe.client.put(path, #"{"state": "denied"}"#)["characteristic"] == "secret")
      try await send(0x0A, "secret", to: safe, from: central)
      #expect(try await central.payload(channel: 4, beginning: 0x01).last == 0x08)
      #expect(try await safe.client.put("/v1/characteristics/code/authorization", #"{"state": "ask"}"#).status == 400)
      central.close()
      events.close()
    }
  }

  @Test(arguments: [
    RefusedRequest("POST", "/v1/questions", 405), .init("GET", "/v1/questions/1/answer", 405),
    .init("GET", "/v1/questions/1", 404), .init("POST", "/v1/questions/1/answer", #"{"accept": true}"#, 404),
    .init("POST", "/v1/questions/one/answer", #"{"accept": true}"#, 404),
    .init("POST", "/v1/questions/-1/answer", #"{"accept": true}"#, 404),
    .init("POST", "/v1/questions/99999999999999999999999/answer", #"{"accept": true}"#, 404),
  ])
  func requestIsRefused(_ request: RefusedRequest) async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await lamp.client.request(request.method, request.path, request.body)
      #expect(answer.status == request.status)
      #expect(!answer.error.isEmpty)
    }
  }
}
