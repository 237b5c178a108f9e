/// How a pairing authenticates (Core 5.4 Vol 3 Part H 2.3.5.1).
public enum AssociationModel: Hashable, Sendable {
  case justWorks
  case numericComparison
  /// Which side types the passkey; with `both` the user gives both sides the same one.
  case passkeyEntry(typist: Typist)
  case outOfBand

  /// Who types the passkey.
  public enum Typist: Hashable, Sendable { case own, peer, both }

  /// Whether it keeps a man in the middle out.
  public var isAuthenticated: Bool { self != .justWorks }
}

extension AssociationModel {
  /// Tables 2.6 to 2.8. `own` is what this side says of itself, `peer` what the peer says.
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

  /// Table 2.8.
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
      // Both have display and keyboard: the initiator shows, the responder's user types.
      self = .passkeyEntry(typist: role == .responder ? .own : .peer)
    } else {
      self = .passkeyEntry(typist: own == .keyboardOnly ? .own : .peer)
    }
  }
}

extension IOCapability {
  /// Whether a passkey can be typed.
  fileprivate var types: Bool { self == .keyboardOnly || self == .keyboardDisplay }
  /// Whether six digits can be shown, and yes or no be told.
  fileprivate var compares: Bool { self == .displayYesNo || self == .keyboardDisplay }
}
