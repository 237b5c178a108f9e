/// The association model of a pairing (Core 5.4 Vol 3 Part H 2.3.5.1).
public enum AssociationModel: Hashable, Sendable {
  case justWorks
  case numericComparison
  /// The side that types the passkey. With `both` the user enters the same passkey on both sides.
  case passkeyEntry(typist: Typist)
  case outOfBand

  /// The side that types the passkey.
  public enum Typist: Hashable, Sendable { case own, peer, both }

  /// Whether it protects against a man in the middle.
  public var isAuthenticated: Bool { self != .justWorks }
}

extension AssociationModel {
  /// Selects the model by tables 2.6 to 2.8 from the features of this side and of the peer.
  init(own: PairingFeatures, peer: PairingFeatures, role: SecurityManager.Role, isSecureConnections: Bool) {
    let hasOutOfBandData =
      isSecureConnections
      ? own.outOfBandFlag == 1 || peer.outOfBandFlag == 1 : own.outOfBandFlag == 1 && peer.outOfBandFlag == 1
    let needsAuthentication = own.requirements.union(peer.requirements).contains(.authentication)
    guard !hasOutOfBandData else { self = .outOfBand; return }
    guard needsAuthentication, let ownIO = IOCapability(rawValue: own.ioCapability),
      let peerIO = IOCapability(rawValue: peer.ioCapability)
    else { self = .justWorks; return }
    self = .init(ownIO, peerIO, role: role, isSecureConnections: isSecureConnections)
  }

  /// Selects the model by table 2.8.
  private init(
    _ own: IOCapability, _ peer: IOCapability, role: SecurityManager.Role, isSecureConnections: Bool
  ) {
    if isSecureConnections && own.compares && peer.compares {
      self = .numericComparison
    } else if own == .noInputNoOutput || peer == .noInputNoOutput || !(own.types || peer.types) {
      self = .justWorks
    } else if own.types != peer.types {
      self = .passkeyEntry(typist: own.types ? .own : .peer)
    } else if own == .keyboardOnly && peer == .keyboardOnly {
      self = .passkeyEntry(typist: .both)
    } else if own == peer {
      // Both have display and keyboard: the initiator displays, the responder's user types.
      self = .passkeyEntry(typist: role == .responder ? .own : .peer)
    } else {
      self = .passkeyEntry(typist: own == .keyboardOnly ? .own : .peer)
    }
  }
}

extension IOCapability {
  /// Whether the user can type a passkey.
  fileprivate var types: Bool { self == .keyboardOnly || self == .keyboardDisplay }
  /// Whether it can display six digits and the user can answer yes or no.
  fileprivate var compares: Bool { self == .displayYesNo || self == .keyboardDisplay }
}
