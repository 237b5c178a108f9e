/// When a host starts security by itself: a peripheral with a Security Request (Core 5.4 Vol 3 Part H 2.4.6), a central by pairing, or by
/// encrypting if it has a key.
public enum SecurityRequestTiming: String, Hashable, Sendable, CaseIterable, Codable {
  /// Only at its owner's request. Apple's guidelines require accessories to reject an access instead.
  case never
  /// As soon as a link is established.
  case onConnection = "on-connection"
  /// After an access was refused because the link lacks security. A central then repeats the operation.
  case afterRefusal = "after-refusal"
}
