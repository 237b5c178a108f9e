import BLEATT
import BLECore
import BLEGATT

extension Profile {
  /// Returns a characteristic's behavior as the keys of profiles, in their order: `format`, `value`, `notify`, `indicate`, `on-read`,
  /// `on-write` (a list of rules) and `control-point` (a list of commands), without those that are not set. Returns nil if the profile has
  /// no such characteristic.
  public func describedBehavior(of id: String) -> [(key: String, value: ProfileValue)]? {
    behaviors.first { $0.id == id }.map { described($0) }
  }

  /// Returns the same for a characteristic that may have been added while the accessory runs.
  public func described(_ behavior: CharacteristicBehavior) -> [(key: String, value: ProfileValue)] {
    var pairs: [(key: String, value: ProfileValue)] = [("format", behavior.format.described)]
    // A characteristic that has a control point, or no value, can only be written.
    if behavior.controlPoint == nil, behavior.source != .constant(.octets([])) {
      pairs.append(("value", behavior.source.described))
    }
    if let sending = behavior.notify { pairs.append(("notify", sending.described(behavior.threshold))) }
    if let sending = behavior.indicate { pairs.append(("indicate", sending.described(behavior.threshold))) }
    var reading = described(behavior.readTiming, behavior.readError)
    if let requirement = behavior.readRequirement { reading["if"] = .string(requirement.text) }
    if !reading.isEmpty { pairs.append(("on-read", .object(reading))) }
    if !behavior.writeRules.isEmpty {
      pairs.append(("on-write", .array(behavior.writeRules.map { .object(described($0)) })))
    }
    if let point = behavior.controlPoint {
      pairs.append(("control-point", .array(point.commands.map { Self.described($0) })))
    }
    return pairs
  }

  private func described(_ rule: WriteRule) -> [String: ProfileValue] {
    var fields = described(rule.timing, rule.error)
    fields["when"] = rule.condition.described
    if let requirement = rule.requirement { fields["if"] = .string(requirement.text) }
    if !rule.effects.isEmpty { fields["do"] = .array(rule.effects.map { described($0) }) }
    return fields
  }

  private func described(_ timing: AnswerTiming?, _ error: ATTErrorCode?) -> [String: ProfileValue] {
    var fields: [String: ProfileValue] = [:]
    if let error { fields["error"] = .string("\(error)") }
    switch timing {
    case .after(let delay): fields["after"] = .string(Durations.text(delay))
    case .asked(let within, let otherwise):
      fields["ask"] = .bool(true)
      fields["within"] = .string(Durations.text(within))
      fields["else"] = .string("\(otherwise)")
    case nil: break
    }
    return fields
  }

  private func described(_ effect: RuleEffect) -> ProfileValue {
    switch effect {
    case .reset(let index, let field): .object(["reset": .string(id(of: index) + (field.map { "." + $0 } ?? ""))])
    case .set(let index, let value): .object(["set": .object([id(of: index): value])])
    case .compute(let index, let value): .object(["set": .object([id(of: index): value.described])])
    case .assign(let variable, let value): .object(["set": .object([variables[variable].name: value.described])])
    case .reply(let index, let value): .object(["reply": .object([id(of: index): value.described])])
    case .transmit(let channel, let value): .object(["transmit": .object([channel: value.described])])
    case .add(let table, let value): .object(["add": .object([table: value.described])])
    case .enter(let state): .object(["enter": .string(states[state])])
    case .device(let action): action.described
    case .copy(let index): .object(["copy": .string(id(of: index))])
    case .notify(let index): .object(["notify": .string(id(of: index))])
    case .indicate(let index): .object(["indicate": .string(id(of: index))])
    case .log: .string("log")
    case .sleep(let isAsleep): .string(isAsleep ? "sleep" : "wake")
    }
  }

  private func id(of index: CharacteristicIndex) -> String {
    behaviors.indices.contains(index.position) ? behaviors[index.position].id : "\(index.position)"
  }

  private static func described(_ command: ControlPoint.Command) -> ProfileValue {
    .object([
      "opcode": .int(Int64(command.opcode)),
      "parameters": .array(
        command.parameters.map { parameter in
          if case .value(let format) = parameter.kind { return .object([parameter.name: format.described]) }
          return .string(parameter.name)
        }),
    ])
  }
}

extension ComputedValue {
  fileprivate var described: ProfileValue {
    switch self {
    case .constant(let value): value
    case .expression(let expression): .object(["compute": .string(expression.text)])
    case .fields(let fields):
      .object(Dictionary(fields.map { ($0.name, $0.value.described) }) { first, _ in first })
    }
  }
}

extension DeviceAction {
  fileprivate var described: ProfileValue {
    switch self {
    case .disconnect: .string("disconnect")
    case .restart: .string("restart")
    case .advertise(let set, let isOn): .object([isOn ? "advertise" : "stop-advertising": .string(set)])
    case .setModes(let modes): modes.described
    case .forgetBonds(let bonded): .object(["forget-bonds": .string(bonded.rawValue)])
    case .publish(let channel, let isOn): .object([isOn ? "publish" : "withdraw": .string(channel)])
    case .service(let id, let isPresent): .object([isPresent ? "add-service" : "remove-service": .string(id)])
    }
  }
}

extension WriteRule.Condition {
  fileprivate var described: ProfileValue {
    switch self {
    case .any: .string("any")
    case .octets(let octets): .octets(octets)
    case .length(let range):
      .object(["length": .array([.int(Int64(range.lowerBound)), .int(Int64(range.upperBound))])])
    case .first(let octet): .object(["first": .int(Int64(octet))])
    }
  }
}

extension CharacteristicBehavior.Threshold {
  /// The threshold as in a profile.
  fileprivate var described: ProfileValue {
    let change = ProfileValue.number(change)
    return .object(field.map { ["change": change, "of": .string($0)] } ?? ["change": change])
  }
}

extension CharacteristicBehavior.Sending {
  /// Returns the setting as in a profile.
  fileprivate func described(_ threshold: CharacteristicBehavior.Threshold?) -> ProfileValue {
    switch self {
    case .every(let period): .object(["every": .string(Durations.text(period))])
    case .onChange: threshold?.described ?? .string("on-change")
    case .continuously: .object(["every": .string("buffer")])
    case .onDemand: .string("on-demand")
    }
  }
}
