import BLEATT
import BLECore

/// A client's side of an ATT bearer: its MTU, and the one request that may be in progress on it (Core 5.4 Vol 3 Part F 3.3.2).
struct ClientBearer: Sendable {
  let id: BearerID
  /// In octets.
  var mtu: Int
  /// The operation in progress; nil if the bearer is free.
  var current: Transaction?
  /// The deadline for the server's response.
  var deadline: Instant?

  /// An operation in progress.
  struct Transaction: Sendable {
    let id: OperationID
    let operation: GATTOperation
    var procedure: any GATTProcedure
    /// The request that waits for its response.
    var request: ATTOpcode
    /// The MTU when the request was sent. The server on this side may agree on another meanwhile, and the response may use either.
    var mtu: Int
  }
}

extension GATTOperation {
  /// Returns whether it must wait for the end of an earlier operation on another bearer. Requests on different bearers are answered in any
  /// order (Core 5.4 Vol 3 Part F 3.3.2), but callers expect the order of their calls wherever it matters.
  func waits(for other: GATTOperation) -> Bool {
    if isExclusive || other.isExclusive { return true }
    // A client has one queue of prepared writes for all bearers (Core 5.4 Vol 3 Part F 3.4.6).
    if isQueued && other.isQueued { return true }
    return (isWriting || other.isWriting) && !Set(handles).isDisjoint(with: other.handles)
  }

  /// Whether it changes the discovered database or the client's change-awareness: nothing may run in parallel (Core 5.4 Vol 3 Part G
  /// 2.5.2.1).
  private var isExclusive: Bool {
    switch self {
    case .exchangeMTU, .discoverAll, .discoverByKind, .discoverPrimaryServices, .discoverPrimaryServicesByUUID,
      .findIncludedServices, .discoverCharacteristics, .discoverDescriptors:
      true
    case .readByType(let type, _): type == .databaseHash
    default: false
    }
  }

  /// Whether it may use the server's queue of prepared writes, at any MTU.
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
