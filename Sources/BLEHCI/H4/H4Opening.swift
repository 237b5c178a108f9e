/// Decides from the first octets of a connection whether the other end speaks HCI over H4.
///
/// A serial port is a wire: whatever comes over it comes from the controller, and noise is skipped (`H4Deframer`). Anybody can
/// connect to a listening socket, though: a web page can have its browser post to it, and a packet inside the body would be found
/// behind the HTTP head. So a connection has to begin with the head of a packet that the specification knows (Core 5.4 Vol 4 Part
/// A 2); a browser never begins with such octets, whatever the page says.
public struct H4Opening: Sendable {
  /// What the octets so far say.
  public enum Verdict: Hashable, Sendable {
    /// Too few to tell.
    case undecided
    /// The head of a packet.
    case h4
    /// Something else.
    case foreign(Speech)
  }

  /// What a connection speaks that is not H4.
  public enum Speech: Hashable, Sendable {
    /// HTTP (RFC 9112 3): a method and a target, or a status line.
    case http
    /// A handshake record of TLS (RFC 8446 5.1).
    case tls
    /// Anything else.
    case unknown
  }

  private let head: H4Head
  private var octets: [UInt8] = []
  /// The longest head, that of an ACL packet with the one of the B-frame in it.
  private static let longestHead = 7

  /// A connection to that side on which nothing has come.
  public init(side: H4Deframer.Side) { head = H4Head(side: side, maximumDataLength: 0xFFFF) }

  /// Whether nothing has come.
  public var isSilent: Bool { octets.isEmpty }

  /// Takes what has come next.
  public mutating func examine(_ next: Span<UInt8>) -> Verdict {
    for index in 0..<min(next.count, Self.longestHead - octets.count) { octets.append(next[index]) }
    guard !octets.isEmpty else { return .undecided }
    guard head.length(in: octets.span, at: 0, strictly: true) != nil else { return .foreign(Self.speech(octets)) }
    return octets.count >= Self.headLength(of: octets[0]) ? .h4 : .undecided
  }

  /// How many octets `H4Head` judges a packet of that type by.
  private static func headLength(of type: UInt8) -> Int {
    switch H4PacketType(rawValue: type) {
    case .event: 3
    case .command: 4
    default: longestHead
    }
  }

  private static func speech(_ octets: [UInt8]) -> Speech {
    if octets.starts(with: [0x16, 0x03]) { return .tls }
    if octets.starts(with: "HTTP/".utf8) { return .http }
    // No method is shorter than GET; of longer ones the space may not have come yet.
    let method = octets.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    let following = octets.dropFirst(method.count).first
    return method.count >= 3 && (following == nil || following == UInt8(ascii: " ")) ? .http : .unknown
  }
}
