import AccessoryProfile
import BLECore
import Transport
import VirtualRadio

extension RadioHub {
  /// Returns the current state of the radio for JSON: the addresses at which hosts can join, the controllers
  /// with their impairments, and the paths with impairments of their own.
  package func stateReport() -> ProfileValue {
    .object([
      "joining": .array(addresses.map { .string($0) }),
      "controllers": .array(controllers.map { controllerState($0) }),
      "time": timeState,
      "default": defaultImpairment.json,
      "paths": .array(
        pathImpairments.sorted { ($0.key.from, $0.key.to) < ($1.key.from, $1.key.to) }
          .map { pathState(from: $0.key.from, to: $0.key.to) }),
    ])
  }

  /// The radio's age, in its own time.
  public var elapsed: Duration { loop.now() - origin }

  /// The pace and the age of the radio's time.
  private var timeState: ProfileValue {
    var fields: [String: ProfileValue] = ["elapsed_ms": elapsed.milliseconds]
    switch loop.pace {
    case .real: fields["speed"] = .string("real")
    case .scaled(let factor): fields["speed"] = .double(factor)
    case .fast(let settle):
      fields["speed"] = .string("fast")
      fields["settle_ms"] = settle.milliseconds
    }
    return .object(fields)
  }

  private func controllerState(_ controller: RadioController) -> ProfileValue {
    .object([
      "name": .string(controller.name), "place": .string(controller.place),
      "preset": .string(controller.preset), "host": .bool(controller.hasHost),
      "impairment": impairment(of: controller.name).json,
    ])
  }

  /// Returns a path's ends and its impairment.
  package func pathState(from: String, to: String) -> ProfileValue {
    guard case .object(var fields) = (impairment(from: from, to: to) ?? defaultImpairment).json else { return .null }
    fields["from"] = .string(from)
    fields["to"] = .string(to)
    return .object(fields)
  }
}
