import BLECore

/// The data that two bonded devices store about each other (Core 5.4 Vol 3 Part H 2.4.1, Part C 9.4).
///
/// All keys have 16 octets, least significant first, as sent.
public struct Bond: Hashable, Codable, Sendable {
  /// The peer's identity address.
  public var peer: TypedAddress
  /// The strength of the keys.
  public var strength: KeyStrength
  /// The key that encrypts a link on which this side is the peripheral; nil if none was distributed.
  public var keyAsPeripheral: LongTermKey?
  /// The key that encrypts a link on which this side is the central. With Secure Connections both keys are the same.
  public var keyAsCentral: LongTermKey?
  /// The peer's Identity Resolving Key; nil if it distributed none.
  public var identityResolvingKey: [UInt8]?
  /// The key with which this side signs its writes; nil if it distributed none.
  public var ownSigning: SigningKey?
  /// The key with which the peer signs its writes; nil if it distributed none.
  public var peerSigning: SigningKey?
  /// The link key of BR/EDR, from a pairing there, or derived from one over LE (Core 5.4 Vol 3 Part H 2.4.2.4); nil if there is none.
  public var linkKey: [UInt8]?
  /// The strength of a link key from a pairing over BR/EDR; nil for a derived key, which is as strong as the others.
  public var linkKeyStrength: KeyStrength?

  /// Creates a bond without keys.
  public init(peer: TypedAddress, strength: KeyStrength) {
    self.peer = peer
    self.strength = strength
  }
}

/// The strength of the keys of a pairing (Core 5.4 Vol 3 Part C 10.2.1).
public struct KeyStrength: Hashable, Codable, Sendable {
  /// Whether the pairing was protected against a man in the middle.
  public var isAuthenticated: Bool
  /// Whether it used LE Secure Connections.
  public var isSecureConnections: Bool
  /// The key size in octets, 7...16.
  public var keySize: Int

  /// Creates a strength.
  public init(isAuthenticated: Bool, isSecureConnections: Bool, keySize: Int) {
    self.isAuthenticated = isAuthenticated
    self.isSecureConnections = isSecureConnections
    self.keySize = keySize
  }

  /// Returns whether keys of this strength are at least as good as others in every respect.
  package func isAtLeast(_ other: KeyStrength) -> Bool {
    (isAuthenticated || !other.isAuthenticated) && (isSecureConnections || !other.isSecureConnections)
      && keySize >= other.keySize
  }
}

/// Link keys of BR/EDR (Core 5.4 Vol 4 Part E 7.7.24).
extension KeyStrength {
  /// Returns the strength of a link key of this type; nil if there is no such type. A key from a PIN counts as unauthenticated, because most
  /// PINs are short.
  package init?(linkKeyType: UInt8) {
    guard 0...8 ~= linkKeyType else { return nil }
    self.init(
      isAuthenticated: linkKeyType == 5 || linkKeyType == 8, isSecureConnections: linkKeyType >= 7, keySize: 16)
  }

  /// The type of a link key of this strength, as from Secure Simple Pairing.
  package var linkKeyType: UInt8 { (isSecureConnections ? 7 : 4) + (isAuthenticated ? 1 : 0) }
}

/// A Long Term Key with its identifiers (Core 5.4 Vol 3 Part H 3.6.2, 3.6.3). EDIV and Rand are 0 with Secure Connections.
public struct LongTermKey: Hashable, Codable, Sendable {
  /// The key, 16 octets.
  public var key: [UInt8]
  /// The Encrypted Diversifier, EDIV.
  public var diversifier: UInt16
  /// The random number Rand.
  public var random: UInt64

  /// Creates a key.
  public init(key: [UInt8], diversifier: UInt16 = 0, random: UInt64 = 0) {
    self.key = key
    self.diversifier = diversifier
    self.random = random
  }
}

/// A Connection Signature Resolving Key with its counter (Core 5.4 Vol 3 Part H 2.4.5).
public struct SigningKey: Hashable, Codable, Sendable {
  /// The key, 16 octets.
  public var key: [UInt8]
  /// For the own key, the counter of the next signature. For the peer's, the lowest counter that is accepted.
  public var counter: UInt32

  /// Creates a key that has not signed anything.
  public init(key: [UInt8], counter: UInt32 = 0) {
    self.key = key
    self.counter = counter
  }
}
