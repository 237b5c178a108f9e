import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

extension HostEngine {
  /// Adds, removes or replaces a service, and tells the clients (Core 5.4 Vol 3 Part G 2.5.2). What was removed is not sent any
  /// longer.
  public mutating func edit(
    _ edit: ServiceEdit, at now: Instant, into out: inout HostOutput
  ) throws(AttributeDatabase.DefinitionError) -> DatabaseChange {
    let change = try server.apply(edit, keeping: application.keptCharacteristics)
    out.events.append(.databaseChanged(change))
    for index in links.indices {
      links[index].streams.removeAll { change.removed.contains($0) }
      var events: [ServerEvent] = []
      let handle = links[index].handle
      server.databaseChanged(change, for: &links[index].session, events: &events)
      report(events, on: handle, at: now, into: &out)
      if let indication = links[index].nextIndication(server, at: now) { send(indication, to: handle, into: &out) }
    }
    return change
  }

  /// Gives the answer that waits by a ticket, and answers the requests that came meanwhile; false when nobody waits for it.
  @discardableResult
  package mutating func answer(
    _ ticket: AnswerTicket, with answer: LateAnswer, at now: Instant, into out: inout HostOutput
  ) -> Bool {
    guard let index = links.firstIndex(where: { $0.bearer.tickets.contains(ticket) }) else {
      return answerChannels(ticket, isAuthorized: answer == .accepted, at: now, into: &out)
    }
    let handle = links[index].handle
    var effects = ServerEffects(reportsAccess: reportsAccess)
    scheduler.sendFrame(on: .attributeProtocol, of: handle, into: &out.octets) { buffer in
      links[index].answer(
        ticket, with: answer, &server, &application, at: now, reply: &buffer, effects: &effects)
    }
    finish(effects, on: handle, at: now, into: &out)
    var hasMore = true
    while hasMore {
      effects = ServerEffects(reportsAccess: reportsAccess)
      scheduler.sendFrame(on: .attributeProtocol, of: handle, into: &out.octets) { buffer in
        hasMore = links[index].answerEarlyRequest(
          &server, &application, at: now, reply: &buffer, effects: &effects)
      }
      finish(effects, on: handle, at: now, into: &out)
    }
    return true
  }

  private mutating func answerChannels(
    _ ticket: AnswerTicket, isAuthorized: Bool, at now: Instant, into out: inout HostOutput
  ) -> Bool {
    guard let index = links.firstIndex(where: { $0.channels.tickets.contains(ticket) }) else { return false }
    _ = links[index].channels.answer(ticket, isAuthorized: isAuthorized, events: &out.channels)
    handOnChannelEvents(of: index, at: now, into: &out)
    return true
  }

  /// What is to be kept of the peer's client while it is away, where it has a bond.
  public func bondState(of handle: ConnectionHandle) -> GATTBondState? {
    index(of: handle).map { server.bondState(of: links[$0].session) }
  }

  /// Gives the peer's client back what was kept of it, once the link is encrypted with the key of its bond. It is told
  /// of what it has missed.
  public mutating func restore(
    _ state: GATTBondState, on handle: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) {
    guard let index = index(of: handle) else { return }
    restore(state, to: index, at: now, into: &out)
    flush(at: now, into: &out)
  }

  mutating func restore(_ state: GATTBondState, to index: Int, at now: Instant, into out: inout HostOutput) {
    let handle = links[index].handle
    var events: [ServerEvent] = []
    server.restore(state, to: &links[index].session, events: &events)
    report(events, on: handle, at: now, into: &out)
    if let indication = links[index].nextIndication(server, at: now) { send(indication, to: handle, into: &out) }
  }
}
