import AccessoryProfile
import BLECore
import Testing
import Understudy

/// Tests that need a connected central.
@Suite struct CentralTests {
  @Test(arguments: [("notify", 0x01, 0x1B), ("indicate", 0x02, 0x1D)] as [(String, UInt8, UInt8)])
  func subscriberGetsWhatIsPushed(verb: String, bits: UInt8, opcode: UInt8) async throws {
    try await RunningLamp.run { lamp async throws in
      let handle = try await lamp.valueHandle("level")
      let central = try await lamp.central()
      try await central.subscribe(handle + 1, bits)
      let answer = try await lamp.client.post("/v1/characteristics/level/\(verb)")
      #expect(answer.status == 200)
      let pdu = try await central.payload(channel: 0x04, beginning: opcode)
      #expect(pdu == [opcode, UInt8(handle & 0xFF), UInt8(handle >> 8), 7])
      central.close()
    }
  }

  @Test func eventsTellOfCentralAndChange() async throws {
    try await RunningLamp.run { lamp async throws in
      let events = try await lamp.client.events()
      let central = try await lamp.central()
      let connected = try #require(await events.next("connected"))
      #expect(connected["peer"] == "F0:00:00:00:00:01")
      try await central.subscribe(try await lamp.valueHandle("level") + 1, 1)
      #expect(await events.next("subscribed")?["characteristic"] == "level")
      #expect(try await lamp.client.put("/v1/characteristics/level/value", "9").status == 200)
      #expect(await events.next("notified")?["characteristic"] == "level")
      #expect(try await central.payload(channel: 0x04, beginning: 0x1B).last == 9)
      guard case .array(let connections) = try await lamp.client.get("/v1/accessory")["connections"] else {
        Issue.record("no connections")
        return
      }
      #expect(connections.count == 1)
      central.close()
    }
  }

  @Test(arguments: [("", 0x13), (#"{"reason": 21}"#, 0x15), (#"{"reason": "0x14"}"#, 0x14)] as [(String, UInt8)])
  func connectionsEnd(body: String, reason: UInt8) async throws {
    try await RunningLamp.run { lamp async throws in
      let (central, number) = try await lamp.connection()
      let answer = try await lamp.client.post("/v1/connections/\(number)/disconnect", body)
      #expect(answer.status == 202)
      #expect(try await central.disconnection() == reason)
      central.close()
    }
  }

  /// The units are 1.25 ms and 10 ms.
  @Test(
    arguments: [
      (#"{"interval_ms": 30, "timeout_ms": 2000}"#, [24, 0, 24, 0, 0, 0, 200, 0]),
      (#"{"interval_ms": [7.5, 4000], "latency": 0, "timeout_ms": 32000}"#, [6, 0, 0x80, 0x0C, 0, 0, 0x80, 0x0C]),
      (#"{"interval_ms": [15, 20], "latency": 4, "timeout_ms": 210}"#, [12, 0, 16, 0, 4, 0, 21, 0]),
      (#"{"interval_ms": 10, "latency": 499, "timeout_ms": 20000}"#, [8, 0, 8, 0, 0xF3, 1, 0xD0, 7]),
    ] as [(String, [UInt8])])
  func parametersAreAskedFor(body: String, parameters: [UInt8]) async throws {
    try await RunningLamp.run { lamp async throws in
      let (central, number) = try await lamp.connection()
      let answer = try await lamp.client.post("/v1/connections/\(number)/parameters", body)
      #expect(answer.status == 202)
      // Connection Parameter Update Request (Core 5.4 Vol 3 Part A 4.20): code, identifier, length, parameters.
      #expect(try await central.payload(channel: 0x05, beginning: 0x12).dropFirst(4) == parameters[...])
      central.close()
    }
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"interval_ms": 30}"#, #"{"timeout_ms": 2000}"#, #"{"interval_ms": 7.4, "timeout_ms": 2000}"#,
    #"{"interval_ms": 4001, "timeout_ms": 32000}"#, #"{"interval_ms": [30, 20], "timeout_ms": 2000}"#,
    #"{"interval_ms": [30], "timeout_ms": 2000}"#, #"{"interval_ms": [30, 40, 50], "timeout_ms": 2000}"#,
    #"{"interval_ms": "30", "timeout_ms": 2000}"#, #"{"interval_ms": 1e300, "timeout_ms": 2000}"#,
    #"{"interval_ms": 30, "timeout_ms": 99}"#, #"{"interval_ms": 30, "timeout_ms": 32001}"#,
    #"{"interval_ms": 30, "latency": -1, "timeout_ms": 2000}"#,
    #"{"interval_ms": 30, "latency": 500, "timeout_ms": 32000}"#,
    #"{"interval_ms": 30, "latency": 0.5, "timeout_ms": 2000}"#,
    // The timeout must be longer than twice the longest silence, and is exactly that here.
    #"{"interval_ms": [15, 20], "latency": 4, "timeout_ms": 200}"#,
    #"{"interval_ms": 30, "timeout_ms": 2000, "delay": 1}"#,
  ])
  func parametersAreRefused(body: String) async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await lamp.client.post("/v1/connections/0/parameters", body)
      #expect(answer.status == 400)
      #expect(!answer.error.isEmpty)
    }
  }

  @Test func parametersNeedAConnection() async throws {
    try await RunningLamp.run { lamp async throws in
      let body = #"{"interval_ms": 30, "timeout_ms": 2000}"#
      #expect(try await lamp.client.post("/v1/connections/0/parameters", body).status == 404)
    }
  }
}

extension RunningLamp {
  /// Returns a connected central.
  func central(_ number: UInt8 = 1) async throws -> Central {
    try await Central.connect(port: try #require(ready.ports.first), to: ready.address, number: number)
  }

  /// Returns a central, and the number of its connection in the control API.
  func connection() async throws -> (Central, Int64) {
    let events = try await client.events()
    let central = try await central()
    guard case .int(let number) = await events.next("connected")?["connection"] else {
      throw SocketFailure(what: "no event of the connection")
    }
    events.close()
    return (central, number)
  }
}
