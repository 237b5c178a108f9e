import AccessoryProfile
import BLECore
import Testing
import Understudy

/// The control API's operations on a central's server.
@Suite struct RemoteRouteTests {
  @Test func valuesAreReadFromTheCentral() async throws {
    try await RunningLamp.run { lamp async throws in
      let (central, number) = try await lamp.connection()
      async let answer = lamp.client.post("/v1/connections/\(number)/remote/read", #"{"handle": 9}"#)
      #expect(try await central.payload(channel: 0x04, beginning: 0x0A) == [0x0A, 9, 0])
      try await central.send([0x0B, 0x01, 0x02])
      let reading = try await answer
      #expect(reading.status == 200)
      #expect(reading["hex"] == "0102" && reading["handle"] == .int(9) && reading["connection"] == .int(number))
      central.close()
    }
  }

  @Test func valuesAreWrittenToTheCentral() async throws {
    try await RunningLamp.run { lamp async throws in
      let (central, number) = try await lamp.connection()
      async let written = lamp.client.post(
        "/v1/connections/\(number)/remote/write", #"{"handle": 9, "hex": "0aff"}"#)
      #expect(try await central.payload(channel: 0x04, beginning: 0x12) == [0x12, 9, 0, 0x0A, 0xFF])
      try await central.send([0x13])
      #expect(try await written.status == 200)
      let body = #"{"handle": 9, "hex": "07", "response": false}"#
      #expect(try await lamp.client.post("/v1/connections/\(number)/remote/write", body).status == 200)
      #expect(try await central.payload(channel: 0x04, beginning: 0x52) == [0x52, 9, 0, 7])
      central.close()
    }
  }

  @Test func errorsOfTheCentralAreHandedOn() async throws {
    try await RunningLamp.run { lamp async throws in
      let (central, number) = try await lamp.connection()
      async let answer = lamp.client.post("/v1/connections/\(number)/remote/discover")
      _ = try await central.payload(channel: 0x04, beginning: 0x10)
      try await central.send([0x01, 0x10, 1, 0, 0x06])
      let refused = try await answer
      #expect(refused.status == 502)
      #expect(refused.error.contains("Request Not Supported"))
      #expect(try await lamp.client.get("/v1/connections/\(number)/remote")["services"] == .array([]))
      central.close()
    }
  }

  @Test func theEndOfTheLinkEndsTheRequest() async throws {
    try await RunningLamp.run { lamp async throws in
      let (central, number) = try await lamp.connection()
      async let answer = lamp.client.post("/v1/connections/\(number)/remote/read", #"{"handle": 9}"#)
      _ = try await central.payload(channel: 0x04, beginning: 0x0A)
      #expect(try await lamp.client.post("/v1/connections/\(number)/disconnect").status == 202)
      #expect(try await answer.status == 409)
      central.close()
    }
  }

  @Test(
    arguments: [
      ("read", "", "uuid, service, handle"), ("read", #"{"uuid": "2A19", "handle": 3}"#, "uuid and handle"),
      ("read", #"{"uuid": 5}"#, "uuid"), ("read", #"{"handle": 0}"#, "handle"),
      ("read", #"{"handle": 70000}"#, "handle"),
      ("read", #"{"handle": 3, "service": "battery"}"#, "service"), ("read", #"{"uid": "2A19"}"#, "uid"),
      ("write", #"{"handle": 3}"#, "hex or value"), ("write", #"{"handle": 3, "hex": "0"}"#, "hex"),
      ("write", #"{"uuid": "2A19", "value": 300}"#, "value"),
      ("write", #"{"handle": 3, "hex": "00", "response": 1}"#, "response"),
      ("subscribe", #"{"uuid": "2A19", "notify": 1}"#, "notify"), ("discover", #"{"all": true}"#, "all"),
    ])
  func mistakesNameTheirFields(verb: String, body: String, field: String) async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await lamp.client.post("/v1/connections/0/remote/\(verb)", body)
      #expect(answer.status == 400)
      #expect(answer.error.contains(field))
    }
  }

  @Test func theyNeedAConnection() async throws {
    try await RunningLamp.run { lamp async throws in
      #expect(try await lamp.client.get("/v1/connections/0/remote").status == 404)
      #expect(try await lamp.client.post("/v1/connections/0/remote/discover").status == 404)
      #expect(try await lamp.client.post("/v1/connections/0/remote/forget").status == 404)
      #expect(try await lamp.client.post("/v1/connections/0/remote").status == 405)
    }
  }
}
