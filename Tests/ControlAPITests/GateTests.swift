import AccessoryProfile
import Foundation
import Testing

@Suite struct GateTests {
  /// Without a token, the host must be the loopback interface, with any port: a tunnel may have a different one.
  @Test(arguments: [
    ("127.0.0.1", 200), ("127.0.0.1:80", 200), ("127.9.9.9", 200), ("localhost", 200), ("LOCALHOST:1234", 200),
    ("[::1]", 200), ("[::1]:8080", 200), ("evil.example", 403), ("127.0.0.1.evil.example", 403), ("127.evil", 403),
    ("0.0.0.0", 403), ("192.168.0.1:8080", 403), ("[::]", 403), ("[::2]:80", 403), ("::1", 403), (":80", 403),
    ("localhost.evil", 403), ("", 403),
  ])
  func hostIsLoopback(host: String, status: Int) async throws {
    try await RunningLamp.run { lamp async throws in
      var client = lamp.client
      client.headers["Host"] = host
      let answer = try await client.get("/v1/accessory")
      #expect(answer.status == status)
      if status != 200 { #expect(answer.error.contains("Host")) }
    }
  }

  /// Requests that an intermediary could read in another way (RFC 9112 3.2).
  @Test(arguments: [
    "GET /v1/accessory HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n",
    "GET /v1/accessory HTTP/1.1\r\nHost: 127.0.0.1\r\nhost: 127.0.0.1\r\n",
    "GET http://evil.example/v1/accessory HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    "GET http://127.0.0.1/v1/accessory HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n",
  ])
  func ambiguousRequestsAreRefused(head: String) async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await lamp.client.exchange(head + "Connection: close\r\n\r\n")
      #expect(answer.status == 400)
      #expect(answer.error.contains("Host") || answer.error.contains("absolute"))
    }
  }

  /// One reader for all JSON: only UTF-8 (RFC 8259 8.1), and a duplicate key is an error, as in a profile.
  @Test func bodiesAreUTF8() async throws {
    try await RunningLamp.run { lamp async throws in
      let path = "/v1/characteristics/level/value"
      for encoding in [String.Encoding.utf16, .utf16LittleEndian, .utf32] {
        let body = Array(try #require(#"{"value": 9}"#.data(using: encoding)))
        let head = Array(lamp.client.head("PUT", path, length: body.count).utf8)
        let answer = try await onThread { [port = lamp.client.port] in
          let socket = try BlockingSocket(port: port)
          try socket.send(head + body)
          return String(decoding: try socket.receive(exactly: 12), as: UTF8.self)
        }
        #expect(answer == "HTTP/1.1 400")
      }
      let answer = try await lamp.client.put(path, #"{"hex": "01", "hex": "02"}"#)
      #expect(answer.status == 400 && answer.error.contains("the key 'hex' is a duplicate"))
    }
  }

  /// As forms encode it, and as `encodeURIComponent` does.
  @Test(arguments: [
    ("filter=att+and+sent", 200), ("filter=att%20and%20sent", 200), ("filter=%2fa%2Bb%2F", 200),
    ("filter=att+nad", 400),
    ("filter=%zz", 400), ("filter=%ff", 400), ("filter=att&filter=att", 400), ("filter", 200), ("&&filter=att&", 200),
    ("filtre=att", 400),
  ])
  func queriesAreForms(query: String, status: Int) async throws {
    try await RunningLamp.run { lamp async throws in
      let first = try await onThread { [port = lamp.client.port, client = lamp.client] in
        let socket = try BlockingSocket(port: port)
        try socket.send(Array(client.head("GET", "/v1/packets?\(query)", length: 0).utf8))
        return String(decoding: try socket.receive(exactly: 12), as: UTF8.self)
      }
      #expect(first == "HTTP/1.1 \(status)")
    }
  }

  @Test(arguments: [
    ("http://127.0.0.1:8080", 200), ("http://127.0.0.1:3000", 403), ("http://evil.example", 403), ("null", 403),
    ("http://127.0.0.1", 403), ("http://localhost:8080", 403), ("http://127.0.0.1:8080.evil", 403),
  ])
  func originIsOurOwn(origin: String, status: Int) async throws {
    try await RunningLamp.run { lamp async throws in
      var client = lamp.client
      client.headers["Host"] = "127.0.0.1:8080"
      client.headers["Origin"] = origin
      #expect(try await client.put("/v1/characteristics/level/value", "1").status == status)
      let expected = status == 200 ? "01" : "07"
      #expect(try await lamp.client.get("/v1/characteristics/level/value")["hex"] == .string(expected))
    }
  }

  /// Requests from elements of another page have no `Origin`.
  @Test(arguments: [
    ("same-origin", 200), ("none", 200), ("cross-site", 403), ("same-site", 403), ("", 200), ("anything", 403),
  ])
  func pagesElsewhereMayNotFetch(site: String, status: Int) async throws {
    try await RunningLamp.run { lamp async throws in
      var client = lamp.client
      client.headers["Sec-Fetch-Site"] = site
      let answer = try await client.get("/v1/characteristics/level/value")
      #expect(answer.status == status)
      if status != 200 { #expect(answer.error.contains("another origin")) }
    }
  }

  @Test(arguments: [
    ("Bearer s3cret-of-the-lab", 200), ("bearer s3cret-of-the-lab", 200), ("", 401), ("s3cret-of-the-lab", 401),
    ("Bearer", 401), ("Bearer s3cre", 401),
    ("Bearer s3cret-of-the-lab!", 401), ("Bearer s3cret-of-the-labs3cret-of-the-lab", 401), ("Bearer S3CRET", 401),
    ("Basic s3cret-of-the-lab", 401),
  ])
  func tokenIsNeeded(header: String, status: Int) async throws {
    try await RunningLamp.run(token: "s3cret-of-the-lab") { lamp async throws in
      var client = lamp.client
      client.headers["Authorization"] = header
      for path in ["/v1/accessory", "/v1/characteristics"] {
        let answer = try await client.get(path)
        #expect(answer.status == status)
        #expect(answer.headers["www-authenticate"] == (status == 401 ? "Bearer" : nil))
        if status == 401 { #expect(answer.error.contains("oken") || answer.error.contains("TOKEN")) }
      }
      // Without it, not even the existence of a path is revealed.
      if status == 401 { #expect(try await client.get("/v1/absent").status == 401) }
    }
  }

  /// With a token, other machines may send requests, under any name for this one; pages of other origins may not.
  @Test func tokenStandsForTheHost() async throws {
    try await RunningLamp.run(host: "0.0.0.0", token: "s3cret-of-the-lab") { lamp async throws in
      var client = lamp.client
      client.headers = ["Authorization": "Bearer s3cret-of-the-lab", "Host": "lab.example:80"]
      #expect(try await client.get("/v1/accessory").status == 200)
      client.headers["Origin"] = "http://lab.example:80"
      #expect(try await client.get("/v1/accessory").status == 200)
      client.headers["Origin"] = "http://evil.example"
      #expect(try await client.get("/v1/accessory").status == 403)
    }
  }
}
