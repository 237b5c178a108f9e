import BLECore
import BLEGATT
import BLESMP

/// What a link has to do with bonds and encryption, beside its Security Manager.
struct LinkProtectionState: Sendable {
  /// Whether the key with which encryption is about to begin is that of the bond, and not that of a pairing.
  var isKeyOfBond = false
  /// Whether the peer has shown to be that of the bond: the link was encrypted with its key, or the bond is from this link. Of
  /// several links of a peer only the one that showed it last has this set, and what its client does is kept.
  var isBondProven = false
  /// Up to which `GATTSession.revision` the bond's record is up to date.
  var keptRevision: UInt32 = 0
  /// Since when the controller has the key for an encryption whose end it has not reported.
  var encryptionBegan: Instant?
  /// Until when a pairing or an encryption is waited for that was asked for after an access was refused; nil when none is. One that
  /// has begun ends by itself.
  var raisingDue: Instant?
  /// The request for the peer's Central Address Resolution; nil while none is under way.
  var resolutionQuestion: OperationID?
  /// The operations of the client that may have to be performed again.
  var repetitions = ClientRepetitions()
}

/// The operations of the client on this side that may have to be performed again on a link that is secure enough
/// (Core 5.4 Vol 3 Part C 10.3.2).
struct ClientRepetitions: Sendable {
  /// Those that have not ended, by the numbers under which the client has them.
  var begun: [OperationID: Entry] = [:]
  /// Those that were refused and wait for better security, each with its end if that does not come.
  var refused: [(entry: Entry, outcome: GATTOutcome)] = []

  /// One operation.
  struct Entry: Sendable {
    /// The number under which its owner knows it.
    var id: OperationID
    var operation: GATTOperation
    var refusals = 0
  }

  /// How often an operation may be refused and performed again: on an open link a bond's key may not be good enough.
  static let limit = 2
}
