/// When a host asks for security by itself: a peripheral by a Security Request (Core 5.4 Vol 3 Part H 2.4.6), a central by
/// pairing, or by encrypting where it has a key.
public enum SecurityRequestTiming: String, Hashable, Sendable, CaseIterable, Codable {
  /// Only when its owner asks it to. Apple's guideline wants accessories to reject an access instead.
  case never
  /// As soon as a link is there.
  case onConnection = "on-connection"
  /// After an access was refused because the link lacks security. A central performs the operation again then.
  case afterRefusal = "after-refusal"
}
