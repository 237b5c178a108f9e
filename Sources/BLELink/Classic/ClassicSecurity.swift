import BLECore
import BLEHCI
import BLESMP

/// The state of authentication, pairing and encryption of a link over BR/EDR (Core 5.4 Vol 3 Part C 5.2.2). The controllers pair by
/// Secure Simple Pairing (Vol 2 Part H 7); the hosts choose how, and keep the key.
struct ClassicSecurity: Sendable {
  /// The key of the link: the bond's, or a new one.
  var key: Key?
  /// Whether the key comes from the bond, so that encryption with it proves the peer's identity.
  var isKeyOfBond = false
  /// Whether the link is encrypted, and the controller has yet to say how long its key is.
  var isMeasuring = false
  /// The strength of the key that encrypts the link; nil without encryption.
  var inUse: KeyStrength?
  /// The octets of the key that encrypted the link last. A pairing on an encrypted link replaces `key`, but not this one.
  var encryptingKey: [UInt8]?
  /// The pairing in progress.
  var pairing: Pairing?
  /// Whether this side is authenticating the peer, in order to encrypt the link.
  var isRaising = false

  /// A link key.
  struct Key: Sendable {
    var octets: [UInt8]
    var strength: KeyStrength
  }

  /// A pairing.
  struct Pairing: Sendable {
    /// What the peer's user can see and enter, and what its host requires; nil until the peer has said so.
    var peer: (capability: SimplePairingIOCapability, requirements: AuthenticationRequirements)?
    /// What this side requires.
    var own: AuthenticationRequirements
    /// How the devices authenticate each other.
    var model: AssociationModel?
    /// The question that waits for an answer.
    var question: PairingQuestion?
    /// Whether this side's user, or its policy, has ended it.
    var isRefused = false

    /// Whether both sides keep the key.
    var bonds: Bool { own.bonds && peer?.requirements.bonds ?? false }
  }

  /// Returns the security of the link.
  func linkSecurity(isBonded: Bool) -> LinkSecurity {
    guard let inUse else { return LinkSecurity(protection: .none, isBonded: isBonded) }
    return LinkSecurity(protection: inUse.protection, keySize: inUse.keySize, isBonded: isBonded)
  }
}

extension KeyStrength {
  /// The protection of a link that is encrypted with such a key (Core 5.4 Vol 3 Part C 5.2.2.8, 10.2.1).
  fileprivate var protection: LinkProtection {
    guard isAuthenticated else { return .encrypted }
    return isSecureConnections && keySize == 16 ? .secureConnections : .authenticated
  }
}

extension SimplePairingIOCapability {
  /// Returns the capability on BR/EDR, where a display and a keyboard together do not exist: a device with both compares numbers (Core 5.4
  /// Vol 3 Part C 5.2.2.4).
  init(_ capability: IOCapability) {
    self = capability == .keyboardDisplay ? .displayYesNo : SimplePairingIOCapability(rawValue: capability.rawValue)
  }
}

extension AuthenticationRequirements {
  /// Returns what a policy requires (Core 5.4 Vol 3 Part C 5.2.2.5). `needsAuthentication` says that the link needs an authenticated key.
  init(_ policy: PairingPolicy, needsAuthentication: Bool = false) {
    let protects = needsAuthentication || policy.requiresAuthentication || policy.prefersAuthentication
    let bonding: AuthenticationRequirements = policy.bonds ? .generalBonding : .noBonding
    self.init(rawValue: bonding.rawValue | (protects ? 1 : 0))
  }
}

extension AssociationModel {
  /// Selects the model of Secure Simple Pairing (Core 5.4 Vol 3 Part C 5.2.2.6, table 5.7). If no side requires protection against a man in
  /// the middle, numbers are confirmed without the user.
  init(
    own: SimplePairingIOCapability, peer: SimplePairingIOCapability, needsAuthentication: Bool
  ) {
    let pair = (own, peer)
    if !needsAuthentication || own == .noInputNoOutput || peer == .noInputNoOutput {
      self = .justWorks
    } else if own == .keyboardOnly || peer == .keyboardOnly {
      self = .passkeyEntry(typist: own != .keyboardOnly ? .peer : peer == .keyboardOnly ? .both : .own)
    } else {
      self = pair == (.displayYesNo, .displayYesNo) ? .numericComparison : .justWorks
    }
  }
}
