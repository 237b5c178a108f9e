import AccessoryProfile
import Testing
import Understudy

@testable import ControlAPI

@Suite struct EventStreamTests {
  @Test func headSaysWhatComes() async throws {
    try await RunningLamp.run { lamp async throws in
      let events = try await lamp.client.events()
      #expect(events.head.hasPrefix("http/1.1 200 "))
      #expect(events.head.contains("content-type: text/event-stream"))
      #expect(events.head.contains("cache-control: no-store"))
      events.close()
    }
  }

  @Test func everyReaderGetsEveryEvent() async throws {
    try await RunningLamp.run { lamp async throws in
      let readers = [try await lamp.client.events(), try await lamp.client.events()]
      #expect(try await lamp.client.post("/v1/advertising/main/stop").status == 202)
      for reader in readers {
        let event = try #require(await reader.next("advertising-stopped"))
        #expect(event["event"] == "advertising-stopped")
        #expect(event["set"] == "main")
        #expect(event["time"]?.number ?? 0 > 0)
        reader.close()
      }
    }
  }

  @Test func heartbeatsAreComments() async throws {
    try await RunningLamp.run(limits: ControlLimits(heartbeat: .milliseconds(1))) { lamp async throws in
      let events = try await lamp.client.events()
      var iterator = events.messages.makeAsyncIterator()
      for _ in 0..<3 {
        let message = try #require(await iterator.next())
        #expect(message.comment == "heartbeat")
        #expect(message.name == nil)
      }
      events.close()
    }
  }

  @Test func streamEndsWithTheAccessory() async throws {
    try await RunningLamp.run { lamp async throws in
      let events = try await lamp.client.events()
      await lamp.accessory.stop()
      #expect(await events.next("stopped") != nil)
      #expect(await events.next("anything more") == nil)
      // A later client gets the end at once.
      let late = try await lamp.client.events()
      #expect(await late.next("anything") == nil)
    }
  }

  /// A client that has disconnected leaves nothing behind: canceling the server would wait for it.
  @Test func clientsMayGo() async throws {
    try await RunningLamp.run { lamp async throws in
      for _ in 0..<5 { try await lamp.client.events().close() }
      #expect(try await lamp.client.get("/v1/accessory").status == 200)
    }
  }

  @Test func streamEndsWithTheServer() async throws {
    var open: EventClient?
    try await RunningLamp.run { lamp in open = try await lamp.client.events() }
    #expect(await open?.next("anything") == nil)
  }

  /// The command line ends the server as soon as the accessory has ended; clients still receive that event.
  @Test func lastEventsComeBeforeTheEndOfTheServer() async throws {
    var open: EventClient?
    try await RunningLamp.run { lamp async throws in
      open = try await lamp.client.events()
      await lamp.accessory.stop()
      _ = await lamp.accessory.end()
    }
    #expect(await open?.next("stopped") != nil)
  }
}
