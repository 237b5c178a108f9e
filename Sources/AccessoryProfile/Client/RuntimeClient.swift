import BLECore
import BLEGATT

extension ProfileRuntime {
  public mutating func linkOpened(_ link: UInt16, at now: Instant) {
    remote.linkOpened(link, at: now)
    updateDeadline()
  }

  public func wantsClient(of link: UInt16, at now: Instant) -> Bool { remote.isDue(on: link, at: now) }

  public mutating func useClient(
    _ client: inout GATTClient, of link: UInt16, at now: Instant, into out: inout GATTClientOutput
  ) {
    remote.begin(&client, of: link, at: now, into: &out)
    updateDeadline()
  }

  public mutating func clientReported(
    _ event: GATTClientEvent, _ client: inout GATTClient, of link: UInt16, at now: Instant,
    into out: inout GATTClientOutput, actions: inout [ApplicationAction]
  ) {
    for brought in remote.reported(event, &client, of: link, at: now, into: &out) {
      for effect in remote.steps[brought.step].effects {
        if effect == .log {
          remote.report(brought.step, on: link, .value(brought.value))
        } else {
          perform(effect, brought.value, 0, link, now, &actions)
        }
      }
    }
    updateDeadline()
  }

  /// What has become of the steps on the servers of centrals since the last call.
  public mutating func takeClientReports() -> [ClientStepReport] { remote.takeReports() }
}
