import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLESMP

/// A profile as rules see it: its parts with their nodes in the text.
package struct LintSubject: Sendable {
  let profile: Profile
  let root: SyntaxNode
  let sets: [AdvertisedSet]
  let services: [LintedService]

  /// An advertising set and its node.
  struct AdvertisedSet: Sendable {
    let definition: AdvertisingSetDefinition
    /// The node of the set; nil for the default set.
    let node: SyntaxNode?
    /// The node for findings about the whole set if it has none: the key `advertising`, or else the key `name`.
    let fallback: SyntaxNode
    /// The structures of the advertising data.
    let data: [AdvertisingStructure]
    /// The structures of the scan response.
    let response: [AdvertisingStructure]

    /// Whether every central may connect to it.
    var isOpen: Bool { definition.isConnectable && definition.target == nil && definition.connectsTo == .everybody }
    var services: [BluetoothUUID] { AdvertisingData(data).services }
    /// Returns the key at a path in the set, or the nearest one that exists.
    func key(_ path: String...) -> SyntaxNode { node?.key(path[...]) ?? node?.pairs?.first?.key ?? fallback }
    /// The phases, each with the node of its interval.
    var phases: [(phase: AdvertisingPhase, node: SyntaxNode?)] {
      let elements = node?.value(of: "schedule")?.elements
      return definition.schedule.enumerated().map { index, phase in
        let given = elements.flatMap { index < $0.count ? $0[index].value(of: "interval") : nil }
        return (phase, given ?? node?.value(of: "interval"))
      }
    }
  }

  /// A service and its node.
  struct LintedService: Sendable {
    let definition: ServiceDefinition
    let node: SyntaxNode
    let characteristics: [LintedCharacteristic]
  }

  /// A characteristic with its behavior and its node.
  struct LintedCharacteristic: Sendable {
    let definition: CharacteristicDefinition
    let behavior: CharacteristicBehavior?
    let node: SyntaxNode

    var uuid: BluetoothUUID { definition.uuid }
    var sends: Bool { !definition.properties.isDisjoint(with: [.notify, .indicate]) }
    /// Returns the node of a key, or of its UUID if it has no such key.
    func key(_ name: String) -> SyntaxNode {
      node.pairs?.first { $0.name == name }?.key ?? node.pairs?.first { $0.name == "uuid" }?.key ?? node
    }
  }

  package init(_ examined: ExaminedProfile) {
    profile = examined.profile
    root = examined.root
    let nameKey = root.key(["name"]) ?? root
    let list = root.pairs?.first { $0.name == "advertising" }
    sets = profile.advertising.enumerated().map { index, set in
      let elements = list?.value.elements ?? []
      return AdvertisedSet(
        definition: set, node: index < elements.count ? elements[index] : nil, fallback: list?.key ?? nameKey,
        data: AdvertisingData(parsing: set.data).structures,
        response: AdvertisingData(parsing: set.scanResponse).structures)
    }
    let behaviors = Dictionary(examined.profile.behaviors.map { ($0.id, $0) }) { first, _ in first }
    services = profile.services.map { service in
      LintedService(
        definition: service, node: examined.services[service.id] ?? nameKey,
        characteristics: service.characteristics.map {
          LintedCharacteristic(
            definition: $0, behavior: behaviors[$0.id], node: examined.characteristics[$0.id] ?? nameKey)
        })
    }
  }

  var characteristics: [LintedCharacteristic] { services.flatMap(\.characteristics) }
  var isConnectable: Bool { sets.contains { $0.definition.isConnectable } }
  var openSets: [AdvertisedSet] { sets.filter(\.isOpen) }
  var canPair: Bool { profile.security.pairing.isPairable }
  var canBond: Bool { profile.security.canBond }

  /// Returns the key at a path, or the nearest one that exists, or else the key `name`.
  func key(_ path: String...) -> SyntaxNode { root.key(path[...]) ?? root.key(["name"]) ?? root }
  /// Returns the value at a path.
  func value(_ path: String...) -> SyntaxNode? { path.reduce(Optional(root)) { $0?.value(of: $1) } }
  /// Returns the services of a type.
  func services(_ uuid: UInt16) -> [LintedService] { services.filter { $0.definition.uuid == BluetoothUUID(uuid) } }

  /// All effects of rules and writes.
  var effects: [RuleEffect] {
    profile.rules.flatMap(\.effects) + profile.behaviors.flatMap { $0.writeRules.flatMap(\.effects) }
      + profile.behaviors.flatMap { ($0.controlPoint?.commands ?? []).flatMap(\.effects) }.compactMap {
        if case .write(let effect) = $0 { effect } else { nil }
      }
  }

  /// Whether rules add or remove services while the accessory runs.
  var changesServices: Bool {
    effects.contains { if case .device(.service) = $0 { true } else { false } }
  }
}

extension SyntaxNode {
  /// Returns the key at a path, or the last one on it that exists.
  func key(_ path: ArraySlice<String>) -> SyntaxNode? {
    guard let name = path.first, let pair = pairs?.first(where: { $0.name == name }) else { return nil }
    return pair.value.key(path.dropFirst()) ?? pair.key
  }
}

extension CharacteristicBehavior {
  /// The length of the value in octets; nil if it varies.
  var fixedLength: Int? {
    if let size = format.fixedSize { return size }
    if case .pattern(let length) = source { return length }
    return nil
  }
}
