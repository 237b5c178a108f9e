import AccessoryProfile
import BLECore
import Understudy

extension SwarmPlan {
  /// The plan in the format of files: a JSON object whose keys are the names of the properties. A step is `PAUSE-IN-MS ACT`.
  package var text: String {
    var fields: [String: ProfileValue] = [
      "seed": .string(String(seed)), "profile": .string(profile), "preset": .string(preset),
      "duration": .int(duration.inNanoseconds / 1_000_000),
      "centrals": .array(
        centrals.map { central in
          var fields: [String: ProfileValue] = [
            "kind": .string(central.kind.rawValue),
            "steps": .array(central.steps.map { .string(Self.line($0.pause, $0.act.text)) }),
          ]
          if central.isDual { fields["dual"] = .bool(true) }
          return .object(fields)
        }),
      "owner": .array(owner.map { .string(Self.line($0.pause, $0.act.text)) }),
    ]
    fields["companion"] = companion.map { .string($0) }
    if !peers.isEmpty {
      fields["peers"] = .array(
        peers.map { peer in
          var fields: [String: ProfileValue] = [
            "kind": .string(peer.kind.rawValue),
            "steps": .array(peer.steps.map { .string(Self.line($0.pause, $0.act.text)) }),
          ]
          fields["central"] = peer.central.map { .int(Int64($0)) }
          return .object(fields)
        })
    }
    return ProfileValue.object(fields).jsonText
  }

  private static func line(_ pause: Duration, _ text: String) -> String {
    "\(pause.inNanoseconds / 1_000_000) \(text)"
  }

  /// Parses a plan.
  package init(text: String) throws(ProfileValueError) {
    guard case .object(let fields) = try ProfileValue(json: Array(text.utf8)),
      let seed = fields["seed"]?.string.flatMap({ UInt64($0) }), let profile = fields["profile"]?.string,
      let preset = fields["preset"]?.string, let duration = fields["duration"]?.int,
      case .array(let centrals)? = fields["centrals"], case .array(let owner)? = fields["owner"]
    else { throw ProfileValueError("a plan is an object with seed, profile, preset, duration, centrals and owner") }
    self.init(seed: seed, profile: profile, preset: preset, duration: .milliseconds(duration))
    companion = fields["companion"]?.string
    for central in centrals {
      guard let kind = central["kind"]?.string.flatMap({ CentralKind(rawValue: $0) }),
        case .array(let steps)? = central["steps"]
      else { throw ProfileValueError("a central has a kind and steps") }
      var new = Central(
        kind,
        try steps.map { step throws(ProfileValueError) in
          try Self.step(step) { CentralAct(text: $0) }
        })
      new.isDual = central["dual"]?.bool ?? false
      self.centrals.append(new)
    }
    if case .array(let peers)? = fields["peers"] { self.peers = try peers.map(Self.peer) }
    self.owner = try owner.map { step throws(ProfileValueError) in try Self.step(step) { OwnerAct(text: $0) } }
  }

  private static func peer(_ value: ProfileValue) throws(ProfileValueError) -> Peer {
    guard let kind = value["kind"]?.string.flatMap({ PeerKind(rawValue: $0) }), case .array(let steps)? = value["steps"]
    else { throw ProfileValueError("a peer has a kind and steps") }
    return Peer(
      kind,
      try steps.map { step throws(ProfileValueError) in
        try Self.step(step) { PeerAct(text: $0) }
      }, central: value["central"]?.int.map { Int($0) })
  }

  private static func step<Act>(
    _ value: ProfileValue, _ read: (String) -> Act?
  ) throws(ProfileValueError) -> Step<Act> {
    let words = (value.string ?? "").split(separator: " ", maxSplits: 1)
    guard words.count == 2, let pause = Int(words[0]), let act = read(String(words[1])) else {
      throw ProfileValueError("\(value) is not a step")
    }
    return Step(after: .milliseconds(pause), act)
  }
}
