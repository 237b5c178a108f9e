import BLECore
import BLEGAP

/// Sets for bonded centrals, and sets with an address that identifies nobody.
extension ProfileLoader {
  /// Reads the target of a set.
  mutating func target(_ keys: Keys, kind: String) -> AdvertisingSetDefinition.Target? {
    let isDirected = kind == "directed"
    if !isDirected, let duty = keys.key("duty") { error(duty, "only directed sets have a duty cycle") }
    guard let node = keys["to"], let text = text(node) else { return isDirected ? .latest : nil }
    if kind == "legacy", let key = keys.key("to") {
      error(key, "a legacy set has no target; use 'kind: directed' to call one central")
    }
    if text == "bonded" { return .latest }
    guard let address = DeviceAddress(text) else {
      error(
        node,
        "expected a bonded central, not '\(text)' (known: bonded, or an identity address such as "
          + "C4:12:34:56:78:9A)")
      return nil
    }
    return .peer(address)
  }

  /// Checks a directed set. Directed legacy PDUs contain two addresses and nothing else (Core 5.4 Vol 6 Part B 2.3.1.2), and only their
  /// target responds.
  mutating func checkDirected(_ keys: Keys, _ set: AdvertisingSetDefinition) {
    guard set.target != nil else { return }
    if !security.canBond, let place = keys.key("to") ?? keys.key("kind") {
      error(place, "it calls a bonded central, but the accessory does not bond; see 'security'")
    }
    if let accept = keys.key("accept") { error(accept, "only the target of a directed set can respond to it") }
    guard set.kind == .legacy else { return }
    for name in ["data", "scan-response"] {
      if let key = keys.key(name) { error(key, "directed legacy advertising carries no data") }
    }
    if let key = keys.key("connectable"), !set.isConnectable { error(key, "a directed set is always connectable") }
    if let key = keys.key("scannable"), set.isScannable { error(key, "a directed set is never scannable") }
    guard set.isHighDuty else { return }
    for name in ["interval", "schedule"] {
      if let key = keys.key(name) {
        error(
          key,
          "with high duty, the controller advertises every 3.75 ms or faster, for 1.28 s; use 'duty: low' for "
            + "intervals")
      }
    }
  }

  /// Reads the audience of a set.
  mutating func readAudience(_ keys: Keys, into set: inout AdvertisingSetDefinition) {
    guard let node = keys["accept"] else { return }
    if node.plainText != nil {
      let audience = word(node, Language.advertisingSet.words(of: "accept"))
      if set.isConnectable { set.connectsTo = audience }
      if set.isScannable { set.answersScansOf = audience }
      if !set.isConnectable, !set.isScannable, let key = keys.key("accept") {
        error(key, "no central can connect to this set or scan it, so 'accept' has no effect")
      }
    } else if let keys = self.keys(node, Language.audience) {
      if let node = keys["connections"] {
        set.connectsTo = word(node, Language.audience.words(of: "connections"))
        if !set.isConnectable, let key = keys.key("connections") { error(key, "no central can connect to this set") }
      }
      if let node = keys["scans"] {
        set.answersScansOf = word(node, Language.audience.words(of: "scans"))
        if !set.isScannable, let key = keys.key("scans") { error(key, "no central can scan this set") }
      }
    }
    if set.filters, !security.canBond, let key = keys.key("accept") {
      error(key, "it is for bonded centrals, but the accessory does not bond; see 'security'")
    }
  }

  private mutating func word(_ node: SyntaxNode, _ words: [String]) -> AdvertisingSetDefinition.Audience {
    oneOf(node, words).flatMap { AdvertisingSetDefinition.Audience(rawValue: $0) } ?? .everybody
  }

  /// Reads the kind of address that a set uses.
  mutating func readAddress(_ keys: Keys, into set: inout AdvertisingSetDefinition) {
    guard let node = keys["address"], let word = oneOf(node, Language.advertisingSet.words(of: "address")),
      let kind = AdvertisingSetDefinition.AddressKind(rawValue: word)
    else { return }
    set.address = kind
    if kind == .nonResolvable, set.isConnectable {
      error(node, "a set with a non-resolvable address cannot be connectable; add 'connectable: false'")
    }
  }

  /// Warns if no central can pair for the first time.
  mutating func checkAudiences(_ sets: [AdvertisingSetDefinition], _ node: SyntaxNode?) {
    guard let node else { return }
    let open = sets.contains { $0.isConnectable && $0.target == nil && $0.connectsTo == .everybody }
    let hasOthers = sets.contains { $0.target != nil || $0.connectsTo == .bonded }
    if hasOthers, !open {
      warn(
        node,
        "every connectable set accepts only bonded centrals, so none can pair for the first time; add a set "
          + "that accepts all")
    }
  }
}
