import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import Crypto

/// What a central remembers about its current session.
struct SoakSession: Sendable {
  var plan: SoakPlan
  /// How many actions are done.
  var position = 0
  var link = ConnectionHandle(rawValue: 0)
  var handles = SoakHandles()
  /// The operation that the central waits for, and when it began.
  var operation: (id: OperationID, begun: Instant)?
  /// What is still to be read or subscribed to, when that is everything.
  var remaining: [UInt16] = []
  /// How many of the action's Write Commands have been sent.
  var commands = 0
  /// What was written to the slot and has not been read back yet.
  var written: [UInt8] = []
  /// The last number of each stream; nil before the first.
  var sequence: UInt32?
  var steps: UInt32?
  /// The streams that are subscribed to.
  var streams: Set<SoakStream> = []
  /// How many values the action has taken.
  var taken = 0
  var channel: ChannelStatus?
  var echo: SoakEcho?
  /// How many times the central has tried to connect.
  var attempts = 0
  /// Whether a task for another central ends it, so that failures are not faults.
  var isInterrupted = false
  /// Whether it was given up, with a fault.
  var isAbandoned = false

  /// Whether the previous action was to write without responses.
  var isBehindCommands: Bool {
    guard position > 0, plan.actions.indices.contains(position - 1) else { return false }
    if case .writeCommands = plan.actions[position - 1] { return true }
    return false
  }

  /// The current action; nil after the last one.
  var action: SoakAction? { plan.actions.indices.contains(position) ? plan.actions[position] : nil }
}

/// Octets on their way to the accessory and back.
struct SoakEcho: Sendable {
  let payload: [UInt8]
  var sent = 0
  var received = 0
  private var hash = SHA256()

  init(_ payload: [UInt8]) { self.payload = payload }

  mutating func take(_ sdu: [UInt8]) {
    hash.update(data: sdu)
    received += sdu.count
  }

  /// Whether everything is back.
  var isWhole: Bool { received >= payload.count }

  /// Whether what came back is what was sent.
  var isEqual: Bool {
    received == payload.count && Array(hash.finalize()) == Array(SHA256.hash(data: payload))
  }
}

/// What a central wants the driver to do to end its session.
struct SoakTask: Hashable, Sendable {
  /// The number of the central, starting at 0.
  var central: Int
  var end: SoakEnd
  /// The supervision timeout of its link.
  var timeout: Duration
}
