import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

extension HostStack {
  /// Adds, removes or replaces a service, and tells the clients (Core 5.4 Vol 3 Part G 2.5.2). What was removed is not sent any
  /// longer.
  public mutating func edit(
    _ edit: ServiceEdit, at now: Instant, into out: inout HostOutput
  ) throws(AttributeDatabase.DefinitionError) -> DatabaseChange {
    let change = try server.apply(edit, keeping: application.keptCharacteristics)
    out.events.append(.databaseChanged(change))
    streams.removeAll { change.removed.contains($0.characteristic) }
    for index in connections.indices {
      var events: [ServerEvent] = []
      let handle = connections[index].handle
      server.databaseChanged(change, for: &connections[index].session, events: &events)
      report(events, on: handle, at: now, into: &out)
      if let indication = connections[index].nextIndication(server, at: now) {
        send(indication, to: handle, into: &out)
      }
    }
    return change
  }

  /// Gives the answer that waits by a ticket, and answers the requests that came meanwhile; false when nobody waits for it.
  @discardableResult
  mutating func answer(
    _ ticket: AnswerTicket, with answer: LateAnswer, at now: Instant, into out: inout HostOutput
  ) -> Bool {
    guard let index = connections.firstIndex(where: { $0.bearer.tickets.contains(ticket) }) else {
      return answerChannels(ticket, isAuthorized: answer == .accepted, at: now, into: &out)
    }
    let handle = connections[index].handle
    var effects = ServerEffects(reportsAccess: reportsAccess)
    scheduler.sendFrame(on: .attributeProtocol, of: handle, into: &out.octets) { buffer in
      connections[index].answer(
        ticket, with: answer, &server, &application, at: now, reply: &buffer, effects: &effects)
    }
    finish(effects, on: handle, at: now, into: &out)
    var hasMore = true
    while hasMore {
      effects = ServerEffects(reportsAccess: reportsAccess)
      scheduler.sendFrame(on: .attributeProtocol, of: handle, into: &out.octets) { buffer in
        hasMore = connections[index].answerEarlyRequest(
          &server, &application, at: now, reply: &buffer, effects: &effects)
      }
      finish(effects, on: handle, at: now, into: &out)
    }
    return true
  }

  private mutating func answerChannels(
    _ ticket: AnswerTicket, isAuthorized: Bool, at now: Instant, into out: inout HostOutput
  ) -> Bool {
    guard let index = connections.firstIndex(where: { $0.channels.tickets.contains(ticket) }) else { return false }
    change(index, at: now, into: &out) { _ = $0.answer(ticket, isAuthorized: isAuthorized, events: &$1) }
    return true
  }

  /// What is to be kept of the client of a connection while it is away, where it has a bond.
  public func bondState(of handle: ConnectionHandle) -> GATTBondState? {
    index(of: handle).map { server.bondState(of: connections[$0].session) }
  }

  /// Gives the client of a connection back what was kept of it, once the link is encrypted with the key of its bond. It is told
  /// of what it has missed.
  public mutating func restore(
    _ state: GATTBondState, on handle: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) {
    guard let index = index(of: handle) else { return }
    var events: [ServerEvent] = []
    server.restore(state, to: &connections[index].session, events: &events)
    report(events, on: handle, at: now, into: &out)
    if let indication = connections[index].nextIndication(server, at: now) { send(indication, to: handle, into: &out) }
    settle(at: now, into: &out)
  }
}
