import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import PeripheralHost
import Simulation
import UnderstudyTesting

/// A server that answers a write with success has made it (Core 5.4 Vol 3 Part F 3.4.5.1, 3.4.6.3): it has
/// reported the write between the request and its answer.
///
/// The write itself can change the services, so another attribute may have its handle by the time of the answer. A write counts for the
/// handle at the time of the write.
struct AnswerJudge: Judge {
  /// The handles of the values whose writes the server reports, from a time on.
  private struct Handles {
    var since: Instant
    var values: [CharacteristicIndex: UInt16]
  }

  let isFaulty: Bool
  /// All handles that were valid since the oldest request without an answer, in order.
  private var handles: [Handles] = []
  private var written: [(value: [UInt8], handles: [UInt16], at: Instant)] = []

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    guard !isFaulty else { return }
    let now = stage.simulation.now
    follow(events, stage.accessory.simulated.stack, at: now)
    for central in stage.clients {
      for answer in central.answered {
        guard case .write(let handle, let value) = answer.operation,
          // The answer may belong to a PDU that the client itself did not send.
          answer.bearer.map({ !central.bearersByHand.contains($0) }) ?? central.bearersByHand.isEmpty,
          isReported(handle, since: answer.since)
        else { continue }
        let isThere = written.contains {
          $0.handles.contains(handle) && $0.value == value && $0.at >= answer.since
        }
        if !isThere {
          findings.append(
            Finding(
              "answer",
              "\(central.name) got the answer that \(value.hexadecimal) was written to \(handle), but it was not",
              at: now))
        }
      }
    }
    // No transaction takes longer (Core 5.4 Vol 3 Part F 3.3.3).
    written.removeAll { now - $0.at > .seconds(60) }
    while handles.count > 1, now - handles[1].since > .seconds(60) { handles.removeFirst() }
  }

  /// Records the writes that the server reports, and the handles after a change of services.
  private mutating func follow(_ events: [HostEvent], _ stack: HostStack<ProfileRuntime>, at now: Instant) {
    let changes = events.count {
      switch $0 {
      case .databaseChanged, .controllerReady: true
      default: false
      }
    }
    // The handles between two changes in one step are unknown, so no write is judged across them.
    if changes > 1 { handles.append(Handles(since: now, values: [:])) }
    if changes > 0 || handles.isEmpty { handles.append(Handles(since: now, values: stack.reportedHandles)) }
    let possible = handles.suffix(changes > 0 ? 2 : 1)
    for case .server(_, .written(let index, let value)) in events {
      written.append((value, possible.compactMap { $0.values[index] }, now))
    }
  }

  /// Returns whether the server has reported writes to a handle at all times since `begin`.
  private func isReported(_ handle: UInt16, since begin: Instant) -> Bool {
    let first = handles.lastIndex { $0.since < begin } ?? 0
    return handles[first...].allSatisfy { $0.values.values.contains(handle) }
  }
}

extension HostStack<ProfileRuntime> {
  /// The handles of the values that have a behavior.
  fileprivate var reportedHandles: [CharacteristicIndex: UInt16] {
    let reported = server.database.characteristics.filter { application.behavior(of: $0.index) != nil }
    return Dictionary(reported.map { ($0.index, $0.value) }) { first, _ in first }
  }
}
