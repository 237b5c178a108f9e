import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import Simulation
import UnderstudyTesting

/// What is read is what was written last (Core 5.4 Vol 3 Part F 3.4.5.1): a plain model beside the server, for values that nothing
/// else changes.
struct ValueJudge: Judge {
  private var written: [CharacteristicIndex: [UInt8]] = [:]

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    let application = stage.accessory.simulated.stack.application
    for event in events {
      switch event {
      case .server(_, .written(let index, let value)):
        written[index] = application.behavior(of: index).flatMap { $0.isPlain ? value : nil }
      case .server(_, .read(let index, let value)):
        guard let last = written[index], last != value else { continue }
        let id = stage.accessory.simulated.stack.server.database[index].definition.id
        findings.append(
          Finding(
            "value", "\(id) was written \(last.hexadecimal) and is read \(value.hexadecimal)", at: stage.simulation.now)
        )
      case .injected, .controllerReady, .databaseChanged, .disconnected: written = [:]
      default: break
      }
    }
  }
}

extension CharacteristicBehavior {
  /// Whether its value is what was written last, whatever else happens.
  fileprivate var isPlain: Bool {
    source.isConstant && owner == .accessory && writeRules.isEmpty && controlPoint == nil && framing == nil
      && readError == nil && readTiming == nil && readRequirement == nil && !format.canSetTime
  }
}
