import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import Simulation
import UnderstudyTesting

/// A control point responds to each command that it has accepted, if its table has a response and the client is subscribed to it. It
/// responds within 30 s, the limit for a procedure (Record Access Control Point in the GATT Specification Supplement; Core 5.4 Vol 3 Part F
/// 3.3.3).
struct ControlPointJudge: Judge {
  private struct Due {
    var link: ConnectionHandle
    var point: CharacteristicIndex
    var answer: CharacteristicIndex
    var command: [UInt8]
    var end: Instant
  }

  private static let limit = Duration.seconds(30)
  private let isFaulty: Bool
  private var due: [Due] = []

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    guard !isFaulty else { return }
    let stack = stage.accessory.simulated.stack
    let now = stage.simulation.now
    for event in events {
      switch event {
      case .server(let link, .written(let index, let value)):
        guard let point = stack.application.behavior(of: index)?.controlPoint, point.mustAnswer(value),
          stack.linkStates.takes(point, on: link)
        else { continue }
        due.append(Due(link: link, point: index, answer: point.answer, command: value, end: now + Self.limit))
      case .indicated(let link, let index, _), .notified(let link, let index, _):
        if let place = due.firstIndex(where: { $0.link == link && $0.answer == index }) { due.remove(at: place) }
      case .server(let link, .subscriptionChanged(let index, _)):
        due.removeAll { $0.link == link && $0.answer == index }
      case .connected(let link, _), .disconnected(let link, _): due.removeAll { $0.link == link }
      case .controllerReady, .databaseChanged: due = []
      default: break
      }
    }
    // Over BR/EDR the bearer can end without its link.
    due.removeAll { stack.classicLoad(of: $0.link)?.hasBearer == false }
    for late in due where late.end <= now {
      let id = stack.server.database[late.point].definition.id
      findings.append(
        Finding(
          "control-point", about: id, "\(id) has accepted \(late.command.hexadecimal) but not answered it within 30 s",
          at: now
        ))
    }
    due.removeAll { $0.end <= now }
  }
}

extension ControlPoint {
  /// Returns whether an accepted command has a response, whatever its outcome.
  fileprivate func mustAnswer(_ value: [UInt8]) -> Bool {
    guard let response, !response.isEmpty else { return false }
    return commands.first { $0.opcode == value.first }?.response?.isEmpty != true
  }
}

extension [LinkState] {
  /// Returns whether the client on a link is subscribed to the responses of a control point.
  fileprivate func takes(_ point: ControlPoint, on link: ConnectionHandle) -> Bool {
    first { $0.handle == link }?.subscriptions.contains {
      $0.characteristic == point.answer && $0.configuration.contains(point.isIndicated ? .indication : .notification)
    } ?? false
  }
}
