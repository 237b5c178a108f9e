/// Decides from the first octets of a connection whether the other end speaks HCI over H4.
///
/// A serial port is a wire: everything on it comes from the controller, and noise is skipped (`H4Deframer`). But anybody can connect to a
/// listening socket: a web page can make its browser post to it, and a packet in the body would be found after the HTTP header. So a
/// connection must start with the header of a packet that the specification defines (Core 5.4 Vol 4 Part A 2). A browser never starts with
/// such octets, whatever the page does.
public struct H4Opening: Sendable {
  /// The verdict on the octets so far.
  public enum Verdict: Hashable, Sendable {
    /// Too few octets to decide.
    case undecided
    /// The header of a packet.
    case h4
    /// Something else.
    case foreign(Speech)
  }

  /// A protocol other than H4.
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
  /// The longest header: that of an ACL packet and its B-frame.
  private static let longestHead = 7

  /// Creates the check of a new connection to this side.
  public init(side: H4Deframer.Side) { head = H4Head(side: side, maximumDataLength: 0xFFFF) }

  /// Whether nothing has been received.
  public var isSilent: Bool { octets.isEmpty }

  /// Examines the octets received next.
  public mutating func examine(_ next: Span<UInt8>) -> Verdict {
    for index in 0..<min(next.count, Self.longestHead - octets.count) { octets.append(next[index]) }
    guard !octets.isEmpty else { return .undecided }
    guard head.length(in: octets.span, at: 0, strictly: true) != nil else { return .foreign(Self.speech(octets)) }
    return octets.count >= Self.headLength(of: octets[0]) ? .h4 : .undecided
  }

  /// Returns the number of octets by which `H4Head` judges a packet of this type.
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
    // No method is shorter than GET. With a longer one the space may still be missing.
    let method = octets.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    let following = octets.dropFirst(method.count).first
    return method.count >= 3 && (following == nil || following == UInt8(ascii: " ")) ? .http : .unknown
  }
}
