import AccessoryProfile
import Testing
import Transport
import Understudy

@testable import ControlAPI

@Suite("Several accessories over HTTP", .timeLimit(.minutes(20)))
struct GroupRouteTests {
  /// Runs `body` with lamps on one air and their control API.
  private func withLamps(_ count: Int = 2, _ body: (AccessoryGroup, HTTPClient) async throws -> Void) async throws {
    let loop = try PollLoop(name: "lamps")
    try loop.start()
    defer { loop.stop() }
    let radio = RadioHub(loop: loop)
    _ = try await radio.openPort()
    let profile = try Profile.load(text: RunningLamp.profile, file: "floor lamp.yaml")
    let plans = try AccessoryPlan.plans(for: Array(repeating: profile, count: count))
    let group = try AccessoryGroup(plans, loop: loop, radio: radio)
    let events = await group.events()
    try await group.start()
    var onAir: Set<String> = []
    for await event in events {
      if case .ready = event.event.kind { onAir.insert(try #require(event.accessory)) }
      if onAir.count == count { break }
    }
    try await RunningLamp.serve(.group(group)) { try await body(group, HTTPClient(port: $0.port)) }
    await group.stop()
    _ = await group.end()
    await radio.close()
  }

  private func rows(_ value: ProfileValue?) -> [[String: ProfileValue]] {
    guard case .array(let list) = value else { return [] }
    return list.compactMap { row in if case .object(let fields) = row { fields } else { nil } }
  }

  @Test("The list contains their names and paths")
  func list() async throws {
    try await withLamps { _, client async throws in
      let list = rows(try await client.get("/v1/accessories")["accessories"])
      #expect(list.map { $0["id"] } == ["floor lamp", "floor lamp-2"])
      #expect(list.map { $0["path"] } == ["/v1/accessories/floor%20lamp", "/v1/accessories/floor%20lamp-2"])
      #expect(list.map { $0["name"] } == ["Lamp", "Lamp"])
      #expect(Set(list.map { $0["address"] }).count == 2)
      for row in list {
        guard case .string(let path) = row["path"] else { continue }
        let state = try await client.get(path)
        #expect(state.status == 200 && state["address"] == row["address"])
      }
    }
  }

  @Test("Everything of an accessory is below its path, and does not affect others")
  func members() async throws {
    try await withLamps { _, client async throws in
      let (first, second) = ("/v1/accessories/floor%20lamp", "/v1/accessories/floor%20lamp-2")
      #expect(try await client.put("\(first)/characteristics/level/value", "42").status == 200)
      #expect(try await client.get("\(first)/characteristics/level/value")["hex"] == "2a")
      #expect(try await client.get("\(second)/characteristics/level/value")["hex"] == "07")
      for part in ["characteristics", "advertising", "channels", "published", "notifications"] {
        #expect(try await client.get("\(second)/\(part)").status == 200, "\(part)")
      }
      #expect(try await client.get("/v1/radio").status == 200)
    }
  }

  @Test(
    "An unknown accessory is refused, with the existing ones",
    arguments: [
      ("GET", "/v1/accessory", 400), ("GET", "/v1/characteristics", 400),
      ("PUT", "/v1/characteristics/level/value", 400),
      ("GET", "/v1/channels", 400), ("GET", "/v1/accessories/lamp", 404),
      ("GET", "/v1/accessories/lamp/advertising", 404),
    ])
  func ambiguous(method: String, path: String, status: Int) async throws {
    try await withLamps { _, client async throws in
      let answer = try await client.request(method, path)
      #expect(answer.status == status && answer.error.contains("floor lamp, floor lamp-2"))
    }
  }

  @Test(
    "Paths that are not below an accessory's",
    arguments: [
      ("GET", "/v1/accessories/floor%20lamp/radio", 404), ("GET", "/v1/accessories/floor%20lamp/accessories", 404),
      ("GET", "/v1/accessories/floor%20lamp/accessories/floor%20lamp", 404), ("GET", "/v1/accessories/", 404),
      ("POST", "/v1/accessories", 405), ("PUT", "/v1/accessories/floor%20lamp", 405),
    ])
  func nothing(method: String, path: String, status: Int) async throws {
    try await withLamps { _, client async throws in #expect(try await client.request(method, path).status == status) }
  }

  @Test("The stream has the events of all with their names, and a member's stream only its own")
  func events() async throws {
    try await withLamps { _, client async throws in
      let (all, own) = (
        try await client.events(), try await client.events("/v1/accessories/floor%20lamp-2/events")
      )
      for path in ["/v1/accessories/floor%20lamp", "/v1/accessories/floor%20lamp-2"] {
        #expect(try await client.post("\(path)/advertising/main/stop").status == 202)
      }
      #expect(await all.next("advertising-stopped")?["accessory"] == "floor lamp")
      #expect(await all.next("advertising-stopped")?["accessory"] == "floor lamp-2")
      let event = try #require(await own.next("advertising-stopped"))
      #expect(event["accessory"] == nil && event["set"] == "main")
      all.close()
      own.close()
    }
  }

  @Test("A group of one also has the paths of an accessory")
  func alone() async throws {
    try await withLamps(1) { _, client async throws in
      #expect(try await client.get("/v1/accessory")["name"] == "Lamp")
      #expect(rows(try await client.get("/v1/accessories")["accessories"]).map { $0["id"] } == ["floor lamp"])
      let events = try await client.events()
      #expect(try await client.post("/v1/advertising/main/stop").status == 202)
      #expect(await events.next("advertising-stopped")?["accessory"] == nil)
      events.close()
    }
  }

  @Test("An accessory that is served alone is in the list; a radio alone has none")
  func subjects() async throws {
    try await RunningLamp.run { lamp async throws in
      #expect(rows(try await lamp.client.get("/v1/accessories")["accessories"]).map { $0["id"] } == ["profile"])
      #expect(try await lamp.client.get("/v1/accessories/profile/characteristics").status == 200)
    }
    let loop = try PollLoop(name: "radio")
    try loop.start()
    defer { loop.stop() }
    let radio = RadioHub(loop: loop)
    try await RunningLamp.serve(.radio(radio)) { address async throws in
      let client = HTTPClient(port: address.port)
      #expect(try await client.get("/v1/accessories")["accessories"] == .array([]))
      #expect(try await client.get("/v1/accessories/lamp").error.contains("only the virtual radio"))
      #expect(try await client.get("/v1/accessory").error.contains("only the virtual radio"))
    }
    await radio.close()
  }

  @Test(
    "Names as segments", arguments: [("heart-rate_2.x~", "heart-rate_2.x~"), ("a/b?", "a%2fb%3f"), ("é ", "%c3%a9%20")])
  func encoding(name: String, segment: String) {
    #expect(PercentEncoding.encode(name) == segment && PercentEncoding.decode(segment[...]) == name)
  }
}
