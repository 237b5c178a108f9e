import AccessoryProfile
import BLECore
import HTTPTypes
import Hummingbird
import Understudy

extension RouteTable {
  private static let numbered = Shape.object(
    .needed("id", .integer(1...Int64.max), "its number, as the `id` in the stream"),
    .needed("event", .open(.needed("event", .text)), "the [event](events.md)"))
  private static let without = Shape.Field.optional(
    "without", .text, "events to leave out, by name, separated by commas; `advertising` means all advertising events")
  private static let after = Shape.Field.optional(
    "after", .integer(0...Int64.max),
    "the `id` after which to start, 0 for everything that is kept; the same as the header `Last-Event-ID`")
  private static let names = EventCatalogue.all.flatMap(\.events).map(\.name).filter { $0 != "lost" }

  static let events: [Route] = [
    Route(
      .get, "events", of: .accessories, "everything that happens, as server-sent events with their numbers as `id`",
      query: [without, after], .events, refusals: [.tooManyStreams]
    ) { call async throws(Refusal) in
      let filter: EventFilter
      do throws(EventFilter.ParseError) { filter = try EventFilter(leavingOut: call.query["without"] ?? "") } catch {
        throw Refusal(.badRequest, "\(error)")
      }
      let journal = try await call.journal()
      let header = call.request.headers[.lastEventID].flatMap { Int($0) }
      let place = call.query["after"].flatMap { Int($0) } ?? header ?? journal.last
      return try call.service.streams.response(to: call.request, journal, after: place, filter)
    },
    Route(
      .post, "expectations", of: .accessories,
      "waits until the expected events have happened, and returns them; see [below](#expectations)",
      body: .fields(
        .optional("event", .words(names), "the event's name"), .optional("connection", .number16),
        .optional("characteristic", .text(atLeast: 1), "its id"),
        .optional("value", .any, "the event's `value`; for an object, only the fields to compare"),
        .optional("hex", .hex, "the event's `hex`"),
        .optional("fields", .map(.any), "any other fields of the event, such as `{\"code\": 8}`"),
        .optional("count", .integer(1...1000), "the number of such events; default 1"),
        .optional("none", .truth, "true if no such event may happen"),
        .optional(
          "within", .duration, "how long to wait, in real time, up to 10 min; default `3 s`, or `500 ms` with `none`"),
        .optional(
          "from", .integer(0...Int64.max),
          "the `id` after which to search; default: the `last` of the previous expectation, or now")),
      .json(
        .object(
          .needed("events", .list(numbered)),
          .needed("last", .integer(0...Int64.max), "the `id` of the last event that was searched"))),
      refusals: [.notHappened, .happened, .tooManyStreams, .ending]
    ) { call async throws(Refusal) in try await expect(call) },
    Route(
      .get, "packets",
      "every packet between host and controller, decoded, as the event `packet` with the fields of "
        + "`understudy capture --json`",
      query: [
        .optional("filter", .text, "a filter, as for [captures](capture.md)"),
        .optional("tree", .words(["true", "false"]), "`true` for all fields, as `layers`"),
      ], .events, refusals: [.tooManyStreams]
    ) { call async throws(Refusal) in
      try await PacketResponses(accessory: try call.accessory(), streams: call.service.streams).packets(call)
    },
    Route(
      .get, "capture",
      "the same packets as a btsnoop file that grows until you stop: `curl -o now.btsnoop "
        + "localhost:8080/v1/capture`",
      .file(PacketResponses.captureType), refusals: [.tooManyStreams]
    ) { call async throws(Refusal) in
      try await PacketResponses(accessory: try call.accessory(), streams: call.service.streams).capture(call.request)
    },
    Route(
      .get, "ring", "the last packets that `--ring` keeps, as a pcapng file", .file(PacketResponses.captureType),
      refusals: [.noRing]
    ) { call async throws(Refusal) in
      try await PacketResponses(accessory: try call.accessory(), streams: call.service.streams).ring()
    },
    Route(
      .post, "ring", "saves these packets in a file", body: .nothing,
      .json(.object(.needed("path", .text), .needed("packets", .count))), refusals: [.noRing, .notKept]
    ) { call async throws(Refusal) in
      try await PacketResponses(accessory: try call.accessory(), streams: call.service.streams).saveRing()
    },
  ]

  private static func expect(_ call: RouteCall) async throws(Refusal) -> Response {
    let journal = try await call.journal()
    let expectation = try expectation(call, journal)
    let streams = call.service.streams
    try streams.takeSlot()
    let outcome = await expectation.outcome(in: journal, until: [streams.shutdown, call.closing])
    streams.slots.giveBack()
    let hasAll = outcome.found.count == expectation.count
    guard hasAll != expectation.isNone else { throw refusal(expectation, outcome) }
    journal.give(outcome.last)
    return .json(
      .object([
        "events": .array(outcome.found.map(\.numbered)), "last": .int(Int64(outcome.last)),
      ]))
  }

  private static func expectation(_ call: RouteCall, _ journal: EventJournal) throws(Refusal) -> Expectation {
    var fields: [String: ProfileValue] = [:]
    if case .object(let others) = call.fields["fields"] { fields = others }
    for name in ["event", "connection", "characteristic", "value"] {
      guard let value = call.fields[name] else { continue }
      guard fields.updateValue(value, forKey: name) == nil else { throw Refusal(.badRequest, "\(name) is given twice") }
    }
    let (isNone, octets) = (call.flag("none") ?? false, call.octets("hex"))
    guard !fields.isEmpty || octets != nil else {
      throw Refusal(.badRequest, "nothing is expected: event, or another field of one, is missing")
    }
    guard !isNone || call.integer("count") == nil else {
      throw Refusal(.badRequest, "count cannot be combined with none")
    }
    let limit = call.text("within").flatMap { Durations.parse($0) } ?? (isNone ? .milliseconds(500) : .seconds(3))
    let longest = call.service.streams.limits.expectation
    guard limit <= longest || call.text("within") == nil else {
      throw Refusal(.badRequest, "within must be at most \(longest / .seconds(1)) s")
    }
    return Expectation(
      fields: fields, octets: octets, count: call.integer("count") ?? 1, isNone: isNone, limit: min(limit, longest),
      place: call.integer("from") ?? journal.lastGiven ?? journal.last)
  }

  /// Returns the refusal for an expectation that was not met, with what has happened.
  private static func refusal(_ expectation: Expectation, _ outcome: Expectation.Outcome) -> Refusal {
    var refusal: Refusal
    if expectation.isNone {
      refusal = Refusal(.happened, "an event happened that must not happen")
    } else if outcome.isOver {
      refusal = Refusal(.notHappened, "the expected event has not happened, and the accessory has ended")
    } else {
      let found = outcome.found.isEmpty ? "not" : "only \(outcome.found.count) of \(expectation.count) times"
      refusal = Refusal(.notHappened, "the expected event has \(found) happened in time")
    }
    refusal.details = [
      "events": .array(outcome.found.map(\.numbered)), "transcript": .array(outcome.transcript.map(\.numbered)),
      "lost": .int(Int64(outcome.lost)), "last": .int(Int64(outcome.last)),
    ]
    return refusal
  }
}

extension RouteCall {
  /// Returns the journal of the accessory that the path names, or of all.
  func journal() async throws(Refusal) -> EventJournal {
    if names["accessory"] == nil, let group = service.subject.group {
      return await service.journals.journal(of: group)
    }
    return await service.journals.journal(of: try accessory())
  }
}

extension HTTPField.Name {
  /// The last event that the client of a stream has received (HTML Living Standard 9.2.4).
  fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .origin
}
