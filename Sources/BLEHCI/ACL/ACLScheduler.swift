import BLECore

/// Sends L2CAP PDUs in ACL packets, never more than the controller has buffers for (Core 5.4 Vol 4 Part E 4.1.1).
///
/// A PDU is written straight into the output run behind the room for its packet's head; when a buffer is free it stays
/// there, and only otherwise it moves to its connection's queue. Connections with queued packets take turns packet by
/// packet, and one buffer is left for each other connection, so that a peer out of range cannot hold up the others.
public struct ACLScheduler: Sendable {
  /// Where a PDU begins that is being written.
  public struct Mark: Sendable {
    fileprivate let handle: ConnectionHandle
    fileprivate let start: Int
  }

  /// What became of a PDU.
  public enum Submission: Hashable, Sendable {
    /// All of it is in the output run.
    case sent
    /// Some of it waits for buffers.
    case queued
    /// The connection is not there, or nothing was written; the output run is as before.
    case dropped
  }

  /// A report of completed packets that cannot be true. What of it cannot be true is not counted.
  public enum Fault: Hashable, Sendable {
    /// There is no such connection.
    case unknownConnection(ConnectionHandle, count: Int)
    /// That many packets more than the controller had.
    case tooMany(ConnectionHandle, excess: Int)
  }

  /// The most octets of data in one packet.
  public private(set) var packetLength = 27
  /// How many packets the controller can hold.
  public private(set) var packetCount = 0

  private var links: [ACLLinkQueue] = []
  private var outstanding = 0
  private var waiting = 0
  /// The connection whose turn it is.
  private var turn = 0
  /// Whether no waiting packet could be sent now, so that a new PDU overtakes nobody.
  private var hasDrained = true

  /// A scheduler that sends nothing before `configure`.
  public init() {}

  /// Begins anew with what the controller reported after a reset: no connections, all buffers free.
  public mutating func configure(packetLength: Int, packetCount: Int) {
    self = ACLScheduler()
    self.packetLength = min(max(packetLength, 1), 0xFFFF)
    self.packetCount = max(packetCount, 0)
  }

  /// Adds a connection. One with the same handle that was never disconnected is replaced.
  public mutating func connect(_ handle: ConnectionHandle) {
    disconnect(handle)
    links.append(ACLLinkQueue(handle: handle))
  }

  /// Takes a connection away: its buffers are free at once, and its queue is dropped. Returns how many PDUs that were.
  @discardableResult
  public mutating func disconnect(_ handle: ConnectionHandle) -> Int {
    guard let index = index(of: handle) else { return 0 }
    let link = links.remove(at: index)
    outstanding -= link.outstanding
    waiting -= link.packets
    if index < turn { turn -= 1 }
    hasDrained = waiting == 0
    return link.pdus
  }

  /// Counts packets that the controller has sent or dropped; `drain` then uses the buffers.
  public mutating func completed(_ handle: ConnectionHandle, _ count: Int) -> Fault? {
    guard let index = index(of: handle) else { return .unknownConnection(handle, count: count) }
    let counted = min(max(count, 0), links[index].outstanding)
    links[index].outstanding -= counted
    links[index].completed += counted
    outstanding -= counted
    hasDrained = waiting == 0
    return counted == count ? nil : .tooMany(handle, excess: count - counted)
  }

  /// How many packets of a connection were given to this scheduler since it began: the number of the last of them. Packets are
  /// completed in that order.
  public func lastPacket(_ handle: ConnectionHandle) -> Int {
    index(of: handle).map { links[$0].completed + links[$0].outstanding + links[$0].packets } ?? 0
  }

  /// Takes packets for completed, up to that number, of which the peer has shown that it has them, or that cannot be under way
  /// any longer. Returns how many the controller has not reported.
  public mutating func writeOff(_ handle: ConnectionHandle, through number: Int) -> Int {
    guard let index = index(of: handle) else { return 0 }
    let count = min(max(number - links[index].completed, 0), links[index].outstanding)
    _ = completed(handle, count)
    return count
  }

  /// Sends nothing more on a connection: what waits is dropped, and so is what comes.
  public mutating func close(_ handle: ConnectionHandle) {
    guard let index = index(of: handle) else { return }
    waiting -= links[index].packets
    links[index].close()
    hasDrained = waiting == 0
  }

  /// Sends on a connection again that was closed.
  public mutating func reopen(_ handle: ConnectionHandle) {
    if let index = index(of: handle) { links[index].isClosed = false }
  }

