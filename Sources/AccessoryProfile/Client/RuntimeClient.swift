import BLECore
import BLEGATT

extension ProfileRuntime {
  package mutating func clientArrived(_ peer: ClientID, at now: Instant) {
    remote.clientArrived(peer, at: now)
    book.clients.append(peer)
    awaitSleep(at: now)
    // The central connected while the controller was being told to stop advertising.
    if sleep.isAsleep { hold([.sleep], at: now) }
    attend(at: now)
    happened(.connected, RuleContext(client: peer), at: now)
    updateDeadline()
  }

  package func wantsClient(of peer: ClientID, at now: Instant) -> Bool { remote.isDue(on: peer, at: now) }

  package mutating func useClient(
    _ client: inout GATTClient, of peer: ClientID, at now: Instant, into out: inout GATTClientOutput
  ) {
    while let due = remote.unprepared(on: peer, at: now) { prepare(due, on: peer, at: now) }
    remote.begin(&client, of: peer, at: now, into: &out)
    updateDeadline()
  }

  /// Determines whether a due step is performed, and what it writes.
  private mutating func prepare(_ due: ClientRuntime.Brought, on peer: ClientID, at now: Instant) {
    let step = remote.steps[due.step]
    let context = RuleContext(client: peer, written: due.value, format: step.occasionFormat)
    if let condition = step.condition, !holds(condition, context, at: now, place: step.name) {
      return remote.pass(due.step, on: peer, at: now)
    }
    guard case .compute(_, let expression) = step.action else { return remote.prepare(due.step, on: peer) }
    let format = step.valueFormat ?? .hex(.rest)
    guard let value = compute(.expression(expression), format, context, at: now),
      let octets = try? format.encode(value)
    else { return remote.pass(due.step, on: peer, at: now) }
    remote.prepare(due.step, on: peer, writing: octets)
  }

  package mutating func clientReported(
    _ event: GATTClientEvent, _ client: inout GATTClient, of peer: ClientID, at now: Instant,
    into out: inout GATTClientOutput, actions: inout [ApplicationAction]
  ) {
    for brought in remote.reported(event, &client, of: peer, at: now, into: &out) {
      for effect in remote.steps[brought.step].effects {
        if effect == .log {
          remote.report(brought.step, on: peer, .value(brought.value))
        } else {
          let context = RuleContext(
            client: peer, written: brought.value, format: remote.steps[brought.step].valueFormat)
          perform(effect, context, now, &actions)
        }
      }
    }
    updateDeadline()
  }

  /// Returns and removes the reports of steps on the servers of centrals since the last call.
  package mutating func takeClientReports() -> [ClientStepReport] { remote.takeReports() }
}
