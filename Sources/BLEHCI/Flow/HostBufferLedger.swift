import BLECore

/// The host's buffers for ACL data: gives them back to the controller in batches (Core 5.4 Vol 4 Part E 4.2, 7.3.40).
///
/// A host that reads its line and hands everything on at once never holds data back; what it announces is how much may lie
/// on the line while it does not come to read. So buffers are given back only now and then, for all connections in one
/// command: after `batch` packets, and otherwise a little later. That takes care of controllers that use fewer buffers than
/// they were offered, as Zephyr's do: none waits for ever for the rest of a batch.
public struct HostBufferLedger: Sendable {
  /// After how many packets buffers are given back at once: few enough for controllers that use few buffers.
  public static let usualBatch = 4
  /// How long buffers are kept for the rest of a batch.
  public static let patience = Duration.milliseconds(10)
  /// How many connections one command has room for.
  private static let commandCapacity = 63

  /// How many packets the controller was told that the host can hold; zero without flow control.
  public private(set) var count = 0
  /// When buffers are given back although there are few of them.
  public private(set) var nextDeadline: Instant?

  /// What is free again and the controller does not know of, by connection.
  private var free: [CompletedPackets] = []
  private var freeCount = 0
  private var batch = 1
  /// The connections of the last command, until they end.
  private var lastReturned: [ConnectionHandle] = []
  /// Whether a connection ended whose buffers may have been given back too late.
  private var mayBeRefused = false

  /// A ledger without flow control.
  public init() {}

  /// Begins anew: flow control is on with so many buffers, or off with none.
  public mutating func configure(count: Int) {
    self = HostBufferLedger()
    self.count = max(0, count)
    batch = max(1, min(Self.usualBatch, count / 2))
  }

  /// Whether the controller counts.
  public var isOn: Bool { count > 0 }

  /// Counts a packet of a connection that has been taken out of its buffer.
  public mutating func took(_ handle: ConnectionHandle) {
    guard isOn else { return }
    freeCount += 1
    for index in free.indices where free[index].connectionHandle == handle {
      free[index].count &+= 1
      return
    }
    free.append(CompletedPackets(handle, count: 1))
  }

  /// The controller takes the buffers of a connection that has ended for free (7.3.40): nothing more is said about it.
  public mutating func disconnect(_ handle: ConnectionHandle) {
    if lastReturned.contains(handle) { mayBeRefused = true }
    guard let index = free.firstIndex(where: { $0.connectionHandle == handle }) else { return }
    freeCount -= Int(free.remove(at: index).count)
    if freeCount == 0 { nextDeadline = nil }
  }

  /// Appends the command that gives buffers back, when it is time. To be called when everything that came has been taken.
  public mutating func flush(at now: Instant, into buffer: inout OctetBuffer) {
    guard freeCount > 0 else { return }
    guard freeCount >= batch || nextDeadline.map({ $0 <= now }) ?? false else {
      if nextDeadline == nil { nextDeadline = now + Self.patience }
      return
    }
    lastReturned.removeAll(keepingCapacity: true)
    for entry in free { lastReturned.append(entry.connectionHandle) }
    while !free.isEmpty {
      let entries = Array(free.prefix(Self.commandCapacity))
      HCIHostNumberOfCompletedPackets { $0.completed = entries }.encodeH4(into: &buffer)
      free.removeFirst(entries.count)
    }
    freeCount = 0
    nextDeadline = nil
    mayBeRefused = false
  }

  /// The controller refused what was given back last; returns whether that was to be expected, because a connection had ended
  /// before the command came.
  public mutating func refused() -> Bool {
    defer { mayBeRefused = false }
    return mayBeRefused
  }
}
