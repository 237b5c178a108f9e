/// What somebody has to decide, or is shown, while a link pairs.
public enum PairingQuestion: Hashable, Sendable {
  /// Whether to pair with this peer at all.
  case consent
  /// Whether the peer shows the same six digits.
  case comparison(UInt32)
  /// The six digits that the peer shows.
  case passkey
  /// The six digits that the peer's user is to type; it needs no answer, and may be refused.
  case display(UInt32)
}

/// The answer.
public enum PairingAnswer: Hashable, Sendable {
  case accept
  case passkey(UInt32)
  case refuse
}
