import AccessoryProfile
import BLECore
import BLEGAP
import BLEL2CAP

/// The number of plans that use each act, PDU of centrals, kind of central, preset and key of the language.
package struct SwarmCoverage: Sendable {
  /// The number of plans counted.
  package private(set) var plans = 0
  private var counts: [Group: [String: Int]] = [:]

  /// The groups of names, in the order of the output.
  private enum Group: String, CaseIterable {
    case central = "kinds of centrals"
    case centralAct = "acts of centrals"
    case peer = "kinds of peers over BR/EDR"
    case peerAct = "acts of peers over BR/EDR"
    case transport = "transports"
    case ownerAct = "acts of the owner and the world"
    case preset = "presets"
    case att = "opcodes of ATT that are sent by hand"
    case signalling = "codes of signalling that centrals send by hand"
    case security = "codes of the Security Manager that are sent by hand"
    case classicChannel = "channels on which peers over BR/EDR send by hand"
    case classicSignalling = "codes of signalling that peers over BR/EDR send by hand"
    case discovery = "codes of Service Discovery that peers over BR/EDR send by hand"
    case key = "keys of the language"
  }

  /// Creates an empty coverage.
  package init() {}

  /// Counts a plan.
  package mutating func add(_ plan: SwarmPlan) {
    plans += 1
    var used: Set<Name> = [Name(.preset, plan.preset)]
    var keys = KeyCoverage()
    keys.add(profile: Profile.text(swarm: plan.profile))
    for central in plan.centrals {
      used.insert(Name(.central, central.kind.rawValue))
      for step in central.steps {
        used.insert(Name(.centralAct, step.act.word))
        if let name = Self.pdu(step.act) { used.insert(name) }
      }
    }
    if let transport = Self.transport(of: plan) { used.insert(Name(.transport, transport)) }
    for peer in plan.peers {
      used.insert(Name(.peer, peer.kind.rawValue))
      if peer.central != nil { used.insert(Name(.peer, "also a central")) }
      for step in peer.steps {
        used.insert(Name(.peerAct, step.act.word))
        used.formUnion(Self.pdus(step.act))
      }
    }
    for step in plan.owner {
      used.insert(Name(.ownerAct, step.act.word))
      if case .arm(let fault) = step.act { keys.add(fault: fault) }
    }
    used.formUnion(keys.keys.map { Name(.key, $0) })
    for name in used { counts[name.group, default: [:]][name.text, default: 0] += 1 }
  }

  private struct Name: Hashable {
    let group: Group
    let text: String

    init(_ group: Group, _ text: String) { (self.group, self.text) = (group, text) }
  }

  /// Returns the transports of a plan's profile as they are written there; nil for LE alone.
  private static func transport(of plan: SwarmPlan) -> String? {
    guard let profile = try? Profile.load(swarm: plan.profile), let classic = profile.classic else { return nil }
    return (profile.usesLE ? "le, " : "") + (classic.isOptional ? "br-edr?" : "br-edr")
      + (plan.hasClassicController ? "" : " without a controller for it")
  }

  private static func pdus(_ act: PeerAct) -> [Name] {
    switch act {
    case .sdu(0x01, let octets): return octets.first.map { [Name(.discovery, "0x" + [$0].hexadecimal)] } ?? []
    case .sdu(_, let octets): return octets.first.map { [Name(.att, "0x" + [$0].hexadecimal)] } ?? []
    case .raw(let channel, let octets):
      let place = Name(.classicChannel, channel > 0x3F ? "dynamic" : "\(channel)")
      let code = octets.first.map { "0x" + [$0].hexadecimal }
      switch ChannelID(rawValue: channel) {
      case .classicSignalling: return [place] + (code.map { [Name(.classicSignalling, $0)] } ?? [])
      case .classicSecurityManager: return [place] + (code.map { [Name(.security, $0)] } ?? [])
      default: return [place]
      }
    default: return []
    }
  }

  private static func pdu(_ act: CentralAct) -> Name? {
    guard case .raw(let channel, let octets) = act, let opcode = octets.first else { return nil }
    let group: Group =
      switch ChannelID(rawValue: channel) {
      case .attributeProtocol: .att
      case .securityManager: .security
      default: .signalling
      }
    return Name(group, "0x" + [opcode].hexadecimal)
  }

  /// The counts as readable lines: a group, then each name with the number of plans that use it. The last line lists the keys of
  /// the language that no plan uses.
  package var lines: [String] {
    var lines = ["\(plans) plans"]
    for group in Group.allCases {
      let names = (counts[group] ?? [:]).sorted { $0.key < $1.key }
      if names.isEmpty { continue }
      let total = group == .key ? " of \(KeyCoverage.all.count)" : ""
      lines.append("\(names.count)\(total) \(group.rawValue):")
      lines.append("  " + names.map { "\($0.key) \($0.value)" }.joined(separator: ", "))
    }
    let missing = KeyCoverage.all.filter { counts[.key]?[$0] == nil }
    if !missing.isEmpty { lines.append("keys that no plan used: \(missing.joined(separator: ", "))") }
    return lines
  }
}
