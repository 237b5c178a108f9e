import BLECore
import BLEGATT

extension ProfileRuntime {
  package mutating func clientArrived(_ peer: ClientID, at now: Instant) {
    remote.clientArrived(peer, at: now)
    book.clients.append(peer)
    awaitSleep(at: now)
    // It came while the controller was told to go off the air.
    if sleep.isAsleep { hold([.sleep], at: now) }
    attend(at: now)
    happened(.connected, RuleContext(client: peer), at: now)
    updateDeadline()
  }

  package func wantsClient(of peer: ClientID, at now: Instant) -> Bool { remote.isDue(on: peer, at: now) }

  package mutating func useClient(
    _ client: inout GATTClient, of peer: ClientID, at now: Instant, into out: inout GATTClientOutput
  ) {
    remote.begin(&client, of: peer, at: now, into: &out)
    updateDeadline()
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
          perform(effect, RuleContext(client: peer, written: brought.value), now, &actions)
        }
      }
    }
    updateDeadline()
  }

  /// What has become of the steps on the servers of centrals since the last call.
  package mutating func takeClientReports() -> [ClientStepReport] { remote.takeReports() }
}
