import AccessoryProfile
import BLEHCI

/// Why a connection to a socket of ours was closed: who connected does not speak HCI over H4.
public struct LineRefusal: Hashable, Sendable {
  /// What was wrong with it.
  public enum Reason: Hashable, Sendable {
    /// Its first octets are no packet.
    case foreign(H4Opening.Speech)
    /// It said nothing, and its place was needed, or it left.
    case silent
  }

  /// Where it connected to, as it would write it: `tcp-client:127.0.0.1:7001`.
  public var place: String
  /// Why it was closed.
  public var reason: Reason

  /// A connection to that place, and why it was closed.
  public init(place: String, reason: Reason) { (self.place, self.reason) = (place, reason) }
}

extension LineRefusal {
  /// The reason in words.
  public var text: String {
    switch reason {
    case .foreign(.http): "it speaks HTTP, not H4"
    case .foreign(.tls): "it speaks TLS, not H4"
    case .foreign(.unknown): "its first octets are not an H4 packet"
    case .silent: "it sent nothing"
    }
  }

  /// The fields of its event.
  var json: [String: ProfileValue] { ["place": .string(place), "reason": .string(text)] }
}