  /// Begins a PDU on a connection: leaves room for the packet's head at the end of `buffer`. The caller appends the PDU,
  /// its L2CAP head and payload, and ends it with `endPDU` before anything else is appended.
  public func beginPDU(_ handle: ConnectionHandle, into buffer: inout OctetBuffer) -> Mark {
    let mark = Mark(handle: handle, start: buffer.count)
    buffer.append(H4PacketType.acl.rawValue)
    buffer.append(littleEndian: UInt32(handle.rawValue & 0x0FFF))
    return mark
  }

  /// Ends a PDU: it stays in `buffer` where a packet can be sent now, and moves to its connection's queue otherwise.
  @discardableResult
  public mutating func endPDU(_ mark: Mark, in buffer: inout OctetBuffer) -> Submission {
    let length = buffer.count - mark.start - 5
    guard length > 0, let index = index(of: mark.handle), !links[index].isClosed else {
      buffer.truncate(to: mark.start)
      return .dropped
    }
    if length <= packetLength, hasDrained, links[index].packets == 0, canSend(links[index]) {
      buffer.patch(littleEndian: UInt16(length), at: mark.start + 3)
      links[index].outstanding += 1
      outstanding += 1
      return .sent
    }
    return queue(index, mark, in: &buffer)
  }

  /// Sends a PDU that is whole already.
  @discardableResult
  public mutating func send(
    _ pdu: Span<UInt8>, on handle: ConnectionHandle, into buffer: inout OctetBuffer
  ) -> Submission {
    let mark = beginPDU(handle, into: &buffer)
    buffer.append(pdu)
    return endPDU(mark, in: &buffer)
  }

  /// Appends waiting packets to `buffer` as far as buffers are free, one connection after another.
  public mutating func drain(into buffer: inout OctetBuffer) {
    var passed = 0
    while waiting > 0, outstanding < packetCount, passed < links.count {
      if turn >= links.count { turn = 0 }
      if links[turn].packets > 0, canSend(links[turn]) {
        links[turn].send(into: &buffer)
        waiting -= 1
        outstanding += 1
        passed = 0
      } else {
        passed += 1
      }
      turn += 1
    }
    hasDrained = true
  }

  /// How many packets the controller could take now.
  public var freePackets: Int { max(0, packetCount - outstanding) }

  /// How many packets the controller has.
  public var outstandingPackets: Int { outstanding }

  /// How many packets the controller has of that connection.
  public func outstandingPackets(_ handle: ConnectionHandle) -> Int {
    index(of: handle).map { links[$0].outstanding } ?? 0
  }

  /// How many packets of that connection the controller has reported completed since it began.
  public func completedPackets(_ handle: ConnectionHandle) -> Int { index(of: handle).map { links[$0].completed } ?? 0 }

  /// How many PDUs of that connection wait, wholly or in part.
  public func queuedPDUs(_ handle: ConnectionHandle) -> Int { index(of: handle).map { links[$0].pdus } ?? 0 }

  /// How many PDUs may wait. A client has one request under way at a time (Core 5.4 Vol 3 Part F 3.3.2), so only a peer that means
  /// harm, by taking none of its answers, gets there.
  private static let backlog = 4096

  /// Whether the peer of that connection takes nothing, and more and more waits for it.
  public func isFlooded(_ handle: ConnectionHandle) -> Bool { queuedPDUs(handle) >= Self.backlog }

  /// Whether nothing of that connection waits, and the controller has sent all of it.
  public func isIdle(_ handle: ConnectionHandle) -> Bool {
    guard let index = index(of: handle) else { return true }
    return links[index].packets == 0 && links[index].outstanding == 0
  }

  /// Whether a PDU of one packet on that connection would be sent at once.
  public func isReady(_ handle: ConnectionHandle) -> Bool {
    guard let index = index(of: handle) else { return false }
    return hasDrained && links[index].packets == 0 && !links[index].isClosed && canSend(links[index])
  }

  private mutating func queue(_ index: Int, _ mark: Mark, in buffer: inout OctetBuffer) -> Submission {
    let pdu = buffer.copy(from: mark.start + 5)
    buffer.truncate(to: mark.start)
    let before = links[index].packets
    links[index].enqueue(pdu, packetLength: packetLength)
    waiting += links[index].packets - before
    drain(into: &buffer)
    return links[index].packets == 0 ? .sent : .queued
  }

  /// One buffer is left for each other connection, where there are enough.
  private func canSend(_ link: ACLLinkQueue) -> Bool {
    outstanding < packetCount && link.outstanding < max(1, packetCount - links.count + 1)
  }

  /// A controller has few connections, so that looking through them is faster than any table.
  private func index(of handle: ConnectionHandle) -> Int? {
    for index in links.indices where links[index].handle == handle { return index }
    return nil
  }
}
