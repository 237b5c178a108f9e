import HTTPTypes
import Hummingbird

/// Decides which requests are admitted: a token protects against other machines and users, and `Host`,
/// `Origin` and `Sec-Fetch-Site` against web pages.
struct Gate: Sendable {
  /// The token that every request needs; nil on the loopback interface, where access to the machine is sufficient.
  var token: String?
  /// The minimum length of a token. Shorter ones can be guessed.
  static let shortestToken = 16

  /// Admits a request, or throws why not.
  func admit(_ head: HTTPRequest) throws(Refusal) {
    try admitPage(head)
    guard let token else { return }
    guard let given = Self.bearerToken(head.headerFields[.authorization]) else {
      throw Refusal(.tokenNeeded, "the header 'Authorization: Bearer TOKEN' is missing")
    }
    guard Self.areEqual(given, token) else { throw Refusal(.tokenWrong, "the token is wrong") }
  }

  /// Admits a request that needs no token: for a file of the dashboard, which itself asks for the token.
  func admitPage(_ head: HTTPRequest) throws(Refusal) {
    // Other forms could be interpreted differently by another program on the way (RFC 9112 3.2).
    guard head.path?.hasPrefix("/") == true else {
      throw Refusal(.badRequest, "the target of a request must be a path; absolute URIs are refused")
    }
    guard head.headerFields[values: .host].isEmpty else { throw Refusal(.badRequest, "there are several Host headers") }
    // With DNS rebinding, a foreign page's name resolves to this machine, but the page still sends its own name as the host.
    if token == nil, !Self.isLoopback(authority: head.authority ?? "") {
      throw Refusal(.foreignHost, "the Host header must name the loopback: 127.0.0.1, [::1] or localhost")
    }
    if let origin = head.headerFields[.origin], !Self.isSame(origin: origin, authority: head.authority ?? "") {
      throw Refusal(.foreignPage, "requests from pages of another origin (\(origin)) are refused")
    }
    // Requests of foreign pages that carry no header set by the page: images, scripts, frames, links (W3C
    // Fetch Metadata 2.3). `none` means that a person entered the address.
    if let site = head.headerFields[.secFetchSite], site != "same-origin", site != "none" {
      throw Refusal(.foreignPage, "requests from pages of another origin (Sec-Fetch-Site: \(site)) are refused")
    }
  }

  /// Returns whether the host in `HOST[:PORT]` is this machine. The port may differ because of a tunnel.
  private static func isLoopback(authority: String) -> Bool {
    if let address = try? HTTPAddress(parsing: authority), authority.first != ":" { return address.isLoopback }
    return (try? HTTPAddress(parsing: authority + ":0"))?.isLoopback == true && !authority.isEmpty
  }

  /// Returns whether a page of `origin` (RFC 6454 6.1) was served by this server.
  private static func isSame(origin: String, authority: String) -> Bool {
    let origin = origin.lowercased()
    return ["http://", "https://"].contains { origin == $0 + authority.lowercased() }
  }

  /// Returns the token of `Bearer TOKEN` (RFC 6750 2.1).
  private static func bearerToken(_ header: String?) -> String? {
    guard let parts = header?.split(separator: " "), parts.count == 2, parts[0].lowercased() == "bearer" else {
      return nil
    }
    return String(parts[1])
  }

  /// Compares in a time that does not depend on how much of the text is correct.
  private static func areEqual(_ given: String, _ expected: String) -> Bool {
    let (given, expected) = (Array(given.utf8), Array(expected.utf8))
    var difference: UInt8 = given.count == expected.count ? 0 : 1
    for (index, octet) in given.enumerated() { difference |= octet ^ expected[index % expected.count] }
    return difference == 0
  }
}

extension HTTPField.Name {
  /// The header for the authority of the request. The first one is the authority itself, and these are any further ones.
  fileprivate static let host = HTTPField.Name("Host") ?? .origin
  /// The origin of a browser's request (W3C Fetch Metadata 2.3).
  fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}
