import BLECore

/// Sends L2CAP PDUs in ACL packets without exceeding the controller's buffers (Core 5.4 Vol 4 Part E 4.1.1).
///
/// A PDU is written straight into the output run, after space for its packet header. If a buffer is free it stays there; otherwise it moves
/// to its connection's queue. Connections with queued packets take turns packet by packet. One buffer is reserved for each other
/// connection, so that a peer out of range cannot block the others.
///
/// A controller may have separate buffers for LE and for BR/EDR (Core 5.4 Vol 4 Part E 4.1.1). Each connection uses those of its transport.
public struct ACLScheduler: Sendable {
  /// The position of a PDU that is being written.
  public struct Mark: Sendable {
    fileprivate let handle: ConnectionHandle
    fileprivate let start: Int
  }

  /// The result of submitting a PDU.
  public enum Submission: Hashable, Sendable {
    /// The whole PDU is in the output run.
    case sent
    /// Part of it waits for buffers.
    case queued
    /// The connection is unknown or the PDU is empty; the output run is unchanged.
    case dropped
  }

  /// An impossible report of completed packets. The impossible part is not counted.
  public enum Fault: Hashable, Sendable {
    /// The connection is unknown.
    case unknownConnection(ConnectionHandle, count: Int)
    /// The report exceeds the packets in the controller by this many.
    case tooMany(ConnectionHandle, excess: Int)
  }

  /// The buffers of a controller for one transport, or for both.
  struct Pool: Sendable {
    /// The maximum data length of a packet, in octets.
    var packetLength = 27
    /// The number of packets that fit.
    var packetCount = 0
    /// The number of packets in them.
    var outstanding = 0
    /// The number of connections that use them.
    var links = 0
  }

  /// The buffers for LE, and for BR/EDR too if the controller has no others.
  private var pool = Pool()
  /// The controller's buffers for BR/EDR alone; not used while `packetCount` is zero.
  private var classicPool = Pool()
  private var links: [ACLLinkQueue] = []
  /// The number of connections over BR/EDR.
  private var classicLinks = 0
  private var waiting = 0
  /// The connection whose turn it is.
  private var turn = 0
  /// Whether no waiting packet can be sent now, so that a new PDU does not overtake any.
  private var hasDrained = true

  /// Creates a scheduler that sends nothing before `configure`.
  public init() {}

  /// Restarts with the values that the controller reported after a reset: no connections, all buffers free.
  public mutating func configure(packetLength: Int, packetCount: Int) {
    self = ACLScheduler()
    pool.packetLength = min(max(packetLength, 1), 0xFFFF)
    pool.packetCount = max(packetCount, 0)
  }

  /// Sets the controller's buffers for BR/EDR, if it has any apart from those for LE. Call this after `configure`.
  public mutating func configureClassic(packetLength: Int, packetCount: Int) {
    classicPool.packetLength = min(max(packetLength, 1), 0xFFFF)
    classicPool.packetCount = max(packetCount, 0)
  }

  /// The maximum data length of a packet on LE, in octets.
  public var packetLength: Int { pool.packetLength }
  /// The number of packets that the controller can hold for LE.
  public var packetCount: Int { pool.packetCount }

  /// Adds a connection. It replaces one with the same handle that was never disconnected.
  public mutating func connect(_ handle: ConnectionHandle, over transport: LinkTransport = .le) {
    disconnect(handle)
    var link = ACLLinkQueue(handle: handle)
    link.isClassic = transport == .classic
    link.hasClassicBuffers = link.isClassic && classicPool.packetCount > 0
    links.append(link)
    if link.isClassic { classicLinks += 1 }
    change(link.hasClassicBuffers) { $0.links += 1 }
  }

  /// Removes a connection: frees its buffers at once and drops its queue. Returns the number of dropped PDUs.
  @discardableResult
  public mutating func disconnect(_ handle: ConnectionHandle) -> Int {
    guard let index = index(of: handle) else { return 0 }
    let link = links.remove(at: index)
    change(link.hasClassicBuffers) {
      $0.outstanding -= link.outstanding
      $0.links -= 1
    }
    if link.isClassic { classicLinks -= 1 }
    waiting -= link.packets
    if index < turn { turn -= 1 }
    hasDrained = waiting == 0
    return link.pdus
  }

