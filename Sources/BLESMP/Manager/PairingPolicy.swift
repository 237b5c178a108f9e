/// What one side wants of a pairing (Core 5.4 Vol 3 Part H 2.3), and what it is told to do wrong in one.
public struct PairingPolicy: Hashable, Sendable {
  /// Whether it pairs at all; else Pairing Not Supported is the answer.
  public var isPairable = false
  /// What it can show and be told (2.3.2).
  public var ioCapability = IOCapability.noInputNoOutput
  /// Whether it bonds (2.3.1).
  public var bonds = true
  /// How many bonds it keeps, 1...256.
  public var maximumBonds = 16
  /// Whether a bond beyond that takes the place of the one whose peer was here least recently; else it is not bondable then (Vol 3
  /// Part C 9.4.2).
  public var replacesBonds = true
  /// Whether it asks for protection against a man in the middle, and refuses a pairing that gives none.
  public var requiresAuthentication = false
  /// Whether it asks for that protection, and does without where the IO capabilities allow none.
  public var prefersAuthentication = false
  /// Whether it offers LE Secure Connections, does without, or takes nothing else (Vol 3 Part C 10.2.4).
  public var secureConnections = SecureConnectionsSupport.offered
  /// Whether every association model but Just Works is refused.
  public var takesOnlyJustWorks = false
  /// Whether somebody is asked before it answers a Pairing Request, or pairs because of a Security Request.
  public var asksConsent = false
  /// Whether a pairing is refused whose keys would be weaker than those of the bond that they replace.
  public var refusesWeakerKeys = true
  /// The shortest and the longest key that it takes, in octets, within 7...16.
  public var keySizes: ClosedRange<Int> = 7...16
  /// The keys that it distributes (2.4.3); nil for an encryption key, and an identity where it needs one.
  public var distributes: KeyKinds?
  /// The keys that it asks the peer for.
  public var wants: KeyKinds = [.encryption, .identity]
  /// Whether it sends keypress notifications while a passkey is typed (3.5.8).
  public var sendsKeypresses = false
  /// What it says was pressed behind the beginning of the entry, where nobody has pressed keys by `SecurityManager.press`.
  public var typedKeys: [Keypress] = PairingPolicy.sixDigits

  /// Six digits, and the end of the entry.
  public static let sixDigits = [Keypress](repeating: .digitEntered, count: 6) + [.entryCompleted]
  /// The passkey that it shows, instead of a random one; 0...999999.
  public var fixedPasskey: UInt32?
  /// What it has got of the peer out of band; nil for nothing.
  public var outOfBand: OutOfBandData?
  /// What it has given the peer out of band, for Secure Connections; nil for nothing.
  public var ownOutOfBand: OutOfBandOffer?
  /// Whether it uses the debug key pair (2.3.5.6.1).
  public var usesDebugKeys = false
  /// Whether CT2 is set: h7 takes part in deriving the BR/EDR key (2.4.2.4).
  public var supportsH7 = true
  /// What it does wrong on purpose, by the step at which it does so.
  public var faults: [PairingFault] = []

  /// The policy of a device that does not pair.
  public init() {}

  /// The keys that it distributes, where nothing says whether it needs an identity.
  var distributedKeys: KeyKinds { distributes ?? [.encryption, .identity] }

  /// The same policy for a device that is on the air under private addresses, or under its identity address. Only the former distributes
  /// an identity, unless the policy says otherwise: to a device that has an Identity Resolving Key in network privacy mode, which is the
  /// default, a central's controller connects by private addresses alone (Core 5.4 Vol 6 Part B 4.7).
  public func resolved(isPrivate: Bool) -> PairingPolicy {
    var policy = self
    policy.distributes = distributes ?? (isPrivate ? [.encryption, .identity] : [.encryption])
    return policy
  }
}

/// Core 5.4 Vol 3 Part H 2.3.2, 3.5.1.
public enum IOCapability: UInt8, Hashable, Sendable, CaseIterable, Codable {
  case displayOnly = 0x00
  case displayYesNo = 0x01
  case keyboardOnly = 0x02
  case noInputNoOutput = 0x03
  case keyboardDisplay = 0x04
}

/// How one side stands to LE Secure Connections.
public enum SecureConnectionsSupport: String, Hashable, Sendable, Codable {
  case none, offered, only
}

/// The kinds of keys that a pairing distributes (Core 5.4 Vol 3 Part H 3.6.1).
public struct KeyKinds: OptionSet, Hashable, Sendable {
  /// The bits, as in Pairing Request.
  public var rawValue: UInt8
  /// The keys with these bits.
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

/// What came out of band from the peer, or is given to it (Core 5.4 Vol 3 Part H 2.3.5.4, 2.3.5.6.4). 16 octets each, least
/// significant first.
public struct OutOfBandData: Hashable, Sendable {
  /// Legacy pairing: the Temporary Key.
  public var temporaryKey: [UInt8]?
  /// Secure Connections: the peer's confirm value and random value.
  public var confirm: [UInt8]?
  /// The random value that the peer gave beside it; nil when it gave none.
  public var random: [UInt8]?

  /// Nothing.
  public init() {}
}

/// Something wrong that a side does on purpose while it pairs, so that a tester sees how the peer takes it.
public enum PairingFault: Hashable, Sendable {
  /// It fails with that reason when the packet with that code is due to be sent.
  case fails(SMPCode, PairingFailed.Reason)
  /// It falls silent when the packet with that code is due.
  case silent(SMPCode)
  /// It sends the packet with that code with a wrong content.
  case corrupts(SMPCode)
  /// It shows or types another passkey than it should.
  case wrongPasskey
  /// It keeps another Long Term Key than was agreed on.
  case keepsWrongKey
}
