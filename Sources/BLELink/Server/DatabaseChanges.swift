import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

extension HostEngine {
  /// Adds, removes or replaces a service, and informs the clients (Core 5.4 Vol 3 Part G 2.5.2). Values of removed characteristics are no
  /// longer sent.
  public mutating func edit(
    _ edit: ServiceEdit, at now: Instant, into out: inout HostOutput
  ) throws(AttributeDatabase.DefinitionError) -> DatabaseChange {
    out.now = now
    let change = try server.apply(edit, keeping: application.keptCharacteristics)
    out.events.append(.databaseChanged(change))
    classic?.describe(server.database)
    faults?.lookUp(in: server.database)
    for link in links.ids {
      links[link].streams.remove { change.removed.contains($0) }
      var events: [ServerEvent] = []
      let handle = links[link].handle
      server.databaseChanged(change, for: &links[link].session, events: &events)
      report(events, on: handle, into: &out)
      sendIndications(to: link, into: &out)
    }
    return change
  }

  /// Answers the request with that ticket, and then the requests that arrived in the meantime; returns false if there is none.
  @discardableResult
  package mutating func answer(_ ticket: AnswerTicket, with answer: LateAnswer, into out: inout HostOutput) -> Bool {
    let now = out.now
    for link in links.ids {
      guard let bearer = links[link].bearers.bearer(waitingFor: ticket) else { continue }
      let handle = links[link].handle
      var effects = ServerEffects(reportsAccess: reportsAccess)
      scheduler.sendATT(.response, over: bearer, of: handle, through: &faults, into: &out) { buffer in
        links[link].answer(
          ticket, with: answer, over: bearer, &server, &application, at: now, reply: &buffer, effects: &effects)
      }
      submit(to: bearer, of: link, into: &out)
      finish(effects, on: link, over: bearer, into: &out)
      while answerEarlyRequest(over: bearer, of: link, into: &out) {}
      return true
    }
    return answerChannels(ticket, isAuthorized: answer == .accepted, into: &out)
  }

  /// Answers the next request that arrived too early on a bearer; returns false if there is none.
  private mutating func answerEarlyRequest(over bearer: BearerID, of link: LinkID, into out: inout HostOutput) -> Bool {
    let now = out.now
    let handle = links[link].handle
    var isAnswered = false
    var effects = ServerEffects(reportsAccess: reportsAccess)
    scheduler.sendATT(.response, over: bearer, of: handle, through: &faults, into: &out) { buffer in
      isAnswered = links[link].answerEarlyRequest(
        over: bearer, &server, &application, at: now, reply: &buffer, effects: &effects)
    }
    submit(to: bearer, of: link, into: &out)
    finish(effects, on: link, over: bearer, into: &out)
    return isAnswered
  }

  private mutating func answerChannels(_ ticket: AnswerTicket, isAuthorized: Bool, into out: inout HostOutput) -> Bool {
    guard let link = links.ids.first(where: { links[$0].channels.tickets.contains(ticket) }) else { return false }
    _ = links[link].channels.answer(ticket, isAuthorized: isAuthorized, events: &out.channels)
    handOnChannelEvents(of: link, into: &out)
    return true
  }

  /// Returns the state of the peer's client that is stored with a bond.
  public func bondState(of handle: ConnectionHandle) -> GATTBondState? {
    links.id(of: handle).map { server.bondState(of: links[$0].session) }
  }

  /// Restores the stored state of the peer's client, after the link has been encrypted with the key of its bond, and informs the client
  /// about changes that it has missed.
  public mutating func restore(
    _ state: GATTBondState, on handle: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) {
    out.now = now
    guard let link = links.id(of: handle) else { return }
    restore(state, to: link, into: &out)
    flush(into: &out)
  }

  mutating func restore(_ state: GATTBondState, to link: LinkID, into out: inout HostOutput) {
    let handle = links[link].handle
    var events: [ServerEvent] = []
    server.restore(state, to: &links[link].session, events: &events)
    report(events, on: handle, into: &out)
    considerBearers(of: link)
    sendIndications(to: link, into: &out)
  }
}
