/// The requirements of one side for a pairing (Core 5.4 Vol 3 Part H 2.3), and the errors that it makes on purpose.
public struct PairingPolicy: Hashable, Sendable {
  /// Whether it pairs. If not, it answers with Pairing Not Supported.
  public var isPairable = false
  /// Its IO capability (2.3.2).
  public var ioCapability = IOCapability.noInputNoOutput
  /// Whether it bonds (2.3.1).
  public var bonds = true
  /// The maximum number of bonds, 1...256.
  public var maximumBonds = 16
  /// Whether a bond beyond that number replaces the one whose peer was connected least recently. If not, the device is then not bondable
  /// (Vol 3 Part C 9.4.2).
  public var replacesBonds = true
  /// Whether it requires protection against a man in the middle, and refuses a pairing without it.
  public var requiresAuthentication = false
  /// Whether it requests that protection, but accepts a pairing without it if the IO capabilities do not allow it.
  public var prefersAuthentication = false
  /// Whether it offers LE Secure Connections, does not support it, or requires it (Vol 3 Part C 10.2.4).
  public var secureConnections = SecureConnectionsSupport.offered
  /// Whether it refuses every association model but Just Works.
  public var takesOnlyJustWorks = false
  /// Whether it asks for consent before it answers a Pairing Request, or pairs because of a Security Request.
  public var asksConsent = false
  /// Whether an initiator asks for consent if the association model turns out to be Just Works, as phones do.
  public var confirmsJustWorks = false
  /// Whether it refuses a pairing whose keys are weaker than those of the bond that they would replace.
  public var refusesWeakerKeys = true
  /// The minimum and maximum key size that it accepts, in octets, within 7...16.
  public var keySizes: ClosedRange<Int> = 7...16
  /// The keys that it distributes (2.4.3). Nil for an encryption key, and an identity if needed.
  public var distributes: KeyKinds?
  /// The keys that it requests from the peer.
  public var wants: KeyKinds = [.encryption, .identity]
  /// Whether it sends keypress notifications while a passkey is typed (3.5.8).
  public var sendsKeypresses = false
  /// The keypresses that it reports after the start of the entry, if none were reported with `SecurityManager.press`.
  public var typedKeys: [Keypress] = PairingPolicy.sixDigits

  /// Six digits and the end of the entry.
  public static let sixDigits = [Keypress](repeating: .digitEntered, count: 6) + [.entryCompleted]
  /// The passkey that it displays instead of a random one; 0...999999.
  public var fixedPasskey: UInt32?
  /// The peer's out-of-band data; nil for none.
  public var outOfBand: OutOfBandData?
  /// The out-of-band data given to the peer, for Secure Connections; nil for none.
  public var ownOutOfBand: OutOfBandOffer?
  /// Whether it uses the debug key pair (2.3.5.6.1).
  public var usesDebugKeys = false
  /// Whether CT2 is set: the BR/EDR key is derived with h7 (2.4.2.4).
  public var supportsH7 = true
  /// The errors that it makes on purpose, by step.
  public var faults: [PairingFault] = []

  /// Creates the policy of a device that does not pair.
  public init() {}

  /// The keys that it distributes if it is not known whether it needs an identity.
  var distributedKeys: KeyKinds { distributes ?? [.encryption, .identity] }

  /// Returns the same policy for a device that advertises with private addresses or with its identity address. Only the former distributes
  /// an identity, unless the policy specifies the keys. A central's controller connects to a device with an Identity Resolving Key in
  /// network privacy mode, the default, only by private addresses (Core 5.4 Vol 6 Part B 4.7).
  public func resolved(isPrivate: Bool) -> PairingPolicy {
    var policy = self
    policy.distributes = distributes ?? (isPrivate ? [.encryption, .identity] : [.encryption])
    return policy
  }
}

/// The IO capability (Core 5.4 Vol 3 Part H 2.3.2, 3.5.1).
public enum IOCapability: UInt8, Hashable, Sendable, CaseIterable, Codable {
  case displayOnly = 0x00
  case displayYesNo = 0x01
  case keyboardOnly = 0x02
  case noInputNoOutput = 0x03
  case keyboardDisplay = 0x04
}

/// The support of one side for LE Secure Connections.
public enum SecureConnectionsSupport: String, Hashable, Sendable, Codable {
  case none, offered, only
}

/// The kinds of keys that a pairing distributes (Core 5.4 Vol 3 Part H 3.6.1).
public struct KeyKinds: OptionSet, Hashable, Sendable {
  /// The bits, as in Pairing Request.
  public var rawValue: UInt8
  /// Creates the keys with these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The Long Term Key of LE legacy pairing.
  public static let encryption = KeyKinds(rawValue: 0x01)
  /// The Identity Resolving Key and the identity address.
  public static let identity = KeyKinds(rawValue: 0x02)
  /// The Connection Signature Resolving Key.
  public static let signing = KeyKinds(rawValue: 0x04)
  /// The BR/EDR link key, by cross-transport key derivation.
  public static let link = KeyKinds(rawValue: 0x08)
}

/// Out-of-band data from the peer or for it (Core 5.4 Vol 3 Part H 2.3.5.4, 2.3.5.6.4). 16 octets each, least significant first.
public struct OutOfBandData: Hashable, Sendable {
  /// Legacy pairing: the Temporary Key.
  public var temporaryKey: [UInt8]?
  /// Secure Connections: the peer's confirm value.
  public var confirm: [UInt8]?
  /// The random value that the peer gave with it; nil if it gave none.
  public var random: [UInt8]?

  /// Creates empty data.
  public init() {}
}

/// An error that a side makes on purpose while it pairs, to test how the peer handles it.
public enum PairingFault: Hashable, Sendable {
  /// Fails with this reason when the packet with this code is due.
  case fails(SMPCode, PairingFailed.Reason)
  /// Stops sending when the packet with this code is due.
  case silent(SMPCode)
  /// Sends the packet with this code with wrong contents.
  case corrupts(SMPCode)
  /// Displays or types a wrong passkey.
  case wrongPasskey
  /// Stores a Long Term Key other than the agreed one.
  case keepsWrongKey
}