  /// Returns whether a connection is over BR/EDR.
  public func isClassic(_ handle: ConnectionHandle) -> Bool {
    classicLinks > 0 && index(of: handle).map { links[$0].isClassic } ?? false
  }

  /// Counts packets that the controller has sent or dropped. Call `drain` afterwards to use their buffers.
  public mutating func completed(_ handle: ConnectionHandle, _ count: Int) -> Fault? {
    guard let index = index(of: handle) else { return .unknownConnection(handle, count: count) }
    let counted = min(max(count, 0), links[index].outstanding)
    links[index].outstanding -= counted
    links[index].completed += counted
    change(links[index].hasClassicBuffers) { $0.outstanding -= counted }
    hasDrained = waiting == 0
    return counted == count ? nil : .tooMany(handle, excess: count - counted)
  }

  /// Returns the number of the last packet that this scheduler accepted for a connection, counted from its start. Packets complete in this
  /// order.
  public func lastPacket(_ handle: ConnectionHandle) -> Int {
    index(of: handle).map { links[$0].completed + links[$0].outstanding + links[$0].packets } ?? 0
  }

  /// Writes off the packets up to this number: the peer has shown that it has them, or they cannot be in transit any longer. Returns how
  /// many of them the controller has not reported.
  public mutating func writeOff(_ handle: ConnectionHandle, through number: Int) -> Int {
    guard let index = index(of: handle) else { return 0 }
    let count = min(max(number - links[index].completed, 0), links[index].outstanding)
    _ = completed(handle, count)
    return count
  }

  /// Stops sending on a connection: drops waiting packets and all later ones.
  public mutating func close(_ handle: ConnectionHandle) {
    guard let index = index(of: handle) else { return }
    waiting -= links[index].packets
    links[index].close()
    hasDrained = waiting == 0
  }

  /// Resumes sending on a closed connection.
  public mutating func reopen(_ handle: ConnectionHandle) {
    if let index = index(of: handle) { links[index].isClosed = false }
  }

  /// Begins a PDU on a connection: reserves space for the packet header at the end of `buffer`. The caller appends the PDU (its L2CAP
  /// header and payload) and then calls `endPDU` before it appends anything else.
  public func beginPDU(_ handle: ConnectionHandle, into buffer: inout OctetBuffer) -> Mark {
    let mark = Mark(handle: handle, start: buffer.count)
    buffer.append(H4PacketType.acl.rawValue)
    buffer.append(littleEndian: UInt32(handle.rawValue & 0x0FFF))
    return mark
  }

  /// Ends a PDU. It stays in `buffer` if a packet can be sent now, and otherwise moves to its connection's queue.
  @discardableResult
  public mutating func endPDU(_ mark: Mark, in buffer: inout OctetBuffer) -> Submission {
    let length = buffer.count - mark.start - 5
    guard length > 0, let index = index(of: mark.handle), !links[index].isClosed else {
      buffer.truncate(to: mark.start)
      return .dropped
    }
    // The connections of BR/EDR are queued, because their packets have other headers.
    if length <= pool.packetLength, hasDrained, links[index].packets == 0, !links[index].isClassic,
      canSend(links[index], in: pool)
    {
      buffer.patch(littleEndian: UInt16(length), at: mark.start + 3)
      links[index].outstanding += 1
      pool.outstanding += 1
      return .sent
    }
    return queue(index, mark, in: &buffer)
  }

  /// Sends a complete PDU.
  @discardableResult
  public mutating func send(
    _ pdu: Span<UInt8>, on handle: ConnectionHandle, into buffer: inout OctetBuffer
  ) -> Submission {
    let mark = beginPDU(handle, into: &buffer)
    buffer.append(pdu)
    return endPDU(mark, in: &buffer)
  }

