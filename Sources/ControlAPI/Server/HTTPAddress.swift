import Glibc

/// The address of the control API: `HOST:PORT`, with IPv6 addresses in brackets; port 0 is any free one.
package struct HTTPAddress: Hashable, Sendable {
  /// A name or an address, without brackets.
  package var host: String
  /// The TCP port.
  package var port: UInt16

  /// The error for the text of an invalid address.
  package struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text.
    package var text: String
    /// What is wrong with it.
    package var reason: String

    /// The text and the reason.
    package var description: String { "bad HTTP address '\(text)': \(reason) (known: HOST:PORT, [IPV6]:PORT)" }
  }

  /// Creates an address.
  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Parses an address. Without a host, it is on the loopback interface.
  package init(parsing text: String) throws(ParseError) {
    guard let colon = text.lastIndex(of: ":") else { throw ParseError(text: text, reason: "it needs HOST:PORT") }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
      guard IPAddress(String(host))?.isVersion6 == true else {
        throw ParseError(text: text, reason: "'\(host)' is not an IPv6 address")
      }
    } else if host.contains(":") || host.contains("[") || host.contains("]") {
      throw ParseError(text: text, reason: "an IPv6 address goes in brackets")
    }
    let digits = text[text.index(after: colon)...]
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let port = UInt16(digits) else {
      throw ParseError(text: text, reason: "'\(digits)' is not a port from 0 to 65535")
    }
    self.init(host: host.isEmpty ? "127.0.0.1" : String(host), port: port)
  }

  /// Whether only programs on the same machine can reach it: 127.0.0.0/8, ::1 or `localhost`.
  package var isLoopback: Bool {
    isLocalhost || IPAddress(host)?.isLoopback == true
  }

  private var isLocalhost: Bool { host.lowercased() == "localhost" }

  /// The host to bind to: `localhost` is always the loopback address, whatever the machine's name service says.
  var bindHost: String { isLocalhost ? "127.0.0.1" : host }
}

extension HTTPAddress: CustomStringConvertible {
  /// The address in the syntax of `init(parsing:)` and of URLs.
  package var description: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}

/// A numeric IP address.
struct IPAddress {
  private let octets: [UInt8]

  /// Parses an address; nil for names and for anything that is not exactly an address.
  init?(_ text: String) {
    var octets = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &octets) == 1 {
      self.octets = Array(octets.prefix(4))
    } else if inet_pton(AF_INET6, text, &octets) == 1 {
      self.octets = octets
    } else {
      return nil
    }
  }

  var isVersion6: Bool { octets.count == 16 }

  /// 127.0.0.0/8 (RFC 1122 3.2.1.3) or ::1 (RFC 4291 2.5.3).
  var isLoopback: Bool {
    isVersion6 ? octets.dropLast().allSatisfy { $0 == 0 } && octets.last == 1 : octets.first == 127
  }
}
