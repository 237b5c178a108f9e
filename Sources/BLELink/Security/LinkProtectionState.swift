import BLECore
import BLEGATT
import BLESMP

/// The state of a link's bond and encryption, besides its Security Manager.
struct LinkProtectionState: Sendable {
  /// Whether the key of the encryption in progress is the bond's, and not that of a pairing.
  var isKeyOfBond = false
  /// Whether the peer has proven to be the bonded peer: the link was encrypted with the bond's key, or the bond was made on this link. If
  /// a peer has several links, this is set only on the one that proved it last, whose client's state is stored.
  var isBondProven = false
  /// The `GATTSession.revision` that is stored in the bond's record.
  var keptRevision: UInt32 = 0
  /// When the controller got the key for an encryption whose result it has not reported.
  var encryptionBegan: Instant?
  /// The deadline for a pairing or an encryption that was requested after an access was refused; nil if there is none. A pairing that has
  /// begun has its own timeout.
  var raisingDue: Instant?
  /// The request for the peer's Central Address Resolution; nil if none is in progress.
  var resolutionQuestion: OperationID?
  /// The operations of the client that may have to be repeated.
  var repetitions = ClientRepetitions()
}

/// The operations of the client on this side that may have to be repeated when the link is secure enough
/// (Core 5.4 Vol 3 Part C 10.3.2).
struct ClientRepetitions: Sendable {
  /// The operations in progress, by the client's operation numbers.
  var begun: [OperationID: Entry] = [:]
  /// The operations that were refused and wait for better security, each with its outcome in case that fails.
  var refused: [(entry: Entry, outcome: GATTOutcome)] = []

  /// One operation.
  struct Entry: Sendable {
    /// The operation number that the owner knows.
    var id: OperationID
    var operation: GATTOperation
    var refusals = 0
  }

  /// How often an operation may be repeated: on an unencrypted link, encryption with the bond's key may not be enough.
  static let limit = 2
}
