/// A question to the user, or a value to display, during a pairing.
public enum PairingQuestion: Hashable, Sendable {
  /// Whether to pair with this peer.
  case consent
  /// Whether the peer displays the same six digits.
  case comparison(UInt32)
  /// The six digits that the peer displays.
  case passkey
  /// The six digits that the peer's user types. It needs no answer, but can be refused.
  case display(UInt32)
}

/// The answer to a question.
public enum PairingAnswer: Hashable, Sendable {
  case accept
  case passkey(UInt32)
  case refuse
}
