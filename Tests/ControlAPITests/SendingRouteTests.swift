import AccessoryProfile
import Testing
import Understudy

@testable import ControlAPI

/// `notify` and `indicate`: the recipients, the value, and the result.
@Suite(.timeLimit(.minutes(20))) struct SendingRouteTests {
  private func counts(_ answer: Answer) -> [ProfileValue?] { ["sent", "queued", "dropped"].map { answer[$0] } }

  @Test func oneConnectionOrAll() async throws {
    let profile = RunningLamp.profile.replacing("mtu: 247 }", with: "mtu: 247, max-connections: 2 }")
    try await RunningLamp.run(profile) { lamp async throws in
      let centrals = try await lamp.subscribedCentrals(2, bits: 1)
      let all = try await lamp.client.post("/v1/characteristics/level/notify", #"{"value": 9}"#)
      #expect(all.status == 200 && counts(all) == [.int(2), .int(0), .int(0)])
      let number = try #require(await lamp.connection(of: "F0:00:00:00:00:02"))
      let one = try await lamp.client.post(
        "/v1/characteristics/level/notify", #"{"hex": "0a", "connection": \#(number)}"#)
      #expect(one.status == 200 && counts(one) == [.int(1), .int(0), .int(0)])
      #expect(try await centrals[0].payload(channel: 0x04, beginning: 0x1B).last == 9)
      #expect(try await centrals[1].payload(channel: 0x04, beginning: 0x1B).last == 9)
      #expect(try await centrals[1].payload(channel: 0x04, beginning: 0x1B).last == 10)
      // Without a subscription, nothing is sent and nothing is set.
      let other = try await lamp.client.post("/v1/characteristics/level/indicate", #"{"value": 77}"#)
      #expect(other.status == 409)
      #expect(try await lamp.client.get("/v1/characteristics/level/value")["value"] == .int(10))
      for central in centrals { central.close() }
    }
  }

  @Test func indicationsWaitInLine() async throws {
    try await RunningLamp.run { lamp async throws in
      let central = try await lamp.subscribedCentrals(1, bits: 2)[0]
      var answers: [[ProfileValue?]] = []
      for value in 1...2 {
        answers.append(
          counts(try await lamp.client.post("/v1/characteristics/level/indicate", "{\"value\": \(value)}")))
      }
      #expect(answers == [[.int(1), .int(0), .int(0)], [.int(0), .int(1), .int(0)]])
      #expect(try await central.payload(channel: 0x04, beginning: 0x1D).last == 1)
      try await central.send([0x1E])
      #expect(try await central.payload(channel: 0x04, beginning: 0x1D).last == 2)
      central.close()
    }
  }

  @Test(arguments: [
    (#"{"connection": 99}"#, 404, "connection 99"), (#"{"connection": "0"}"#, 400, "connection"),
    (#"{"connection": -1}"#, 400, "connection"), (#"{"values": 1}"#, 400, "values"),
    (#"{"value": 1, "hex": "01"}"#, 400, "cannot be combined"), (#"{"hex": "0"}"#, 400, "hex"), ("[]", 400, "object"),
    (#"{"value": 300}"#, 400, "300"), (#"{"hex": "0102"}"#, 400, "exactly 1"),
  ])
  func refusals(body: String, status: Int, part: String) async throws {
    try await RunningLamp.run { lamp async throws in
      let central = try await lamp.subscribedCentrals(1, bits: 3)[0]
      for verb in ["notify", "indicate"] {
        let answer = try await lamp.client.post("/v1/characteristics/level/\(verb)", body)
        #expect(answer.status == status && answer.error.contains(part), "\(answer.error)")
      }
      #expect(try await lamp.client.get("/v1/characteristics/level/value")["value"] == .int(7))
      central.close()
    }
  }

  /// A format of fixed size accepts only that size, by any route.
  @Test(arguments: [("level", "0102"), ("level", ""), ("raw", String(repeating: "00", count: 513))])
  func lengths(name: String, hex: String) async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await lamp.client.put("/v1/characteristics/\(name)/value", #"{"hex": "\#(hex)"}"#)
      #expect(answer.status == 400 && answer.error.contains("octets"))
    }
  }
}

extension RunningLamp {
  /// Returns the number of the connection of that peer.
  func connection(of peer: String) async throws -> Int64? {
    guard case .array(let connections) = try await client.get("/v1/accessory")["connections"] else { return nil }
    for case .object(let fields) in connections where fields["peer"] == .string(peer) {
      if case .int(let number) = fields["connection"] { return number }
    }
    return nil
  }

  /// Returns the given number of centrals that have subscribed to `level`.
  func subscribedCentrals(_ count: Int, bits: UInt8) async throws -> [Central] {
    let handle = try await valueHandle("level")
    var centrals: [Central] = []
    for number in 1...count {
      let central = try await Central.connect(
        port: try #require(ready.ports.first), to: ready.address, number: UInt8(number))
      try await central.subscribe(handle + 1, bits)
      centrals.append(central)
    }
    return centrals
  }
}
