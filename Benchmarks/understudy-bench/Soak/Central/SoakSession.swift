import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import CentralHost
import Crypto

/// What a central remembers of the session that it is in.
struct SoakSession: Sendable {
  var plan: SoakPlan
  /// How many of the actions are done.
  var position = 0
  var link = ConnectionHandle(rawValue: 0)
  var handles = SoakHandles()
  /// The operation that is waited for, and since when.
  var operation: (id: OperationID, begun: Instant)?
  /// What is still to be read, or subscribed to, where that is everything.
  var remaining: [UInt16] = []
  /// How many Write Commands of the action are gone.
  var commands = 0
  /// What was written to the slot and not yet found there.
  var written: [UInt8] = []
  /// The last number of each stream; nil before the first.
  var sequence: UInt32?
  var steps: UInt32?
  /// What is subscribed to.
  var streams: Set<SoakStream> = []
  /// How many values the action has taken.
  var taken = 0
  var channel: ChannelStatus?
  var echo: SoakEcho?
  /// How often connecting was tried.
  var attempts = 0
  /// Whether what somebody else did ends it, so that nothing that fails is wrong.
  var isInterrupted = false
  /// Whether it was given up, with a fault.
  var isAbandoned = false

  /// Whether the last action but this one was to write without responses.
  var isBehindCommands: Bool {
    guard position > 0, plan.actions.indices.contains(position - 1) else { return false }
    if case .writeCommands = plan.actions[position - 1] { return true }
    return false
  }

  /// What is under way; nil behind the last action.
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

/// What a central wants the outside to do to end its session.
struct SoakTask: Hashable, Sendable {
  /// The central, from 0 on.
  var central: Int
  var end: SoakEnd
  /// The supervision timeout of its link.
  var timeout: Duration
}
