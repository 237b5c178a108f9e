import AccessoryProfile
import Foundation
import PeripheralHost
import Testing
import Understudy

@testable import ControlAPI

/// The resources that one client can take from others.
@Suite(.timeLimit(.minutes(20))) struct LimitTests {
  /// Reads to the end of a connection.
  private func end(_ socket: BlockingSocket) async throws -> String {
    String(
      decoding: try await onThread {
        var octets: [UInt8] = []
        while case let more = try socket.receive(), !more.isEmpty { octets += more }
        return octets
      }, as: UTF8.self)
  }

  /// A head that never ends, a body that is too slow, and silence: each loses its connection.
  @Test func slowSendersAreDropped() async throws {
    let limits = ControlLimits(idle: .milliseconds(50), body: .milliseconds(50))
    try await RunningLamp.run(limits: limits) { lamp async throws in
      let head = lamp.client.head("PUT", "/v1/characteristics/level/value", length: 10)
      for text in ["", "GET /v1/acc", head + "1"] {
        let socket = try await onThread { [port = lamp.client.port] in
          let socket = try BlockingSocket(port: port)
          try socket.send(Array(text.utf8))
          return socket
        }
        #expect(try await end(socket) == "")
      }
      #expect(try await lamp.client.get("/v1/accessory").status == 200)
    }
  }

  /// Single octets now and then do not keep a body alive.
  @Test func bodyThatTricklesIsDropped() async throws {
    try await RunningLamp.run(limits: ControlLimits(body: .milliseconds(50))) { lamp async throws in
      let head = lamp.client.head("PUT", "/v1/characteristics/level/value", length: 60_000)
      let port = lamp.client.port
      let hasFailed = try await onThread {
        let socket = try BlockingSocket(port: port)
        try socket.send(Array(head.utf8))
        for _ in 0..<60_000 {
          do { try socket.send([0x20]) } catch { return true }
          usleep(500)
        }
        return false
      }
      #expect(hasFailed)
    }
  }

  @Test func streamsAreLimited() async throws {
    try await RunningLamp.run(limits: ControlLimits(streams: 2)) { lamp async throws in
      let streams = [try await lamp.client.events(), try await lamp.client.events()]
      let refused = try await lamp.client.get("/v1/events")
      #expect(refused.status == 503)
      #expect(refused.error.contains("2 event streams"))
      streams[0].close()
      // The place is free when the server has detected it.
      var status = 503
      while status == 503 {
        let socket = try await onThread {
          [port = lamp.client.port, head = lamp.client.head("GET", "/v1/events", length: 0)] in
          let socket = try BlockingSocket(port: port)
          try socket.send(Array(head.utf8))
          return socket
        }
        let first = try await onThread { try socket.receive(exactly: 12) }
        status = Int(String(decoding: first.suffix(3), as: UTF8.self)) ?? 0
        socket.shutDown()
      }
      #expect(status == 200)
      streams[1].close()
    }
  }

  /// An expectation without a waiting client does not count.
  @Test func abandonedExpectationsEnd() async throws {
    try await RunningLamp.run { lamp async throws in
      let body = #"{"event": "connected", "within": "10 min"}"#
      let request = lamp.client.head("POST", "/v1/expectations", length: body.utf8.count) + body
      try await onThread { [port = lamp.client.port] in
        for _ in 0..<1030 {
          let socket = try BlockingSocket(port: port)
          try socket.send(Array(request.utf8))
          socket.shutDown()
        }
      }
      var answer = try await lamp.client.post("/v1/expectations", #"{"event": "connected", "within": "1 ms"}"#)
      while answer.status == 503 {
        answer = try await lamp.client.post("/v1/expectations", #"{"event": "connected", "within": "1 ms"}"#)
      }
      #expect(answer.status == 408)
      let stream = try await lamp.client.events()
      #expect(stream.head.contains("200"))
      stream.close()
    }
  }

  /// Responses that are not read are not kept forever.
  @Test func whoNeverReadsIsDropped() async throws {
    try await RunningLamp.run(limits: ControlLimits(idle: .milliseconds(500))) { lamp async throws in
      var client = lamp.client
      client.headers["Connection"] = "keep-alive"
      let request = Array(client.head("GET", "/v1/openapi.json", length: 0).utf8)
      let hasFailed = try await onThread { [port = client.port] in
        let socket = try BlockingSocket(port: port)
        // First responses fill the buffers of both sides, then requests do.
        while true { do { try socket.send(request) } catch { return true } }
      }
      #expect(hasFailed)
      #expect(try await lamp.client.get("/v1/accessory").status == 200)
    }
  }

  /// The server limits its connections to the process's descriptors, minus those that the accessory needs.
  @Test func descriptorsAreReserved() {
    #expect(DescriptorLimit.reserve >= 132)
    #expect(DescriptorLimit.raise(to: 16) >= 16)
    let error = ControlServerError.tooFewDescriptors(HTTPAddress(host: "::1", port: 80), limit: 64, needed: 200)
    #expect("\(error)".contains("[::1]:80") && "\(error)".contains("ulimit -n 200") && !error.isUsage)
  }

  /// Events have numbers without gaps.
  @Test func eventsAreNumbered() async throws {
    try await RunningLamp.run { lamp async throws in
      let events = try await lamp.client.events()
      for isOn in [false, true] { try await lamp.accessory.perform(.advertise(set: "second", isOn: isOn)) }
      await lamp.accessory.stop()
      var numbers: [Int?] = []
      for await message in events.messages { numbers.append(message.id) }
      #expect(numbers.count >= 3)
      let first = try #require(numbers.first ?? nil)
      #expect(numbers == numbers.indices.map { first + $0 })
    }
  }
}
