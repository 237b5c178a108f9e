import BLECore

/// The output of a Security Manager.
package struct SecurityOutput: Sendable {
  /// Packets for the peer, in order, each starting with its code.
  package var packets: [[UInt8]] = []
  /// The key with which the central is to start encryption (HCI LE Enable Encryption); nil if none.
  package var encryption: LongTermKey?
  /// The events.
  package var events: [SecurityEvent] = []

  /// Creates an empty output.
  package init() {}
}

/// An event of a Security Manager.
public enum SecurityEvent: Hashable, Sendable {
  /// The peer has requested security with these requirements, by a Security Request (3.6.7).
  case requested(PairingRequirements)
  /// A pairing has started, with this association model.
  case pairing(AssociationModel, isSecureConnections: Bool)
  /// The user must answer a question, or a value must be displayed.
  case asked(PairingQuestion)
  /// The question no longer needs an answer.
  case questionEnded
  /// The peer's user pressed a key (3.5.8).
  case keypress(Keypress)
  /// The security of the link has changed.
  case securityChanged(LinkSecurity)
  /// A pairing is complete, with all keys distributed. `bonded` tells whether both sides store them.
  case paired(Bond, bonded: Bool)
  /// A pairing has failed.
  case failed(PairingFailed.Reason, byPeer: Bool)
  /// A pairing has ended without a reason from the peer: after 30 s of silence, or with the link (`cut`).
  case timedOut
  case cut
  /// The link could not be encrypted with the bond's key. Most likely the peer has lost it.
  case keyMissing
}
