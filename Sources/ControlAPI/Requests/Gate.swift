import HTTPTypes
import Hummingbird

/// Decides who may ask at all: against other machines and other users by the token, against web pages by `Host`, `Origin` and
/// `Sec-Fetch-Site`.
struct Gate: Sendable {
  /// What every request must bring; nil on the loopback, where being on the machine is enough.
  var token: String?
  /// Fewer characters than a token must have can be guessed.
  static let shortestToken = 16

  /// Lets a request in, or says why not.
  func admit(_ head: HTTPRequest) throws(Refusal) {
    try admitPage(head)
    guard let token else { return }
    guard let given = Self.bearerToken(head.headerFields[.authorization]) else {
      throw Refusal(.tokenNeeded, "the header 'Authorization: Bearer TOKEN' is missing")
    }
    guard Self.areEqual(given, token) else { throw Refusal(.tokenWrong, "the token is wrong") }
  }

  /// The same without the token, for what everybody may have: the files of the dashboard, which asks for it.
  func admitPage(_ head: HTTPRequest) throws(Refusal) {
    // What another program on the way could read otherwise than this one (RFC 9112 3.2).
    guard head.path?.hasPrefix("/") == true else {
      throw Refusal(.badRequest, "the target of a request must be a path; absolute URIs are refused")
    }
    guard head.headerFields[values: .host].isEmpty else { throw Refusal(.badRequest, "there are several Host headers") }
    // A page from elsewhere whose name has been made to point here (DNS rebinding) still sends its own name as the host.
    if token == nil, !Self.isLoopback(authority: head.authority ?? "") {
      throw Refusal(.foreignHost, "the Host header must name the loopback: 127.0.0.1, [::1] or localhost")
    }
    if let origin = head.headerFields[.origin], !Self.isSame(origin: origin, authority: head.authority ?? "") {
      throw Refusal(.foreignPage, "requests from pages of another origin (\(origin)) are refused")
    }
    // What a page elsewhere fetches without a header of its own making: images, scripts, frames, links (W3C Fetch Metadata 2.3).
    // `none` is a person who typed the address.
    if let site = head.headerFields[.secFetchSite], site != "same-origin", site != "none" {
      throw Refusal(.foreignPage, "requests from pages of another origin (Sec-Fetch-Site: \(site)) are refused")
    }
  }

  /// Whether the host of `HOST[:PORT]` is this machine. The port may be another one, of a tunnel.
  private static func isLoopback(authority: String) -> Bool {
    if let address = try? HTTPAddress(parsing: authority), authority.first != ":" { return address.isLoopback }
    return (try? HTTPAddress(parsing: authority + ":0"))?.isLoopback == true && !authority.isEmpty
  }

  /// Whether a page of `origin` (RFC 6454 6.1) has come from this very server.
  private static func isSame(origin: String, authority: String) -> Bool {
    let origin = origin.lowercased()
    return ["http://", "https://"].contains { origin == $0 + authority.lowercased() }
  }

  /// The token of `Bearer TOKEN` (RFC 6750 2.1).
  private static func bearerToken(_ header: String?) -> String? {
    guard let parts = header?.split(separator: " "), parts.count == 2, parts[0].lowercased() == "bearer" else {
      return nil
    }
    return String(parts[1])
  }

  /// Compares in a time that does not tell how much of the text is right.
  private static func areEqual(_ given: String, _ expected: String) -> Bool {
    let (given, expected) = (Array(given.utf8), Array(expected.utf8))
    var difference: UInt8 = given.count == expected.count ? 0 : 1
    for (index, octet) in given.enumerated() { difference |= octet ^ expected[index % expected.count] }
    return difference == 0
  }
}

extension HTTPField.Name {
  /// The first one is the authority of a request, and these are those behind it.
  fileprivate static let host = HTTPField.Name("Host") ?? .origin
  /// Where a browser's request comes from (W3C Fetch Metadata 2.3).
  fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
}