  /// Appends waiting packets to `buffer` while buffers are free, taking connections in turn.
  public mutating func drain(into buffer: inout OctetBuffer) {
    var passed = 0
    while waiting > 0, hasFreeBuffer, passed < links.count {
      if turn >= links.count { turn = 0 }
      if links[turn].packets > 0, canSend(links[turn]) {
        links[turn].send(into: &buffer)
        waiting -= 1
        change(links[turn].hasClassicBuffers) { $0.outstanding += 1 }
        passed = 0
      } else {
        passed += 1
      }
      turn += 1
    }
    hasDrained = true
  }

  /// The number of packets on LE that the controller can accept now.
  public var freePackets: Int { max(0, pool.packetCount - pool.outstanding) }

  /// The number of packets in the controller.
  public var outstandingPackets: Int { pool.outstanding + classicPool.outstanding }

  /// Returns the number of a connection's packets in the controller.
  public func outstandingPackets(_ handle: ConnectionHandle) -> Int {
    index(of: handle).map { links[$0].outstanding } ?? 0
  }

  /// Returns how many packets of a connection the controller has reported completed since the connection started.
  public func completedPackets(_ handle: ConnectionHandle) -> Int { index(of: handle).map { links[$0].completed } ?? 0 }

  /// Returns the number of a connection's PDUs that wait, completely or in part.
  public func queuedPDUs(_ handle: ConnectionHandle) -> Int { index(of: handle).map { links[$0].pdus } ?? 0 }

  /// The maximum number of waiting PDUs. A client has one request in progress at a time (Core 5.4 Vol 3 Part F 3.3.2), so only a malicious
  /// peer, by never accepting its responses, can reach this limit.
  private static let backlog = 4096

  /// Returns whether the peer of a connection accepts nothing while more and more data waits for it.
  public func isFlooded(_ handle: ConnectionHandle) -> Bool { queuedPDUs(handle) >= Self.backlog }

  /// Returns whether a connection has no packets that wait or are in the controller.
  public func isIdle(_ handle: ConnectionHandle) -> Bool {
    guard let index = index(of: handle) else { return true }
    return links[index].packets == 0 && links[index].outstanding == 0
  }

  /// Returns whether a PDU of one packet on this connection would be sent at once.
  public func isReady(_ handle: ConnectionHandle) -> Bool {
    guard let index = index(of: handle) else { return false }
    return hasDrained && links[index].packets == 0 && !links[index].isClosed && canSend(links[index])
  }

  private mutating func queue(_ index: Int, _ mark: Mark, in buffer: inout OctetBuffer) -> Submission {
    let pdu = buffer.copy(from: mark.start + 5)
    buffer.truncate(to: mark.start)
    let before = links[index].packets
    let buffers = links[index].hasClassicBuffers ? classicPool : pool
    links[index].enqueue(pdu, packetLength: buffers.packetLength)
    waiting += links[index].packets - before
    drain(into: &buffer)
    return links[index].packets == 0 ? .sent : .queued
  }

  /// Returns whether a link may send. One buffer is reserved for each other connection if there are enough.
  private func canSend(_ link: ACLLinkQueue) -> Bool {
    link.hasClassicBuffers ? canSend(link, in: classicPool) : canSend(link, in: pool)
  }

  private func canSend(_ link: ACLLinkQueue, in pool: Pool) -> Bool {
    pool.outstanding < pool.packetCount && link.outstanding < max(1, pool.packetCount - pool.links + 1)
  }

  private var hasFreeBuffer: Bool {
    pool.outstanding < pool.packetCount || classicPool.outstanding < classicPool.packetCount
  }

  /// Changes the buffers of BR/EDR, or those of LE.
  private mutating func change(_ ofClassic: Bool, _ body: (inout Pool) -> Void) {
    if ofClassic { body(&classicPool) } else { body(&pool) }
  }

  /// Returns the index of a connection. A controller has few connections, so a linear search is faster than any table.
  private func index(of handle: ConnectionHandle) -> Int? {
    for index in links.indices where links[index].handle == handle { return index }
    return nil
  }
}
