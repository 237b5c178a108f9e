import AccessoryProfile
import Foundation
import Testing

@testable import ControlAPI

/// The page at `/`: its files, its clients, and its restrictions.
@Suite(.timeLimit(.minutes(20))) struct DashboardTests {
  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().appending(path: "../../Sources/ControlAPI/Dashboard").standardized

  /// `make generate` updates their list.
  @Test func programHasTheFilesAsTheyAre() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
    #expect(EmbeddedFiles.dashboard.paths.sorted() == names)
    for name in names {
      let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
      #expect(EmbeddedFiles.dashboard.text(at: name) == text, "\(name)")
    }
  }

  /// The page uses only its own files, and needs no exception from its policy.
  @Test func filesAskForNothingElse() throws {
    for name in EmbeddedFiles.dashboard.paths {
      let text = try #require(EmbeddedFiles.dashboard.text(at: name))
      let addresses = text.matches(of: /https?:\/\/[^\s"'`]+/).map { String($0.output) }
      #expect(addresses.allSatisfy { $0 == "http://www.w3.org/2000/svg" }, "\(name): \(addresses)")
      for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"] {
        #expect(!text.contains(word), "\(name) has \(word)")
      }
    }
    let page = try #require(EmbeddedFiles.dashboard.text(at: "index.html"))
    #expect(page.matches(of: /<script/).count == 1)
    #expect(!page.contains(" style=") && !page.contains(" onclick="))
  }

  @Test(arguments: [
    ("/", "text/html"), ("/dashboard/dashboard.js", "text/javascript"), ("/dashboard/dashboard.css", "text/css"),
    ("/?a=b", "text/html"),
  ])
  func filesComeWithTheirRestrictions(path: String, type: String) async throws {
    try await RunningLamp.run { lamp async throws in
      let answer = try await lamp.client.get(path)
      #expect(answer.status == 200)
      #expect(answer.headers["content-type"] == type + "; charset=utf-8")
      #expect(answer.headers["x-content-type-options"] == "nosniff")
      #expect(answer.headers["referrer-policy"] == "no-referrer")
      let policy = try #require(answer.headers["content-security-policy"]).split(separator: "; ").map(String.init)
      #expect(
        Set(policy) == [
          "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self' data:",
          "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        ])
    }
  }

  @Test(arguments: [
    ("GET", "/dashboard", 404), ("GET", "/dashboard/", 404), ("GET", "/dashboard/absent.js", 404),
    ("GET", "/dashboard/../index.html", 404), ("GET", "//", 404), ("POST", "/", 405),
    ("PUT", "/dashboard/dashboard.js", 405),
  ])
  func nothingElseIsThere(method: String, path: String, status: Int) async throws {
    try await RunningLamp.run { lamp async throws in
      #expect(try await lamp.client.request(method, path).status == status)
    }
  }

  /// The page asks for the token, so it is served without one; nothing below `/v1` is.
  @Test func pageComesWithoutTheToken() async throws {
    try await RunningLamp.run(token: "s3cret-of-the-lab") { lamp async throws in
      #expect(try await lamp.client.get("/").status == 200)
      #expect(try await lamp.client.get("/dashboard/api.js").status == 200)
      #expect(try await lamp.client.get("/v1/accessory").status == 401)
    }
  }

  /// Neither another page nor a name that was redirected to this machine gets it.
  @Test(arguments: [
    ("Sec-Fetch-Site", "cross-site"), ("Origin", "http://evil.example"), ("Host", "evil.example"),
  ])
  func pagesElsewhereDoNotGetIt(name: String, value: String) async throws {
    try await RunningLamp.run { lamp async throws in
      var client = lamp.client
      client.headers[name] = value
      #expect(try await client.get("/").status == 403)
      #expect(try await client.get("/dashboard/api.js").status == 403)
    }
  }
}
