import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import Importing
import PeripheralHost
import UnderstudyCore

extension ObservedDevice {
  /// The maximum number of steps in a written scenario.
  static let stepLimit = 300

  /// Writes a scenario that does what the client did: it subscribes, reads and writes in the same order, and expects the same. Returns nil
  /// if the client did nothing.
  ///
  /// - Parameters:
  ///   - learnt: The profile learnt from the device.
  ///   - accessory: The profile's file, relative to the scenario.
  package func scenario(for learnt: LearntProfile, accessory: String) -> String? {
    var acts = writes(of: learnt) + reads(of: learnt)
    guard !acts.isEmpty else { return nil }
    acts.sort { $0.time < $1.time }
    var lines = [
      "understudy-scenario: 1", "name: \(YAMLScalar.text("What a client did with \(learnt.profile.name)"))",
      "accessory: \(YAMLScalar.text(accessory))", "cases:", "  - name: what the client did", "    steps:",
      "      - connect",
      "      - discover",
    ]
    if acts.count > Self.stepLimit { lines.insert("# The first \(Self.stepLimit) of \(acts.count) steps.", at: 0) }
    // A repeated read says nothing new, unless a write came in between.
    var done: Set<String> = []
    for act in acts.prefix(Self.stepLimit) {
      if act.step.hasPrefix("{ write") { done = [] }
      if done.insert(act.step).inserted { lines.append("      - \(act.step)") }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private struct Act {
    var time: Int64
    var step: String
  }

  /// Returns the ids of characteristics, by value handle.
  private func ids(of learnt: LearntProfile) -> [UInt16: String] {
    guard let database = try? learnt.profile.hostConfiguration(seed: 0).makeDatabase() else { return [:] }
    return Dictionary(
      database.characteristics.filter(\.belongsToApplication).map { ($0.value, $0.definition.id) },
      uniquingKeysWith: { first, _ in first })
  }

  private func writes(of learnt: LearntProfile) -> [Act] {
    let ids = ids(of: learnt)
    let configurations = server.types.filter { $0.value == .clientCharacteristicConfiguration }.map(\.key)
    return server.writes.compactMap { write in
      if configurations.contains(write.handle) { return subscription(write, ids) }
      guard let id = ids[write.handle] else { return nil }
      var parts = ["write: \(id)", "value: \(write.value.isEmpty ? "\"\"" : "hex:\(write.value.hexadecimal)")"]
      if write.isCommand { parts.append("without-response: true") }
      if let error = write.answer { parts.append("fails: 0x\([error.rawValue].hexadecimal)") }
      return Act(time: write.time, step: "{ \(parts.joined(separator: ", ")) }")
    }
  }

  private func subscription(_ write: ObservedServer.Write, _ ids: [UInt16: String]) -> Act? {
    guard let owner = ids.keys.filter({ $0 < write.handle }).max(), let id = ids[owner], let bits = write.value.first,
      write.answer == nil
    else { return nil }
    let step =
      switch bits & 0b11 {
      case 0: "{ unsubscribe: \(id) }"
      case 0b10: "{ subscribe: \(id), indications: true }"
      default: "{ subscribe: \(id) }"
      }
    return Act(time: write.time, step: step)
  }

  private func reads(of learnt: LearntProfile) -> [Act] {
    ids(of: learnt).flatMap { handle, id -> [Act] in
      let samples = server.samples[handle] ?? []
      let isConstant = samples.allSatisfy { $0.value == samples.first?.value }
      return samples.filter { $0.origin == .read }.map { sample in
        let gives = isConstant && !sample.value.isEmpty ? ", gives: hex:\(sample.value.hexadecimal)" : ""
        return Act(time: sample.time, step: "{ read: \(id)\(gives) }")
      }
    }
  }
}
