import AccessoryProfile
import Testing
import Transport
import Understudy

@testable import ControlAPI

@Suite struct ServerTests {
  @Test(
    arguments: [
      ("127.0.0.1:8080", "127.0.0.1", 8080, true), ("127.8.7.6:0", "127.8.7.6", 0, true),
      ("localhost:1", "localhost", 1, true), ("[::1]:80", "::1", 80, true),
      ("[0:0:0:0:0:0:0:1]:80", "0:0:0:0:0:0:0:1", 80, true), (":8080", "127.0.0.1", 8080, true),
      ("0.0.0.0:80", "0.0.0.0", 80, false), ("[::]:80", "::", 80, false),
      ("127.evil.example:80", "127.evil.example", 80, false),
      ("[::127.0.0.1]:80", "::127.0.0.1", 80, false), ("lab.example:65535", "lab.example", 65535, false),
    ] as [(String, String, UInt16, Bool)])
  func addressIsRead(text: String, host: String, port: UInt16, isLoopback: Bool) throws {
    let address = try HTTPAddress(parsing: text)
    #expect(address == HTTPAddress(host: host, port: port))
    #expect(address.isLoopback == isLoopback)
    if !text.hasPrefix(":") { #expect(address.description == text) }
  }

  @Test(arguments: [
    "", "8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "::1:80", "[::1]", "[x]:80",
    "[127.0.0.1]:80", "[::1:80", "host:8o",
  ])
  func addressIsWrong(text: String) {
    #expect(throws: HTTPAddress.ParseError.self) { try HTTPAddress(parsing: text) }
  }

  private func accessory() throws -> Accessory {
    try Accessory(
      try Profile.load(text: RunningLamp.profile), options: AccessoryOptions(), loop: try PollLoop(name: "idle"))
  }

  @Test(arguments: ["0.0.0.0", "::", "192.168.1.2", "lab.example"])
  func openNetworkNeedsAToken(host: String) throws {
    let address = HTTPAddress(host: host, port: 0)
    let accessory = try accessory()
    let error = #expect(throws: ControlServerError.self) {
      try ControlServer(accessory: accessory, address: address)
    }
    #expect(error == .tokenNeeded(address))
    #expect(error?.isUsage == true)
    #expect(error?.description.contains("token") == true)
    _ = try ControlServer(accessory: accessory, address: address, token: "0123456789abcdef")
  }

  @Test(arguments: ["", "0123456789abcde", "two words of a token", "ümlaut-in-a-token", "a-token-and-a-line\n"])
  func tokenMustFitAHeader(token: String) throws {
    let accessory = try accessory()
    #expect(throws: ControlServerError.unsuitableToken) {
      try ControlServer(accessory: accessory, address: HTTPAddress(host: "127.0.0.1", port: 0), token: token)
    }
  }

  @Test func portThatIsTakenIsAnError() async throws {
    try await RunningLamp.run { lamp async throws in
      #expect(lamp.address.port != 0)
      let server = try ControlServer(accessory: lamp.accessory, address: lamp.address)
      let error = await #expect(throws: ControlServerError.self) { try await server.run() }
      #expect(error?.isUsage == false)
      #expect(error?.description.contains("in use") == true)
    }
  }

  @Test func portIsFreeAfterwards() async throws {
    var port: UInt16 = 0
    try await RunningLamp.run { lamp in port = lamp.client.port }
    let client = HTTPClient(port: port)
    await #expect(throws: SocketFailure.self) { try await client.get("/v1/accessory") }
  }

  @Test func localhostIsTheLoopback() async throws {
    try await RunningLamp.run(host: "localhost") { lamp async throws in
      #expect(try await lamp.client.get("/v1/accessory").status == 200)
    }
  }

  /// Before the controller is up, the profile's objects exist; a set that is switched off then does not start with the others.
  @Test func accessoryNeedNotHaveStarted() async throws {
    let loop = try PollLoop(name: "lamp")
    try loop.start()
    defer { loop.stop() }
    let accessory = try Accessory(
      try Profile.load(text: RunningLamp.profile), options: AccessoryOptions(), loop: loop)
    try await RunningLamp.serve(accessory) { address async throws in
      let client = HTTPClient(port: address.port)
      let state = try await client.get("/v1/accessory")
      #expect(state.status == 200)
      #expect(state["address"] == .null)
      #expect(try await client.post("/v1/advertising/main/stop").status == 202)
      #expect(try await client.post("/v1/advertising/absent/start").status == 404)
      let events = try await client.events()
      try await accessory.start()
      #expect(await events.next("ready")?["name"] == "Lamp")
      let advertising = try await client.get("/v1/accessory")["advertising"]
      #expect(advertising == .array([.string("second")]))
      events.close()
      await accessory.stop()
      _ = await accessory.end()
    }
  }

  /// Neither an unfinished request nor idle connections delay the end of the server.
  @Test func unfinishedRequestsDoNotHoldUpTheEnd() async throws {
    var sockets: [BlockingSocket] = []
    try await RunningLamp.run { lamp async throws in
      let (port, head) = (
        lamp.client.port, lamp.client.head("PUT", "/v1/characteristics/level/value", length: 10)
      )
      for text in ["", "GET /v1/acc", head + "1"] {
        sockets.append(
          try await onThread {
            let socket = try BlockingSocket(port: port)
            try socket.send(Array(text.utf8))
            return socket
          })
      }
    }
    #expect(sockets.count == 3)
  }

  /// Connections that arrive just when the server ends are closed like any other.
  @Test(arguments: 0..<20)
  func connectionsMayComeAtTheEnd(_ round: Int) async throws {
    var late: Task<Void, any Error>?
    try await RunningLamp.run { lamp async throws in
      let port = lamp.client.port
      late = Task {
        try await onThread { for _ in 0..<20 { _ = try? BlockingSocket(port: port) } }
      }
      for _ in 0..<round { await Task.yield() }
    }
    try await late?.value
  }
}
