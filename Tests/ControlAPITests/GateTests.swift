import AccessoryProfile
import Testing

@Suite struct GateTests {
  /// Without a token the host must be the loopback, whatever the port: a tunnel may have another one.
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

  /// What a page elsewhere fetches by an element of its own has no `Origin`.
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
      // Not even what there is shows without it.
      if status == 401 { #expect(try await client.get("/v1/absent").status == 401) }
    }
  }

  /// With a token other machines may ask, under whatever name they know this one; pages of other origins may not.
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
