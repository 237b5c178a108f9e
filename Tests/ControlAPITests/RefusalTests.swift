import AccessoryProfile
import Testing

/// A request and its refusal.
struct RefusedRequest: Sendable, CustomTestStringConvertible {
  var method: String
  var path: String
  var body: String
  var status: Int

  init(_ method: String, _ path: String, _ status: Int) { self.init(method, path, "", status) }

  init(_ method: String, _ path: String, _ body: String, _ status: Int) {
    self.method = method
    self.path = path
    self.body = body
    self.status = status
  }

  var testDescription: String { "\(method) \(path) \(body.prefix(40)) -> \(status)" }
}

@Suite struct RefusalTests {
  static let requests: [RefusedRequest] = [
    .init("GET", "/dashboard", 404), .init("GET", "/v1", 404), .init("GET", "/v1/", 404),
    .init("GET", "/v1/absent", 404),
    .init("GET", "/v2/accessory", 404), .init("GET", "/v1/accessory/", 404), .init("GET", "/v1//value", 404),
    .init("GET", "/v1/characteristics/level", 404), .init("GET", "/v1/characteristics/%zz/value", 404),
    .init("GET", "/v1/characteristics/%ff/value", 404), .init("GET", "/v1/characteristics/level%2Fvalue", 404),
    .init("POST", "/v1/accessory", 405), .init("HEAD", "/v1/accessory", 405), .init("OPTIONS", "/v1/accessory", 405),
    .init("POST", "/v1/characteristics/level/value", "1", 405), .init("GET", "/v1/advertising/main/stop", 405),
    .init("DELETE", "/v1/characteristics/level/value", 405),
    .init("GET", "/v1/characteristics/absent/value", 404), .init("GET", "/v1/characteristics/FFF3/value", 404),
    .init("PUT", "/v1/characteristics/absent/value", #"{"hex": "00"}"#, 404),
    .init("PUT", "/v1/characteristics/level/value", "", 400),
    .init("PUT", "/v1/characteristics/level/value", "{", 400),
    .init("PUT", "/v1/characteristics/level/value", "nonsense", 400),
    .init("PUT", "/v1/characteristics/level/value", "\u{0}\u{1}", 400),
    .init("PUT", "/v1/characteristics/level/value", #"{"hex": "0"}"#, 400),
    .init("PUT", "/v1/characteristics/level/value", #"{"hex": "zz"}"#, 400),
    .init("PUT", "/v1/characteristics/level/value", #"{"hex": 1}"#, 400),
    .init("PUT", "/v1/characteristics/level/value", #"{"value": "dark"}"#, 400),
    .init("PUT", "/v1/characteristics/level/value", "256", 400),
    .init("PUT", "/v1/characteristics/level/value", "1e300", 400),
    .init("PUT", "/v1/characteristics/level/value", "null", 400),
    .init("PUT", "/v1/characteristics/level/value", "[]", 400),
    .init("PUT", "/v1/characteristics/raw/value", #"{"hex": "\#(String(repeating: "00", count: 513))"}"#, 400),
    // Nested deeper than any value: once within the limit of a JSON reader, once far beyond.
    .init("PUT", "/v1/characteristics/level/value", nested(400), 400),
    .init("PUT", "/v1/characteristics/level/value", nested(30_000), 400),
    .init("PUT", "/v1/characteristics/level/value", String(repeating: "[", count: 60_000), 400),
    .init("PUT", "/v1/characteristics/level/value", String(repeating: " ", count: 70_000), 413),
    // The device name belongs to the host.
    .init("PUT", "/v1/characteristics/2A00/value", #""Lamp""#, 400),
    .init("POST", "/v1/characteristics/level/notify", 409), .init("POST", "/v1/characteristics/level/indicate", 409),
    .init("POST", "/v1/characteristics/absent/notify", 404), .init("POST", "/v1/characteristics/absent/indicate", 404),
    .init("POST", "/v1/connections/99/disconnect", 404), .init("POST", "/v1/connections/one/disconnect", 404),
    .init("POST", "/v1/connections/-1/disconnect", 404), .init("POST", "/v1/connections/70000/disconnect", 404),
    .init("POST", "/v1/connections/0/disconnect", #"{"reason": 0}"#, 400),
    .init("POST", "/v1/connections/0/disconnect", #"{"reason": "later"}"#, 400),
    .init("POST", "/v1/connections/0/disconnect", #"{"cause": 19}"#, 400),
    .init("POST", "/v1/connections/0/disconnect", "[19]", 400),
    .init("POST", "/v1/advertising/absent/start", 404), .init("POST", "/v1/advertising/absent/stop", 404),
  ]

  static func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  @Test(arguments: requests)
  func requestIsRefused(_ request: RefusedRequest) async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await lamp.client.request(request.method, request.path, request.body)
      #expect(answer.status == request.status)
      #expect(answer.headers["content-type"]?.hasPrefix("application/json") == true)
      // The answer to HEAD has no body (RFC 9110 9.3.2).
      if request.method != "HEAD" { #expect(!answer.error.isEmpty) }
      #expect(try await lamp.client.get("/v1/characteristics/level/value")["value"] == .int(7))
    }
  }

  @Test func methodsAreNamed() async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await lamp.client.post("/v1/characteristics/level/value", "1")
      #expect(answer.headers["allow"] == "GET, PUT")
      #expect(answer["methods"] == .array(["GET", "PUT"]))
    }
  }

  /// Octets that are not HTTP end only their connection.
  @Test(arguments: ["\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{0}\u{1}\u{2}\r\n\r\n"])
  func nonsenseIsSurvived(_ text: String) async throws {
    try await RunningLamp.run { lamp async throws in
      let port = lamp.client.port
      _ = try await onThread {
        let socket = try BlockingSocket(port: port)
        try socket.send(Array(text.utf8))
        socket.shutDown()
      }
      #expect(try await lamp.client.get("/v1/accessory").status == 200)
    }
  }
}
