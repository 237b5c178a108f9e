import AccessoryProfile
import HTTPTypes
import Hummingbird
import NIOCore

/// A file of the dashboard, which is embedded in the program (`CEmbedded`).
struct DashboardFile {
  /// Its name.
  let name: String
  private let text: String

  /// Creates the file for a path: the page for `/`, all others below `/dashboard/`; nil if there is none.
  init?(path: String) {
    let path = path.prefix { $0 != "?" }
    let prefix = "/dashboard/"
    guard path == "/" || path.hasPrefix(prefix) else { return nil }
    let name = path == "/" ? "index.html" : String(path.dropFirst(prefix.count))
    guard let text = EmbeddedFiles.dashboard.text(at: name) else { return nil }
    (self.name, self.text) = (name, text)
  }

  /// Returns the response with the file.
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

  /// Headers that allow the page to run only scripts from this server, connect only to it, and not be framed.
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
