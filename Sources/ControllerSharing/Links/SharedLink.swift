import BLECore
import BLEHCI

/// A connection of the controller, and its owner.
struct SharedLink: Sendable {
  /// The owner of a connection.
  enum Owner: Hashable, Sendable {
    /// The owner is unknown before LE Advertising Set Terminated.
    case unknown
    /// A host owns it.
    case host(SharedController.Seat)
    /// No host owns it any more: it is being ended.
    case nobody
  }

  let handle: ConnectionHandle
  var owner = Owner.unknown
  /// Its packets from before its owner was known, in order, with their H4 types.
  var held: [UInt8] = []
  /// Whether its LE Connection Complete has come.
  var isComplete = false
  /// Whether it has ended, and is kept only to report that when its owner is known.
  var hasEnded = false
  /// The time limit for the event that is still missing.
  var deadline: Instant?
  /// The number of its packets in the controller's buffers.
  var outstanding = 0
  /// The host whose share of the buffers they use.
  var payer: SharedController.Seat?

  init(_ handle: ConnectionHandle) { self.handle = handle }
}

extension SharedController {
  /// The longest time between the two events about a new connection.
  private static var ownerLimit: Duration { .seconds(1) }
  /// The maximum number of octets held while the owner is unknown.
  private static var heldLimit: Int { 64 * 1024 }

  private func index(of handle: ConnectionHandle) -> Int? { links.firstIndex { $0.handle == handle } }

  // MARK: - Beginnings

  /// Handles a new connection. LE Advertising Set Terminated, which arrives before or after, determines its owner (Core 5.4 Vol 4 Part E
  /// 7.7.65.18). Until then its packets are held.
  mutating func linkMade(_ handle: ConnectionHandle, _ packet: [UInt8], at now: Instant) {
    guard handle.isValid else { return }
    if let index = index(of: handle), links[index].isComplete { replace(index) }
    guard let index = index(of: handle) else {
      var link = SharedLink(handle)
      link.isComplete = true
      link.held = packet
      link.deadline = now + Self.ownerLimit
      links.append(link)
      return
    }
    // Its set was named earlier.
    links[index].isComplete = true
    links[index].deadline = nil
    deliver(packet, of: index)
  }

  /// Replaces a connection whose Disconnection Complete was lost on the line: a handle is reused only after its connection has ended.
  private mutating func replace(_ index: Int) {
    let old = links.remove(at: index)
    guard case .host(let seat) = old.owner else { return }
    let end = HCIDisconnectionComplete { event in
      event.connectionHandle = old.handle
      event.reason = .unspecifiedError
    }
    give(end.h4, to: seat)
  }

  /// Handles a connection that was not made. Its set may have been named earlier.
  mutating func linkFailed(_ handle: ConnectionHandle, _ packet: [UInt8]) {
    if let index = index(of: handle), case .host(let seat) = links[index].owner, !links[index].isComplete {
      links.remove(at: index)
      give(packet, to: seat)
    } else {
      tellAll(packet)
    }
  }

  /// Records the owner of a connection, whose advertising set has ended because of it. `packet` is that event with the host's handle for
  /// the set.
  mutating func setConnected(_ handle: ConnectionHandle, of seat: Seat, _ packet: [UInt8], at now: Instant) {
    guard handle.isValid else { return }
    let index = index(of: handle) ?? links.endIndex
    if index == links.endIndex {
      var link = SharedLink(handle)
      link.deadline = now + Self.ownerLimit
      links.append(link)
    }
    guard links[index].owner == .unknown else { return give(packet, to: seat) }
    links[index].owner = .host(seat)
    links[index].payer = seat
    if links[index].isComplete { links[index].deadline = nil }
    let held = links[index].held
    links[index].held = []
    give(held + packet, to: seat)
    if links[index].hasEnded {
      links.remove(at: index)
    } else if !isServing(seat) {
      end(index)
    }
  }

  /// Ends a connection whose set belongs to no host.
  mutating func setUnknown(_ handle: ConnectionHandle) {
    guard let index = index(of: handle), links[index].owner == .unknown else { return }
    end(index)
  }

