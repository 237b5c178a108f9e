import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import Faults

/// What faults have yet to do: alter answers to open requests, send delayed PDUs, end links.
struct FaultAgenda: Sendable {
  /// The action for the next answer over a bearer.
  struct PendingAnswer: Sendable {
    var connection: ConnectionHandle
    var bearer: BearerID
    var action: FaultAction
  }

  /// Something to do at a given time.
  enum Task: Sendable {
    /// Processes a delayed request.
    case take([UInt8], ConnectionHandle, BearerID)
    /// Sends a PDU of the server.
    case send([UInt8], ConnectionHandle, BearerID)
    /// Makes one request of a flood.
    case ask(FaultFlood, ConnectionHandle, number: Int)
    /// Closes a channel.
    case close(ChannelID, ConnectionHandle)
    /// Answers a request for a connection over BR/EDR.
    case answer(HCIConnectionRequest)
    /// Answers a request for service discovery.
    case discover([UInt8], ConnectionHandle, ChannelID)
    /// Executes any other action.
    case perform(FaultAction, ConnectionHandle)
    /// Executes an action that ends all links, even if the link that triggered it has ended.
    case end(FaultAction)
    /// Ends the accessory's absence.
    case comeBack

    /// The link that it concerns.
    var connection: ConnectionHandle? {
      switch self {
      case .take(_, let connection, _), .send(_, let connection, _), .ask(_, let connection, _),
        .close(_, let connection), .discover(_, let connection, _), .perform(_, let connection):
        connection
      case .answer, .end, .comeBack: nil
      }
    }

    /// The bearer that it concerns.
    var bearer: BearerID? {
      switch self {
      case .take(_, _, let bearer), .send(_, _, let bearer): bearer
      default: nil
      }
    }
  }

  /// A value that is held back until the next one of its attribute has been sent.
  private struct Overtaken: Sendable {
    var pdu: [UInt8]
    var connection: ConnectionHandle
    var bearer: BearerID
  }

  private(set) var pending: [PendingAnswer] = []
  /// The tasks, ordered by due time, then by when they were added.
  private var tasks: [(at: Instant, task: Task)] = []
  private var overtaken: [Overtaken] = []
  /// Links to end once everything queued on them has been sent.
  private(set) var leaving: [(connection: ConnectionHandle, reason: ErrorCode)] = []
  /// The last notification of each attribute on each link, kept only if a fault may send it again.
  private var lastValues: [(connection: ConnectionHandle, attribute: UInt16, pdu: [UInt8])] = []
  /// How many more Service Changed indications to send.
  private var storms: [(connection: ConnectionHandle, left: Int)] = []

  /// When the next task is due.
  private(set) var nextDeadline: Instant?

  // MARK: Tasks

  mutating func add(_ task: Task, at instant: Instant) {
    let place = tasks.lastIndex { $0.at <= instant }.map { $0 + 1 } ?? 0
    tasks.insert((instant, task), at: place)
    updateDeadline()
  }

  /// Removes and returns the first task that is due.
  mutating func nextTask(at now: Instant) -> Task? {
    guard let nextDeadline, nextDeadline <= now else { return nil }
    let task = tasks.removeFirst().task
    updateDeadline()
    return task
  }

  private mutating func updateDeadline() { nextDeadline = tasks.first?.at }

  /// Returns whether a flood of that kind is in progress on a link.
  func isFlooding(_ connection: ConnectionHandle, _ kind: FaultFlood) -> Bool {
    tasks.contains { if case .ask(kind, connection, _) = $0.task { true } else { false } }
  }

  /// Removes everything that concerns a link.
  mutating func forget(_ connection: ConnectionHandle) {
    pending.removeAll { $0.connection == connection }
    tasks.removeAll { $0.task.connection == connection }
    overtaken.removeAll { $0.connection == connection }
    leaving.removeAll { $0.connection == connection }
    lastValues.removeAll { $0.connection == connection }
    storms.removeAll { $0.connection == connection }
    updateDeadline()
  }

  /// Removes everything that concerns a closed bearer, because another one may get its identity.
  mutating func forget(_ bearer: BearerID, of connection: ConnectionHandle) {
    pending.removeAll { $0.connection == connection && $0.bearer == bearer }
    tasks.removeAll { $0.task.connection == connection && $0.task.bearer == bearer }
    overtaken.removeAll { $0.connection == connection && $0.bearer == bearer }
    updateDeadline()
  }

  // MARK: Answers

  mutating func alterNextAnswer(over bearer: BearerID, of connection: ConnectionHandle, _ action: FaultAction) {
    pending.append(PendingAnswer(connection: connection, bearer: bearer, action: action))
  }

  /// Removes and returns the action for the answer that is about to be sent.
  mutating func takePending(over bearer: BearerID, of connection: ConnectionHandle) -> FaultAction? {
    guard let index = pending.firstIndex(where: { $0.connection == connection && $0.bearer == bearer }) else {
      return nil
    }
    return pending.remove(at: index).action
  }

  // MARK: Values

  /// Holds a value back until the next one of its attribute has been sent.
  mutating func letOvertake(_ pdu: [UInt8], _ connection: ConnectionHandle, _ bearer: BearerID) {
    overtaken.append(Overtaken(pdu: pdu, connection: connection, bearer: bearer))
  }

  /// Schedules the values that were held back until a value of that attribute was sent.
  mutating func valueSent(_ attribute: UInt16, on connection: ConnectionHandle, at now: Instant) {
    guard !overtaken.isEmpty else { return }
    for value in overtaken where value.connection == connection && value.pdu.attribute == attribute {
      add(.send(value.pdu, connection, value.bearer), at: now)
    }
    overtaken.removeAll { $0.connection == connection && $0.pdu.attribute == attribute }
  }

  /// Whether any value is held back for reordering.
  var holdsValues: Bool { !overtaken.isEmpty }

  /// Returns whether a value of that attribute is held back for reordering.
  func isWaiting(_ attribute: UInt16, on connection: ConnectionHandle) -> Bool {
    overtaken.contains { $0.connection == connection && $0.pdu.attribute == attribute }
  }

  mutating func keepValue(_ pdu: [UInt8], on connection: ConnectionHandle) {
    let attribute = pdu.attribute
    lastValues.removeAll { $0.connection == connection && $0.attribute == attribute }
    lastValues.append((connection, attribute, pdu))
  }

  func lastValue(of attribute: UInt16, on connection: ConnectionHandle) -> [UInt8]? {
    lastValues.first { $0.connection == connection && $0.attribute == attribute }?.pdu
  }

  // MARK: Links

  mutating func leave(_ connection: ConnectionHandle, reason: ErrorCode) { leaving.append((connection, reason)) }

  mutating func hasLeft(_ connection: ConnectionHandle) { leaving.removeAll { $0.connection == connection } }

  mutating func begin(storm count: Int, on connection: ConnectionHandle) {
    storms.removeAll { $0.connection == connection }
    storms.append((connection, count))
  }

  /// Counts one Service Changed indication of a storm; returns false if none remain.
  mutating func takeStorm(on connection: ConnectionHandle) -> Bool {
    guard let index = storms.firstIndex(where: { $0.connection == connection }) else { return false }
    storms[index].left -= 1
    if storms[index].left <= 0 { storms.remove(at: index) }
    return true
  }
}

extension [UInt8] {
  /// The handle in a notification or an indication.
  fileprivate var attribute: UInt16 { count > 2 ? UInt16(self[1]) | UInt16(self[2]) << 8 : 0 }
}
