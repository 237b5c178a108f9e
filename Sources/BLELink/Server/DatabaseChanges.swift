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
    faults?.lookUp(in: server.database)
    for index in links.indices {
      links[index].streams.removeAll { change.removed.contains($0) }
      var events: [ServerEvent] = []
      let handle = links[index].handle
      server.databaseChanged(change, for: &links[index].session, events: &events)
      report(events, on: handle, at: now, into: &out)
      sendIndications(to: index, at: now, into: &out)
    }
    return change
  }

  /// Gives the answer that waits by a ticket, and answers the requests that came meanwhile; false when nobody waits for it.
  @discardableResult
  package mutating func answer(
    _ ticket: AnswerTicket, with answer: LateAnswer, at now: Instant, into out: inout HostOutput
  ) -> Bool {
    for index in links.indices {
      guard let place = links[index].bearers.firstIndex(where: { $0.tickets.contains(ticket) }) else { continue }
      let (handle, bearer) = (links[index].handle, links[index].bearers[place].id)
      var effects = ServerEffects(reportsAccess: reportsAccess)
      scheduler.sendATT(.response, over: bearer, of: handle, through: &faults, at: now, into: &out) { buffer in
        links[index].answer(
          ticket, with: answer, over: place, &server, &application, at: now, reply: &buffer, effects: &effects)
      }
      submit(to: place, of: index, at: now, into: &out)
      finish(effects, on: index, over: place, at: now, into: &out)
      while answerEarlyRequest(on: bearer, of: handle, at: now, into: &out) {}
      return true
    }
    return answerChannels(ticket, isAuthorized: answer == .accepted, at: now, into: &out)
  }

  /// Answers the next request that came too early over a bearer; false when there is none.
  private mutating func answerEarlyRequest(
    on bearer: BearerID, of handle: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) -> Bool {
    guard let index = index(of: handle), let place = links[index].bearers.firstIndex(where: { $0.id == bearer }) else {
      return false
    }
    var isAnswered = false
    var effects = ServerEffects(reportsAccess: reportsAccess)
    scheduler.sendATT(.response, over: bearer, of: handle, through: &faults, at: now, into: &out) { buffer in
      isAnswered = links[index].answerEarlyRequest(
        over: place, &server, &application, at: now, reply: &buffer, effects: &effects)
    }
    submit(to: place, of: index, at: now, into: &out)
    finish(effects, on: index, over: place, at: now, into: &out)
    return isAnswered
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
    considerBearers(of: index)
    sendIndications(to: index, at: now, into: &out)
  }
}