  // MARK: - From the controller

  /// Passes a packet of a connection to its owner. Returns false if there is no such connection.
  @discardableResult
  mutating func deliver(_ packet: [UInt8], of handle: ConnectionHandle) -> Bool {
    guard let index = index(of: handle) else { return false }
    deliver(packet, of: index)
    return true
  }

  private mutating func deliver(_ packet: [UInt8], of index: Int) {
    switch links[index].owner {
    case .host(let seat): give(packet, to: seat)
    case .unknown:
      links[index].held += packet
      if links[index].held.count > Self.heldLimit { end(index) }
    case .nobody: break
    }
  }

  mutating func receiveData(_ packet: Span<UInt8>) {
    guard let header = try? ACLHeader(packet) else { return }
    if !deliver(packet.h4(.acl), of: header.connectionHandle), header.connectionHandle.isValid, !isDown {
      // Its first events were lost on the line, so no host serves its central.
      links.append(SharedLink(header.connectionHandle))
      end(links.count - 1)
    }
  }

  /// Handles the end of a connection. Its buffers are free at once.
  mutating func linkEnded(_ handle: ConnectionHandle, _ packet: [UInt8]) {
    guard let index = index(of: handle) else { return }
    deliver(packet, of: index)
    if links[index].owner == .unknown {
      links[index].hasEnded = true
      links[index].outstanding = 0
    } else {
      links.remove(at: index)
    }
    for seat in hosts.indices { hosts[seat].data.removeAll { $0.handle == handle } }
  }

  /// Records that the controller has sent or dropped packets of a connection. Returns the host to tell.
  mutating func completed(_ handle: ConnectionHandle, _ count: Int) -> Seat? {
    guard let index = index(of: handle) else { return nil }
    links[index].outstanding -= min(max(count, 0), links[index].outstanding)
    guard case .host(let seat) = links[index].owner else { return nil }
    return seat
  }

  // MARK: - To the controller

  /// Sends or queues a host's data packet, if the connection belongs to the host.
  mutating func sendData(_ packet: Span<UInt8>, of seat: Seat, into line: inout OctetBuffer) {
    guard let header = try? ACLHeader(packet), let index = index(of: header.connectionHandle),
      links[index].owner == .host(seat), !isDown
    else { return }
    if hosts[seat].data.isEmpty, isRoom(for: seat) {
      links[index].outstanding += 1
      line.append(H4PacketType.acl.rawValue)
      line.append(packet)
    } else {
      hosts[seat].data.append(HostData(handle: header.connectionHandle, packet: packet.h4(.acl)))
    }
  }

  /// Returns whether one of a host's buffers is free. A host that stays within its share has to wait only while the controller still has
  /// packets of connections that the host had before it reset.
  private func isRoom(for seat: Seat) -> Bool {
    links.reduce(0) { $0 + ($1.payer == seat ? $1.outstanding : 0) } < share(of: seat)
  }

  mutating func sendWaitingData(into line: inout OctetBuffer) {
    for seat in hosts.indices {
      while let next = hosts[seat].data.first, isRoom(for: seat) {
        hosts[seat].data.removeFirst()
        guard let index = index(of: next.handle), links[index].owner == .host(seat) else { continue }
        links[index].outstanding += 1
        line.append(next.packet)
      }
    }
  }

  // MARK: - Ends

  /// Ends a connection that no host serves.
  mutating func end(_ index: Int) {
    links[index].owner = .nobody
    links[index].isComplete = true
    links[index].held = []
    links[index].deadline = nil
    let command = HCIDisconnect { command in
      command.connectionHandle = links[index].handle
      command.reason = .remoteUserTerminatedConnection
    }
    internalTasks.append(.command(HostCommand(opcode: .disconnect, packet: command.h4)))
  }

  /// Gives up on connections for which one of the two events was lost.
  mutating func advanceLinks(_ now: Instant) {
    for index in links.indices.reversed() where links[index].deadline.map({ $0 <= now }) ?? false {
      if links[index].hasEnded { links.remove(at: index) } else { end(index) }
    }
  }
}
