import AccessoryProfile
import HTTPTypes
import Hummingbird
import NIOCore

/// A file of the dashboard, which is in the program (`CEmbedded`).
struct DashboardFile {
  /// Its name.
  let name: String
  private let text: String

  /// The file at a path: the page at `/`, all others below `/dashboard/`; nil where there is none.
  init?(path: String) {
    let path = path.prefix { $0 != "?" }
    let prefix = "/dashboard/"
    guard path == "/" || path.hasPrefix(prefix) else { return nil }
    let name = path == "/" ? "index.html" : String(path.dropFirst(prefix.count))
    guard let text = EmbeddedFiles.dashboard.text(at: name) else { return nil }
    (self.name, self.text) = (name, text)
  }

  /// The file as it goes out.
  func answer(_ method: HTTPRequest.Method) throws(Refusal) -> Response {
    guard method == .get || method == .head else {
      throw Refusal(.unknownMethod, "the dashboard can only be read (known: GET, HEAD)", methods: ["GET", "HEAD"])
    }
    var headers = Self.protection
    headers[.contentType] = mediaType
    headers[.cacheControl] = "no-cache"
    let body = method == .get ? ResponseBody(byteBuffer: ByteBuffer(string: text)) : ResponseBody()
    return Response(status: .ok, headers: headers, body: body)
  }

  private var mediaType: String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    default: "text/javascript; charset=utf-8"
    }
  }

  /// The page runs what is served here and nothing else, talks to nobody else, and is in nobody's frame.
  private static let protection: HTTPFields = {
    var fields = HTTPFields()
    func set(_ name: String, _ value: String) {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    set(
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    set("X-Content-Type-Options", "nosniff")
    set("Referrer-Policy", "no-referrer")
    set("Cross-Origin-Opener-Policy", "same-origin")
    set("Cross-Origin-Resource-Policy", "same-origin")
    return fields
  }()
}
