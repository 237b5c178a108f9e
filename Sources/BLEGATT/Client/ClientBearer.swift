import BLEATT
import BLECore

/// A client's side of one ATT bearer: its MTU, and the one request that may be under way on it (Core 5.4 Vol 3 Part F 3.3.2).
struct ClientBearer: Sendable {
  let id: BearerID
  /// In octets.
  var mtu: Int
  /// The operation under way; nil when the bearer is free.
  var current: Transaction?
  /// When the server's answer is overdue.
  var deadline: Instant?

  /// An operation under way.
  struct Transaction: Sendable {
    let id: OperationID
    let operation: GATTOperation
    var procedure: any GATTProcedure
    /// The request that waits for its response.
    var request: ATTOpcode
    /// The MTU when it was sent: the server on this side may agree on another one meanwhile, and the response be made by either.
    var mtu: Int
  }
}

extension GATTOperation {
  /// Whether it must wait for the end of one that began before it on another bearer. Requests on different bearers are answered in
  /// any order (Core 5.4 Vol 3 Part F 3.3.2), and their author expects the order in which he gave them wherever it matters.
  func waits(for other: GATTOperation) -> Bool {
    if isExclusive || other.isExclusive { return true }
    // What is prepared is one queue for all bearers of a client (Core 5.4 Vol 3 Part F 3.4.6).
    if isQueued && other.isQueued { return true }
    return (isWriting || other.isWriting) && !Set(handles).isDisjoint(with: other.handles)
  }

  /// Whether it changes what is known of the database, or of whether it is known: nothing may be under way beside it
  /// (Core 5.4 Vol 3 Part G 2.5.2.1).
  private var isExclusive: Bool {
    switch self {
    case .exchangeMTU, .discoverAll, .discoverPrimaryServices, .discoverPrimaryServicesByUUID, .findIncludedServices,
      .discoverCharacteristics, .discoverDescriptors:
      true
    case .readByType(let type, _): type == .databaseHash
    default: false
    }
  }

  /// Whether it may use the server's queue of prepared writes, at whatever MTU.
  private var isQueued: Bool {
    switch self {
    case .writeReliably: true
    case .write(_, let value): value.count > ATTBearer.defaultMTU - 3
    default: false
    }
  }

  private var isWriting: Bool {
    switch self {
    case .write, .writeReliably, .configure: true
    default: false
    }
  }

  private var handles: [UInt16] {
    switch self {
    case .read(let handle), .readFrom(let handle, _), .write(let handle, _), .configure(let handle, _): [handle]
    case .readMultiple(let handles), .readMultipleVariable(let handles): handles
    case .writeReliably(let writes): writes.map(\.handle)
    default: []
    }
  }
}
