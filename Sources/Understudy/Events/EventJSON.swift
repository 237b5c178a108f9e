import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import PeripheralHost

extension AccessoryEvent {
  /// The event as a JSON object: `event` is its name, `time` its time (seconds since 1970), `connection` the connection.
  public var json: ProfileValue {
    var described = described
    described.fields["time"] = .double(time.inSeconds)
    return .event(described, characteristic, value)
  }

  var described: (name: String, fields: [String: ProfileValue]) {
    switch kind {
    case .awaitingController(let place): ("awaiting-controller", ["place": .string(place)])
    case .controllerMissing(let reason): ("controller-missing", ["reason": .string(reason)])
    case .controllerFound(let address): ("controller-found", ["controller": .string(address)])
    case .controllerLost(let reason): ("controller-lost", ["reason": .string(reason)])
    case .lineRefused(let refusal): ("line-refused", refusal.json)
    case .ready(let report): ("ready", report.json)
    case .radio(let event): event.described
    case .host(let event): event.described
    case .bridge(let event): event.described
    case .program(let event): event.described
    case .logged(let value): ("log", ["hex": .string(value.hexadecimal)])
    case .question(let event): event.described
    case .rule(let report): report.described
    case .remoteStep(let report): ("remote-step", report.json)
    case .captureFailed(let reason): ("capture-failed", ["reason": .string(reason)])
    case .ringSaved(let path, let packets, let occasion):
      ("ring-saved", ["path": .string(path), "packets": .int(Int64(packets)), "occasion": .string(occasion)])
    case .restored(let report): ("restored", report.json)
    case .stateDamaged(let damage): ("state-damaged", damage.json)
    case .reset(let report): ("reset", report.json)
    case .stateFailed(let reason): ("state-failed", ["reason": .string(reason)])
    case .faultImpossible(let id, let reason):
      ("fault", ["fault": .string("impossible"), "id": .string(id), "reason": .string(reason)])
    case .failed(let failure): ("failed", ["reason": .string("\(failure)")])
    }
  }
}

extension ReadyReport {
  var json: [String: ProfileValue] {
    [
      "name": .string(name), "address": .string(address.description),
      "address_type": .string(addressType.text), "controller": .string(controller),
      "ports": .array(ports.map { .int(Int64($0)) }), "joining": .array(joining.map { .string($0) }),
      "advertising": .array(sets.map { .string($0) }), "instructions": .string(instructions),
    ]
  }
}
