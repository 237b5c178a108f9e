import BLECore

/// The host's buffers for ACL data, which it returns to the controller in batches (Core 5.4 Vol 4 Part E 4.2, 7.3.40).
///
/// A host that reads its line and passes everything on at once never holds data back. The buffers it announces only limit how much may be
/// on the line while it does not read. So buffers are returned only occasionally, for all connections in one command: after `batch`
/// packets, or else a little later. The delay is for controllers, such as Zephyr's, that use fewer buffers than they are offered: none
/// waits forever for the rest of a batch.
public struct HostBufferLedger: Sendable {
  /// The number of packets after which buffers are returned at once: low enough for controllers that use few buffers.
  public static let usualBatch = 4
  /// The time that buffers wait for the rest of a batch.
  public static let patience = Duration.milliseconds(10)
  /// The maximum number of connections in one command.
  private static let commandCapacity = 63

  /// The number of packets that the controller was told the host can hold; zero without flow control.
  public private(set) var count = 0
  /// When an incomplete batch is returned.
  public private(set) var nextDeadline: Instant?

  /// The free buffers that have not been returned, by connection.
  private var free: [CompletedPackets] = []
  private var freeCount = 0
  private var batch = 1
  /// The connections in the last command, until they end.
  private var lastReturned: [ConnectionHandle] = []
  /// Whether a connection has ended whose buffers may have been returned too late.
  private var mayBeRefused = false

  /// Creates a ledger without flow control.
  public init() {}

  /// Restarts with this many buffers; zero switches flow control off.
  public mutating func configure(count: Int) {
    self = HostBufferLedger()
    self.count = max(0, count)
    batch = max(1, min(Self.usualBatch, count / 2))
  }

  /// Whether flow control is on.
  public var isOn: Bool { count > 0 }

  /// Counts a packet of a connection that has been taken from its buffer.
  public mutating func took(_ handle: ConnectionHandle) {
    guard isOn else { return }
    freeCount += 1
    for index in free.indices where free[index].connectionHandle == handle {
      free[index].count &+= 1
      return
    }
    free.append(CompletedPackets(handle, count: 1))
  }

  /// Drops the buffers of a connection that has ended. The controller considers them free (7.3.40), so they are not returned.
  public mutating func disconnect(_ handle: ConnectionHandle) {
    if lastReturned.contains(handle) { mayBeRefused = true }
    guard let index = free.firstIndex(where: { $0.connectionHandle == handle }) else { return }
    freeCount -= Int(free.remove(at: index).count)
    if freeCount == 0 { nextDeadline = nil }
  }

  /// Appends the command that returns buffers, if it is due. Call this after all received packets have been taken.
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

  /// Handles a refusal of the last command. Returns whether it was expected, because a connection had ended before the command arrived.
  public mutating func refused() -> Bool {
    defer { mayBeRefused = false }
    return mayBeRefused
  }
}
