import AccessoryProfile
import Testing
import Understudy

@testable import ControlAPI

@Suite(.timeLimit(.minutes(20))) struct ExpectationRouteTests {
  private func expect(_ lamp: RunningLamp, _ body: String) async throws -> Answer {
    try await lamp.client.post("/v1/expectations", body)
  }

  private func events(_ answer: Answer) -> [[String: ProfileValue]] {
    guard case .array(let list) = answer["events"] else { return [] }
    return list.compactMap { numbered in
      guard case .object(let fields) = numbered, case .object(let event) = fields["event"] else { return nil }
      return event
    }
  }

  @Test func eventsAreAwaited() async throws {
    try await RunningLamp.run { lamp async throws in
      let (handle, central) = (try await lamp.valueHandle("level"), try await lamp.central())
      let from = try await expect(lamp, #"{"event": "connected", "from": 0}"#)["last"] ?? .null
      async let waiting = expect(
        lamp, #"{"event": "write", "characteristic": "level", "value": 9, "from": \#(from), "within": "1 min"}"#)
      for level: UInt8 in [8, 9] {
        try await central.send([0x12, UInt8(handle & 0xFF), UInt8(handle >> 8), level])
        _ = try await central.payload(channel: 0x04, beginning: 0x13)
      }
      let answer = try await waiting
      #expect(answer.status == 200 && events(answer).map { $0["hex"] } == ["09"])
      #expect(try await lamp.client.get("/v1/characteristics/level/value")["value"] == .int(9))
      central.close()
    }
  }

  /// Nothing is missed between two calls: the next one searches after the last returned event.
  @Test func expectationsFollowEachOther() async throws {
    try await RunningLamp.run { lamp async throws in
      let stopped = try await lamp.client.post("/v1/advertising/second/stop")
      #expect(stopped.status == 202)
      let first = try await expect(lamp, #"{"event": "advertising-stopped", "fields": {"set": "second"}, "from": 0}"#)
      #expect(first.status == 200 && events(first).first?["set"] == "second")
      for verb in ["start", "stop", "start"] { _ = try await lamp.client.post("/v1/advertising/second/\(verb)") }
      let both = try await expect(lamp, #"{"event": "advertising-started", "count": 2}"#)
      #expect(both.status == 200 && events(both).map { $0["set"] } == ["second", "second"])
      // These events are already past.
      let none = try await expect(lamp, #"{"event": "advertising-started", "none": true, "within": "1 ms"}"#)
      #expect(none.status == 200 && none["events"] == .array([]))
    }
  }

  @Test func whatDidNotHappenIsToldWithWhatDid() async throws {
    try await RunningLamp.run { lamp async throws in
      _ = try await lamp.client.post("/v1/advertising/second/stop")
      _ = try await expect(lamp, #"{"event": "advertising-stopped", "from": 0}"#)
      let missed = try await expect(lamp, #"{"event": "connected", "from": 0, "within": "1 ms"}"#)
      #expect(missed.status == 408 && missed["code"] == "not-happened" && missed["lost"] == .int(0))
      guard case .array(let transcript) = missed["transcript"] else { return #expect(Bool(false)) }
      #expect("\(transcript)".contains("advertising-stopped"))
      let happened = try await expect(
        lamp, #"{"event": "advertising-stopped", "none": true, "from": 0, "within": "1 min"}"#)
      #expect(happened.status == 409 && happened["code"] == "happened" && events(happened).count == 1)
    }
  }

  /// A pending expectation is answered when the accessory or the server ends.
  @Test func theEndEndsWaiting() async throws {
    try await RunningLamp.run { lamp async throws in
      async let waiting = expect(lamp, #"{"event": "connected", "within": "10 min"}"#)
      await lamp.accessory.stop()
      let answer = try await waiting
      #expect(answer.status == 408 && answer.error.contains("the accessory has ended"))
    }
  }

  @Test(arguments: [
    ("", "nothing is expected"), ("{}", "nothing is expected"), (#"{"event": "conected"}"#, "event must be"),
    (#"{"event": "connected", "within": "11 min"}"#, "within must be at most"),
    (#"{"event": "connected", "within": 5}"#, "within must be a time"),
    (#"{"event": "connected", "none": true, "count": 2}"#, "count cannot be combined with none"),
    (#"{"event": "connected", "fields": {"event": "write"}}"#, "event is given twice"),
    (#"{"event": "connected", "count": 0}"#, "count must be"), (#"{"event": "connected", "hex": "0"}"#, "hex must be"),
  ])
  func mistakesAreNamed(body: String, sentence: String) async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await expect(lamp, body)
      #expect(
        answer.status == 400 && answer["code"] == "bad-request" && answer.error.contains(sentence), "\(answer.error)")
    }
  }

  @Test(arguments: [
    (#"{"a": 1, "b": {"x": 1, "y": [1, 2]}}"#, #"{"b": {"y": [1, 2]}}"#, true),
    (#"{"a": 1}"#, #"{"a": 1.0}"#, true), (#"{"a": 1}"#, #"{"a": true}"#, false), (#"{"a": 1}"#, #"{"b": null}"#, true),
    (#"{"a": [1, 2]}"#, #"{"a": [1]}"#, false), (#"{"a": "x"}"#, #"{"a": "y"}"#, false), (#"{}"#, #"{"a": 1}"#, false),
  ])
  func fieldsFit(event: String, wanted: String, fits: Bool) throws {
    guard case .object(let fields) = try ProfileValue(json: Array(wanted.utf8)) else { return }
    let expectation = Expectation(fields: fields, limit: .zero, place: 0)
    #expect(expectation.fits(try ProfileValue(json: Array(event.utf8))) == fits)
  }

  @Test func streamsBeginWhereTheyAreWanted() async throws {
    try await RunningLamp.run { lamp async throws in
      for verb in ["stop", "start"] { _ = try await lamp.client.post("/v1/advertising/second/\(verb)") }
      _ = try await expect(lamp, #"{"event": "advertising-started", "from": 0}"#)
      let all = try await lamp.client.events("/v1/events?after=0")
      let stopped = try #require(await all.next("advertising-stopped"))
      let id = try #require(stopped.id)
      var client = lamp.client
      client.headers["Last-Event-ID"] = "\(id)"
      let rest = try await client.events()
      var iterator = rest.messages.makeAsyncIterator()
      #expect(await iterator.next()?.id == id + 1)
      #expect(try await lamp.client.get("/v1/events?after=x").status == 400)
      #expect(try await lamp.client.get("/v1/events?before=1")["code"] == "bad-request")
      #expect(try await lamp.client.get("/v1/events?after=1&after=2").status == 400)
      all.close()
      rest.close()
    }
  }
}
