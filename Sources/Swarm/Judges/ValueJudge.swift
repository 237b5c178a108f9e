import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import Simulation
import UnderstudyTesting

/// A read returns the last written value (Core 5.4 Vol 3 Part F 3.4.5.1). This simple model does not depend on the
/// server. It covers values that nothing else changes.
struct ValueJudge: Judge {
  private var written: [CharacteristicIndex: [UInt8]] = [:]

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    let application = stage.accessory.simulated.stack.application
    // The owner, or a rule, has set the value.
    for event in stage.newEvents where event.name == "value-changed" {
      guard let id = event["characteristic"]?.string else { continue }
      written = written.filter { stage.accessory.simulated.stack.server.database[$0.key].definition.id != id }
    }
    for event in events {
      switch event {
      case .server(_, .written(let index, let value)):
        written[index] = application.behavior(of: index).flatMap { $0.isPlain ? value : nil }
      case .server(_, .read(let index, let value)):
        guard let last = written[index], last != value else { continue }
        let id = stage.accessory.simulated.stack.server.database[index].definition.id
        findings.append(
          Finding(
            "value", "\(id) was written as \(last.hexadecimal), but is read as \(value.hexadecimal)",
            at: stage.simulation.now)
        )
      case .injected, .controllerReady, .databaseChanged, .disconnected: written = [:]
      default: break
      }
    }
  }
}

extension CharacteristicBehavior {
  /// Whether its value is always the last written one.
  fileprivate var isPlain: Bool {
    source.isConstant && owner == .accessory && writeRules.isEmpty && controlPoint == nil && framing == nil
      && readError == nil && readTiming == nil && readRequirement == nil && !format.canSetTime
  }
}
