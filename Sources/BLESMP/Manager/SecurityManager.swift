import BLECore

/// The Security Manager of one link, in either role (Core 5.4 Vol 3 Part H). It has no input or output of its own: packets, answers,
/// the time and randomness go in; packets, requests for encryption and events come out.
public struct SecurityManager: Sendable {
  /// Who of the link it is: the central initiates, the peripheral responds (2.3).
  public enum Role: Hashable, Sendable { case initiator, responder }

  /// Its role.
  public let role: Role
  /// The addresses with which the connection was made: they go into the confirm values (2.2.3).
  public let own: PeerIdentity
  public let peer: PeerIdentity
  /// What this side gives away of itself.
  public var identity: LocalIdentity
  /// What this side wants of a pairing that begins.
  public var policy: PairingPolicy
  /// The bond with this peer; nil when there is none, or the peer is not known yet.
  public var bond: Bond?
  /// How the link is protected now.
  public private(set) var security = LinkSecurity.open

  /// The Security Manager of a new link.
  public init(
    role: Role, own: PeerIdentity, peer: PeerIdentity, identity: LocalIdentity, policy: PairingPolicy, bond: Bond? = nil
  ) {
    self.role = role
    self.own = own
    self.peer = peer
    self.identity = identity
    self.policy = policy
    self.bond = bond
  }

  /// Takes a packet of the peer.
  public mutating func receive(
    _ packet: Span<UInt8>, at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {
    var reply = OctetBuffer()
    if PairingRefusal.receive(packet, reply: &reply) {
      out.packets.append(reply.withSpan { $0.withUnsafeBytes { Array($0) } })
      out.events.append(.failed(.pairingNotSupported, byPeer: false))
    }
  }

  /// Asks for security: the initiator encrypts with the bond's key or pairs, the responder sends a Security Request (2.4.6).
  /// `anew` pairs even when there is a key.
  public mutating func begin(
    anew: Bool = false, at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {}

  /// Takes the answer to the question that waits; false when it is no answer to it.
  public mutating func answer(
    _ answer: PairingAnswer, at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) -> Bool { false }

  /// The key that the controller asks for (HCI LE Long Term Key Request), 16 octets, least significant first; nil when there is none,
  /// which is the negative reply.
  public mutating func longTermKey(random: UInt64, diversifier: UInt16) -> [UInt8]? { nil }

  /// The link's encryption has changed (HCI Encryption Change, Encryption Key Refresh Complete); `isOn` false when it could not be
  /// started or has ended.
  public mutating func encryptionChanged(
    isOn: Bool, at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {}

  /// The link has ended: a pairing under way has failed.
  public mutating func linkEnded(into out: inout SecurityOutput) {}

  /// Does what is due.
  public mutating func advance(to now: Instant, into out: inout SecurityOutput) {}

  /// The next moment at which something is due: the 30 s of 3.4.
  public var nextDeadline: Instant? { nil }

  /// The question that waits for an answer.
  public var question: PairingQuestion? { nil }
}

/// What this side tells its peers of itself.
public struct LocalIdentity: Hashable, Sendable {
  /// Its identity address.
  public var address: PeerIdentity
  /// Its Identity Resolving Key, 16 octets, least significant first; nil when it has none.
  public var identityResolvingKey: [UInt8]?

  /// An identity.
  public init(address: PeerIdentity, identityResolvingKey: [UInt8]? = nil) {
    self.address = address
    self.identityResolvingKey = identityResolvingKey
  }
}

/// What a Security Manager wants done.
public struct SecurityOutput: Sendable {
  /// Packets for the peer, in order, code first.
  public var packets: [[UInt8]] = []
  /// The key with which the central is to start encryption (HCI LE Enable Encryption); nil for nothing.
  public var encryption: LongTermKey?
  /// What happened.
  public var events: [SecurityEvent] = []

  /// Nothing.
  public init() {}
}

/// Something that happened in a Security Manager.
public enum SecurityEvent: Hashable, Sendable {
  /// The peer asks for security: a Security Request came (3.6.7), with those requirements.
  case requested(PairingRequirements)
  /// A pairing has begun, by that association model.
  case pairing(AssociationModel, isSecureConnections: Bool)
  /// Somebody has to decide, or is shown something.
  case asked(PairingQuestion)
  /// The question needs no answer any more.
  case questionEnded
  /// The peer's user pressed a key (3.5.8).
  case keypress(Keypress)
  /// How the link is protected has changed.
  case securityChanged(LinkSecurity)
  /// A pairing is complete, keys distributed; `bonded` says whether both sides keep it.
  case paired(Bond, bonded: Bool)
  /// A pairing has failed.
  case failed(PairingFailed.Reason, byPeer: Bool)
  /// A pairing has ended without a reason from the peer: after 30 s of silence, or with the link.
  case timedOut
  case cut
}

/// What a pairing asks for: AuthReq (Core 5.4 Vol 3 Part H 3.5.1).
public struct PairingRequirements: OptionSet, Hashable, Sendable {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let bonding = PairingRequirements(rawValue: 0x01)
  public static let authentication = PairingRequirements(rawValue: 0x04)
  public static let secureConnections = PairingRequirements(rawValue: 0x08)
  public static let keypress = PairingRequirements(rawValue: 0x10)
  public static let h7 = PairingRequirements(rawValue: 0x20)
}

/// How a pairing authenticates (Core 5.4 Vol 3 Part H 2.3.5.1).
public enum AssociationModel: Hashable, Sendable {
  case justWorks
  case numericComparison
  /// Which side types the passkey; with `bothType` the user gives both the same one.
  case passkeyEntry(typist: Typist)
  case outOfBand

  public enum Typist: Hashable, Sendable { case own, peer, both }
}

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

/// Core 5.4 Vol 3 Part H 3.5.8
public struct Keypress: OpenCode {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let entryStarted = Keypress(rawValue: 0x00)
  public static let digitEntered = Keypress(rawValue: 0x01)
  public static let digitErased = Keypress(rawValue: 0x02)
  public static let cleared = Keypress(rawValue: 0x03)
  public static let entryCompleted = Keypress(rawValue: 0x04)
}
