import AccessoryProfile
import BLEHCI
import Foundation
import Testing
import Understudy

@Suite("The list of events")
struct EventCatalogueTests {
  @Test("Each name occurs once, and so does each field of an event")
  func names() throws {
    let names = EventCatalogue.all.flatMap(\.events).map(\.name)
    #expect(Set(names).count == names.count)
    #expect(EventCatalogue.schema["oneOf"]?.elements.count == names.count)
  }

  @Test("Mistakes are found: a name, a field, a kind, or a missing field")
  func mistakes() {
    for (fields, count) in [
      (["event": .string("left"), "controller": .string("tcp-1")], 0),
      (["event": .string("left")], 1), (["event": .string("left"), "controller": .int(1)], 1),
      (["event": .string("left"), "controller": .string("x"), "place": .string("y")], 1),
      (["event": .string("gone")], 1),
      (["event": .string("http"), "host": .string("::1"), "port": .double(1.5)], 1),
    ] as [([String: ProfileValue], Int)] {
      #expect(EventSchema.mistakes(in: .object(fields)).count == count)
    }
  }

  @Test(
    "Events of the radio, and the event for lost events, match the list",
    arguments: [
      RadioEvent.joined(name: "tcp-1", place: "p"), .left(name: "tcp-1"), .turnedAway(place: "p"),
      .lineRefused(name: "tcp-1", LineRefusal(place: "p", reason: .foreign(.http))),
      .lineRefused(name: "tcp-1", LineRefusal(place: "p", reason: .silent)), .listeningPaused(place: "p"),
      .listeningResumed(place: "p"), .captureFailed(reason: "r"),
    ])
  func radio(_ event: RadioEvent) {
    #expect(EventSchema.mistakes(in: event.json) == [])
    #expect(EventSchema.mistakes(in: LostEvents(count: 1).json) == [])
  }

  @Test("Unwanted events are filtered out, and unknown names are refused")
  func filter() throws {
    func event(_ name: String) -> ProfileValue { .object(["event": .string(name)]) }
    let filter = try EventFilter(leavingOut: "advertising,notified")
    for name in ["advertising-started", "advertising-ready", "advertisement", "notified"] {
      #expect(!filter.passes(event(name)))
    }
    for name in ["connected", "notification-dropped", "lost"] { #expect(filter.passes(event(name))) }
    #expect(try EventFilter(leavingOut: "").passes(event("notified")))
    #expect(throws: EventFilter.ParseError.self) { try EventFilter(leavingOut: "left,notify") }
  }

  @Test("docs/events.md is generated from the list: run `make generate`")
  func document() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    #expect(try String(contentsOf: root.appending(path: "docs/events.md"), encoding: .utf8) == EventCatalogue.markdown)
  }
}
