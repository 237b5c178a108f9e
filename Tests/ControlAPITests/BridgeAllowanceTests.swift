import AccessoryProfile
import Glibc
import Testing

@testable import ControlAPI

@Suite struct BridgeAllowanceTests {
  /// A directory with a file, a second directory beside it, and a link from one into the other.
  struct Place {
    let root: String

    init() throws {
      var template = Array("/tmp/understudy-allow-XXXXXX".utf8CString)
      _ = try #require(mkdtemp(&template))
      root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      for directory in ["/in", "/in/deep", "/out", "/in-not"] { mkdir(root + directory, 0o700) }
      for file in ["/in/a", "/in/deep/b", "/out/secret", "/in-not/c"] {
        close(open(root + file, O_CREAT | O_WRONLY, 0o600))
      }
      symlink(root + "/out/secret", root + "/in/link")
      symlink(root + "/out", root + "/in/way")
      symlink(root + "/out/absent", root + "/in/dangling")
    }

    func remove() {
      for path in ["/in/a", "/in/deep/b", "/out/secret", "/in-not/c", "/in/link", "/in/way", "/in/dangling"] {
        unlink(root + path)
      }
      for path in ["/in/deep", "/in", "/out", "/in-not", ""] { rmdir(root + path) }
    }
  }

  @Test func onlyWhatIsListed() throws {
    let place = try Place()
    defer { place.remove() }
    let allowance = try BridgeAllowance(
      parsing: [
        "file:\(place.root)/in", "unix:\(place.root)/in", "pty:\(place.root)/in", "tcp:localhost:8080", "tcp:[::1]:81",
        "tcp:10.0.0.1:*",
      ])
    let admitted: [(ChannelHandler, ChannelHandler)] = [
      (.echo, .echo), (.pty(link: nil), .pty(link: nil)),
      (.file(path: "\(place.root)/in/a"), .file(path: "\(place.root)/in/a")),
      (.file(path: "\(place.root)/in/../in/deep/./b"), .file(path: "\(place.root)/in/deep/b")),
      (.file(path: "\(place.root)/in/later"), .file(path: "\(place.root)/in/later")),
      (.unix(path: "\(place.root)/in/socket"), .unix(path: "\(place.root)/in/socket")),
      (.pty(link: "\(place.root)/in/deep/tty"), .pty(link: "\(place.root)/in/deep/tty")),
      (.tcp(host: "LOCALHOST", port: 8080), .tcp(host: "LOCALHOST", port: 8080)),
      (.tcp(host: "[::1]", port: 81), .tcp(host: "[::1]", port: 81)),
      (.tcp(host: "10.0.0.1", port: 4711), .tcp(host: "10.0.0.1", port: 4711)),
    ]
    for (handler, expected) in admitted { #expect(try allowance.admit(handler) == expected) }
    let refused: [ChannelHandler] = [
      .file(path: "/etc/passwd"), .file(path: "\(place.root)/in/../out/secret"), .file(path: "\(place.root)/in/link"),
      .file(path: "\(place.root)/in/way/secret"), .file(path: "\(place.root)/in/dangling"),
      .file(path: "\(place.root)/in-not/c"), .file(path: "\(place.root)/in"), .file(path: "\(place.root)/in/way/new"),
      .unix(path: "/run/docker.sock"), .unix(path: "\(place.root)/in/absent/socket"),
      .pty(link: "\(place.root)/out/tty"),
      .pty(link: "\(place.root)/in/way/tty"), .tcp(host: "localhost", port: 8081), .tcp(host: "127.0.0.1", port: 8080),
    ]
    for handler in refused {
      let refusal = #expect(throws: Refusal.self) { try allowance.admit(handler) }
      #expect(refusal?.message.contains("--allow-bridge") == true)
      #expect(throws: Refusal.self) { try BridgeAllowance().admit(handler) }
    }
  }

  @Test(arguments: ["", "file", "file:", "file:/no/such/place", "tcp:host", "tcp:host:0", "gopher:x", "file:/dev/null"])
  func textIsWrong(text: String) {
    #expect(throws: BridgeAllowance.ParseError.self) { try BridgeAllowance(parsing: [text]) }
  }

  @Test func overHTTP() async throws {
    let place = try Place()
    defer { place.remove() }
    func body(_ path: String) -> String { #"{"id": "f", "psm": "auto", "handler": "file:\#(path)"}"# }
    try await RunningLamp.run { lamp async throws in
      for handler in ["file:/etc/passwd", "tcp:127.0.0.1:22", "unix:/run/x", "pty:/tmp/x"] {
        let answer = try await lamp.client.post(
          "/v1/published", #"{"id": "f", "psm": "auto", "handler": "\#(handler)"}"#)
        #expect(answer.status == 403)
        #expect(answer.error.contains("--allow-bridge"))
      }
      #expect(try await lamp.client.get("/v1/published")["published"] == .array([]))
      #expect(
        try await lamp.client.post("/v1/published", #"{"id": "e", "psm": "auto", "handler": "echo"}"#).status == 201)
    }
    let bridges = try BridgeAllowance(parsing: ["file:\(place.root)/in"])
    try await RunningLamp.run(bridges: bridges) { lamp async throws in
      #expect(try await lamp.client.post("/v1/published", body("\(place.root)/in/a")).status == 201)
      #expect(try await lamp.client.post("/v1/published", body("\(place.root)/in/way/secret")).status == 403)
    }
  }
}
