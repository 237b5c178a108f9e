import BLECore

/// What two devices that have bonded keep of each other (Core 5.4 Vol 3 Part H 2.4.1, Part C 9.4): a value for a store.
///
/// All keys have 16 octets, least significant first, as they travel.
public struct Bond: Hashable, Codable, Sendable {
  /// The peer's identity address, as HCI and the specification write it, and whether it is a random one.
  public var peer: PeerIdentity
  /// How the keys came about.
  public var strength: KeyStrength
  /// The key that encrypts a link on which this side is the peripheral; nil when none was distributed.
  public var keyAsPeripheral: LongTermKey?
  /// The key that encrypts a link on which this side is the central. With Secure Connections both are the same.
  public var keyAsCentral: LongTermKey?
  /// The peer's Identity Resolving Key; nil when it gave none.
  public var identityResolvingKey: [UInt8]?
  /// What this side signs its writes with; nil when it gave none.
  public var ownSigning: SigningKey?
  /// What the peer signs its writes with; nil when it gave none.
  public var peerSigning: SigningKey?
  /// The BR/EDR link key that follows from the pairing (Core 5.4 Vol 3 Part H 2.4.2.4); nil without cross-transport derivation.
  public var linkKey: [UInt8]?

  /// A bond without keys.
  public init(peer: PeerIdentity, strength: KeyStrength) {
    self.peer = peer
    self.strength = strength
  }
}

/// An address with its kind, as the Security Manager computes with it (Core 5.4 Vol 3 Part H 2.2.3).
public struct PeerIdentity: Hashable, Codable, Sendable {
  /// 48 bits, as in `DeviceAddress.bits`.
  public var addressBits: UInt64
  /// Whether it is a random address; else it is a public one.
  public var isRandom: Bool

  /// An identity.
  public init(address: DeviceAddress, isRandom: Bool) {
    addressBits = address.bits
    self.isRandom = isRandom
  }

  /// The address.
  public var address: DeviceAddress { DeviceAddress(bits: addressBits) }

  /// Whether it stays the peer's: a public or a static address. A private one is not there any more after its next change.
  var isIdentity: Bool { !isRandom || address.isValidRandomStatic }
}

/// How good the keys of a pairing are (Core 5.4 Vol 3 Part C 10.2.1).
public struct KeyStrength: Hashable, Codable, Sendable {
  /// Whether a man in the middle was kept out.
  public var isAuthenticated: Bool
  /// Whether they came by LE Secure Connections.
  public var isSecureConnections: Bool
  /// In octets, 7...16.
  public var keySize: Int

  /// A strength.
  public init(isAuthenticated: Bool, isSecureConnections: Bool, keySize: Int) {
    self.isAuthenticated = isAuthenticated
    self.isSecureConnections = isSecureConnections
    self.keySize = keySize
  }

  /// Whether keys of this strength are no worse than others in any respect.
  func isAtLeast(_ other: KeyStrength) -> Bool {
    (isAuthenticated || !other.isAuthenticated) && (isSecureConnections || !other.isSecureConnections)
      && keySize >= other.keySize
  }
}

/// A Long Term Key and what names it (Core 5.4 Vol 3 Part H 3.6.2, 3.6.3); EDIV and Rand are 0 with Secure Connections.
public struct LongTermKey: Hashable, Codable, Sendable {
  /// The key, 16 octets.
  public var key: [UInt8]
  /// The Encrypted Diversifier, EDIV.
  public var diversifier: UInt16
  /// The random number Rand.
  public var random: UInt64

  /// A key.
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
  /// Of the own key: what the next signature carries. Of the peer's: the least that is taken.
  public var counter: UInt32

  /// A key that nothing was signed with yet.
  public init(key: [UInt8], counter: UInt32 = 0) {
    self.key = key
    self.counter = counter
  }
}
