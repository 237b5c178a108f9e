import BLECore

/// What a Security Manager wants done.
package struct SecurityOutput: Sendable {
  /// Packets for the peer, in order, code first.
  package var packets: [[UInt8]] = []
  /// The key with which the central is to start encryption (HCI LE Enable Encryption); nil for nothing.
  package var encryption: LongTermKey?
  /// What happened.
  package var events: [SecurityEvent] = []

  /// Nothing.
  package init() {}
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
  /// The link could not be encrypted with the bond's key: most likely the peer has lost it.
  case keyMissing
}
