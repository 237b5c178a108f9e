import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import Simulation
import UnderstudyTesting

/// The accessory does not offer what was withdrawn: it opens no channel to a PSM that is not published (Core 5.4 Vol 3
/// Part A 4.22), serves no characteristic of a removed service, and has no links while it sleeps.
struct PresenceJudge: Judge {
  /// The maximum time between the beginning of sleep and the end of the last link.
  private static let tolerance = Duration.seconds(10)
  private let isFaulty: Bool
  private var asleepSince: Instant?

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    guard !isFaulty else { return }
    let (stack, now) = (stage.accessory.simulated.stack, stage.simulation.now)
    let published = Set(stage.publishedBefore + stack.publishedChannels.map(\.psm) + [.enhancedAttributeProtocol])
    for event in events {
      switch event {
      case .channel(_, .opened(let status)) where !published.contains(status.psm):
        findings.append(Finding("presence", "a channel to \(status.psm) was opened, which is not published", at: now))
      case .server(_, .read(let index, _)), .server(_, .written(let index, _)):
        // An access before the removal of the service is permitted.
        let isGone = !stack.server.database.characteristics.contains { $0.index == index }
        let isChanged = events.contains { if case .databaseChanged = $0 { true } else { false } }
        guard isGone, !isChanged else { continue }
        findings.append(
          Finding("presence", "characteristic \(index.position) was used, but it does not exist", at: now))
      default: break
      }
    }
    guard stack.application.isAsleep else {
      asleepSince = nil
      return
    }
    let since = asleepSince ?? now
    asleepSince = since
    guard now - since > Self.tolerance, !stack.linkStates.isEmpty else { return }
    asleepSince = now
    findings.append(
      Finding("presence", "there is still a link \(now - since) after the accessory fell asleep", at: now))
  }
}
