import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import Faults

/// What faults have still to do: alter the answers to requests that are being answered, send what was held back, end links.
struct FaultAgenda: Sendable {
  /// What becomes of the next answer over a bearer.
  struct PendingAnswer: Sendable {
    var connection: ConnectionHandle
    var bearer: BearerID
    var action: FaultAction
  }

  /// Something to do at a time.
  enum Task: Sendable {
    /// Take a request that was put off.
    case take([UInt8], ConnectionHandle, BearerID)
    /// Send a PDU of the server.
    case send([UInt8], ConnectionHandle, BearerID)
    /// Ask for something else once more.
    case ask(FaultFlood, ConnectionHandle, number: Int)
    /// Close a channel.
    case close(ChannelID, ConnectionHandle)
    /// Do what else a fault does.
    case perform(FaultAction, ConnectionHandle)
    /// Do what ends all links, whatever has become of the one that has set it off.
    case end(FaultAction)
    /// The accessory is there again.
    case comeBack

    /// The link that it is about.
    var connection: ConnectionHandle? {
      switch self {
      case .take(_, let connection, _), .send(_, let connection, _), .ask(_, let connection, _),
        .close(_, let connection),
        .perform(_, let connection):
        connection
      case .end, .comeBack: nil
      }
    }

    /// The bearer that it is about.
    var bearer: BearerID? {
      switch self {
      case .take(_, _, let bearer), .send(_, _, let bearer): bearer
      default: nil
      }
    }
  }

  /// A value that waits for the next one of its attribute to overtake it.
  private struct Overtaken: Sendable {
    var pdu: [UInt8]
    var connection: ConnectionHandle
    var bearer: BearerID
  }

  private(set) var pending: [PendingAnswer] = []
  /// What is to be done, by the time at which it is due, and in the order in which it was given.
  private var tasks: [(at: Instant, task: Task)] = []
  private var overtaken: [Overtaken] = []
  /// Links that end when everything that was said on them has gone out.
  private(set) var leaving: [(connection: ConnectionHandle, reason: ErrorCode)] = []
  /// The last notification of each attribute on each link, where somebody may want to go on with it.
  private var lastValues: [(connection: ConnectionHandle, attribute: UInt16, pdu: [UInt8])] = []
  /// How often Service Changed is still indicated.
  private var storms: [(connection: ConnectionHandle, left: Int)] = []

  /// When the next task is due.
  private(set) var nextDeadline: Instant?

  // MARK: Tasks

  mutating func add(_ task: Task, at instant: Instant) {
    let place = tasks.lastIndex { $0.at <= instant }.map { $0 + 1 } ?? 0
    tasks.insert((instant, task), at: place)
    updateDeadline()
  }

  /// The first task that is due, in the order in which they were given.
  mutating func nextTask(at now: Instant) -> Task? {
    guard let nextDeadline, nextDeadline <= now else { return nil }
    let task = tasks.removeFirst().task
    updateDeadline()
    return task
  }

  private mutating func updateDeadline() { nextDeadline = tasks.first?.at }

  /// Whether a flood of that kind is under way on a link.
  func isFlooding(_ connection: ConnectionHandle, _ kind: FaultFlood) -> Bool {
    tasks.contains { if case .ask(kind, connection, _) = $0.task { true } else { false } }
  }

  /// Forgets all that was to be done on a link.
  mutating func forget(_ connection: ConnectionHandle) {
    pending.removeAll { $0.connection == connection }
    tasks.removeAll { $0.task.connection == connection }
    overtaken.removeAll { $0.connection == connection }
    leaving.removeAll { $0.connection == connection }
    lastValues.removeAll { $0.connection == connection }
    storms.removeAll { $0.connection == connection }
    updateDeadline()
  }

  /// Forgets all that was to be said over a bearer that has closed: another one may get its name.
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

  /// What becomes of the answer that goes out now.
  mutating func takePending(over bearer: BearerID, of connection: ConnectionHandle) -> FaultAction? {
    guard let index = pending.firstIndex(where: { $0.connection == connection && $0.bearer == bearer }) else {
      return nil
    }
    return pending.remove(at: index).action
  }

  // MARK: Values

  /// Holds a value back until the next one of its attribute has gone out.
  mutating func letOvertake(_ pdu: [UInt8], _ connection: ConnectionHandle, _ bearer: BearerID) {
    overtaken.append(Overtaken(pdu: pdu, connection: connection, bearer: bearer))
  }

  /// A value of that attribute goes out: those that it overtakes follow it.
  mutating func valueSent(_ attribute: UInt16, on connection: ConnectionHandle, at now: Instant) {
    guard !overtaken.isEmpty else { return }
    for value in overtaken where value.connection == connection && value.pdu.attribute == attribute {
      add(.send(value.pdu, connection, value.bearer), at: now)
    }
    overtaken.removeAll { $0.connection == connection && $0.pdu.attribute == attribute }
  }

  /// Whether any value waits to be overtaken.
  var holdsValues: Bool { !overtaken.isEmpty }

  /// Whether a value of that attribute waits to be overtaken.
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

  /// Whether Service Changed is indicated once more; counts it.
  mutating func takeStorm(on connection: ConnectionHandle) -> Bool {
    guard let index = storms.firstIndex(where: { $0.connection == connection }) else { return false }
    storms[index].left -= 1
    if storms[index].left <= 0 { storms.remove(at: index) }
    return true
  }
}

extension [UInt8] {
  /// The attribute that a notification or an indication is of.
  fileprivate var attribute: UInt16 { count > 2 ? UInt16(self[1]) | UInt16(self[2]) << 8 : 0 }
}
