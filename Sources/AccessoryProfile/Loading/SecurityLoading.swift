import BLECore
import BLESMP

extension ProfileLoader {
  /// Pairing and bonding.
  mutating func security(_ node: SyntaxNode?) -> SecurityDefinition {
    var definition = SecurityDefinition()
    guard let node, let keys = keys(node, Language.security) else { return definition }
    let words = PairingWords.capabilities.map(\.word)
    let way = keys["pairing"].map { oneOf($0, words) } ?? "none"
    guard let capability = PairingWords.capabilities.first(where: { $0.word == way })?.capability else {
      if way != nil { warnOfSecurityWithoutPairing(keys) }
      return definition
    }
    definition.pairing.isPairable = true
    definition.pairing.ioCapability = capability
    requirements(keys, &definition.pairing)
    keySizes(keys["key-size"], &definition.pairing)
    keyKinds(keys["keys"], &definition.pairing)
    definition.pairing.outOfBand = keys["oob"].flatMap { outOfBand($0) }
    definition.pairing.fixedPasskey = keys["passkey"].flatMap { passkey($0) }
    if capability == .noInputNoOutput, let key = keys.key("passkey") {
      warn(key, "with 'pairing: just-works' it neither displays nor enters a passkey")
    }
    let pairing = definition.pairing
    if pairing.requiresAuthentication || pairing.prefersAuthentication, definition.bestProtection < .authenticated,
      let node = keys["mitm"]
    {
      warn(node, "'pairing: just-works' cannot protect against a man in the middle")
    }
    if let word = keys["request"].flatMap({ oneOf($0, Language.security.words(of: "request")) }) {
      definition.requests = SecurityRequestTiming(rawValue: word) ?? .never
    }
    definition.answers = pairingScript(keys["answers"], fixedPasskey: definition.pairing.fixedPasskey)
    definition.pairing.asksConsent = definition.answers.consent != .accept
    for element in keys["faults"].flatMap({ list($0) }) ?? [] { fault(element, &definition.pairing) }
    return definition
  }

  private mutating func warnOfSecurityWithoutPairing(_ keys: Keys) {
    for name in Language.security.names where name != "pairing" {
      guard let key = keys.key(name), keys[name]?.plainText != "false" else { continue }
      error(key, "this accessory does not pair; '\(name)' needs a 'pairing' other than none")
    }
  }

  private mutating func requirements(_ keys: Keys, _ policy: inout PairingPolicy) {
    policy.bonds = keys["bonding"].flatMap { boolean($0) } ?? true
    policy.maximumBonds = Int(integer(keys, "bonds") ?? 16)
    policy.replacesBonds =
      keys["bonds-full"].flatMap { oneOf($0, Language.security.words(of: "bonds-full")) } != "refuse"
    policy.requiresAuthentication = keys["mitm"]?.text == "required"
    if !policy.requiresAuthentication {
      policy.prefersAuthentication =
        keys["mitm"].flatMap { boolean($0) } ?? (policy.ioCapability != .noInputNoOutput)
    }
    policy.refusesWeakerKeys = !(keys["weaker-keys"].flatMap { boolean($0) } ?? false)
    if let node = keys["keypress"] { keypresses(node, &policy) }
    policy.usesDebugKeys = keys["debug-keys"].flatMap { boolean($0) } ?? false
    if let word = keys["secure-connections"].flatMap({ oneOf($0, SecureConnectionsSupport.words) }) {
      policy.secureConnections = SecureConnectionsSupport(rawValue: word) ?? .offered
    }
  }

  private mutating func keypresses(_ node: SyntaxNode, _ policy: inout PairingPolicy) {
    guard let elements = node.elements else {
      policy.sendsKeypresses = boolean(node) ?? false
      return
    }
    policy.sendsKeypresses = true
    policy.typedKeys = []
    for element in elements {
      guard let word = oneOf(element, PairingWords.keypressWords), let key = PairingWords.keypress(word) else {
        continue
      }
      policy.typedKeys.append(key)
    }
  }

  private mutating func keySizes(_ node: SyntaxNode?, _ policy: inout PairingPolicy) {
    guard let node, let keys = keys(node, Language.keySizes) else { return }
    let minimum = integer(keys, "minimum") ?? 7
    let maximum = integer(keys, "maximum") ?? 16
    guard minimum <= maximum else {
      error(keys["minimum"] ?? node, "the minimum key size is greater than the maximum, \(maximum) octets")
      return
    }
    policy.keySizes = Int(minimum)...Int(maximum)
  }

  private mutating func keyKinds(_ node: SyntaxNode?, _ policy: inout PairingPolicy) {
    guard let node, let keys = keys(node, Language.keyKinds) else { return }
    if let list = keys["distributed"] { policy.distributes = keyKinds(list) }
    if let list = keys["wanted"] { policy.wants = keyKinds(list) }
  }

  private mutating func keyKinds(_ node: SyntaxNode) -> KeyKinds {
    var kinds: KeyKinds = []
    for element in list(node) ?? [] {
      guard let word = oneOf(element, PairingWords.keys.map(\.word)) else { continue }
      for entry in PairingWords.keys where entry.word == word { kinds.insert(entry.kind) }
    }
    return kinds
  }

  private mutating func outOfBand(_ node: SyntaxNode) -> OutOfBandData? {
    guard let keys = keys(node, Language.outOfBand) else { return nil }
    var data = OutOfBandData()
    data.temporaryKey = keys["temporary-key"].flatMap { sixteenOctets($0) }
    data.confirm = keys["confirm"].flatMap { sixteenOctets($0) }
    data.random = keys["random"].flatMap { sixteenOctets($0) }
    let hasHalf = (keys["confirm"] == nil) != (keys["random"] == nil)
    if hasHalf { error(node, "'confirm' and 'random' belong together") }
    if keys["confirm"] == nil, keys["temporary-key"] == nil, !hasHalf {
      error(node, "the out-of-band data is missing: 'temporary-key', or 'confirm' and 'random'")
    }
    return data
  }

  private mutating func sixteenOctets(_ node: SyntaxNode) -> [UInt8]? {
    guard let octets = octets(node)?.octets else { return nil }
    guard octets.count == 16 else {
      error(node, "expected 16 octets, not \(octets.count)")
      return nil
    }
    return octets
  }

  private mutating func passkey(_ node: SyntaxNode) -> UInt32? {
    integer(node, Language.security, "passkey").map { UInt32(truncatingIfNeeded: $0) }
  }

  // MARK: Answers

  private mutating func pairingScript(_ node: SyntaxNode?, fixedPasskey: UInt32?) -> PairingScript {
    var script = PairingScript()
    if let fixedPasskey {
      (script.passkey, script.typedPasskey, script.display) = (.accept, fixedPasskey, .accept)
    }
    guard let node else { return script }
    guard node.pairs != nil else {
      guard let decision = decision(node) else { return script }
      (script.consent, script.comparison, script.display) = (decision, decision, decision)
      // Who accepts has to know the passkey.
      if decision != .accept { script.passkey = decision }
      return script
    }
    guard let keys = keys(node, Language.pairingAnswers) else { return script }
    if let node = keys["consent"], let decision = decision(node) { script.consent = decision }
    if let node = keys["comparison"], let decision = decision(node) { script.comparison = decision }
    if let node = keys["display"], let decision = decision(node) { script.display = decision }
    guard let node = keys["passkey"] else { return script }
    if let word = node.text, let decision = PairingScript.Decision(rawValue: word), decision != .accept {
      script.passkey = decision
    } else if let number = passkey(node) {
      (script.passkey, script.typedPasskey) = (.accept, number)
    }
    return script
  }

  private mutating func decision(_ node: SyntaxNode) -> PairingScript.Decision? {
    oneOf(node, PairingScript.Decision.words).flatMap { PairingScript.Decision(rawValue: $0) }
  }

  // MARK: Faults

  private mutating func fault(_ node: SyntaxNode, _ policy: inout PairingPolicy) {
    guard node.pairs != nil else {
      switch oneOf(node, PairingWords.plainFaults) {
      case "wrong-passkey": policy.faults.append(.wrongPasskey)
      case "wrong-key": policy.faults.append(.keepsWrongKey)
      case "only-just-works": policy.takesOnlyJustWorks = true
      default: break
      }
      return
    }
    guard let keys = keys(node, Language.pairingFault), let place = keys["at"],
      let word = oneOf(place, PairingWords.packets.map(\.word)),
      let code = PairingWords.packets.first(where: { $0.word == word })?.code
    else { return }
    switch (keys["fail"], keys["do"]) {
    case (let reasonNode?, nil):
      guard let word = oneOf(reasonNode, PairingWords.reasons.map(\.word)),
        let reason = PairingWords.reasons.first(where: { $0.word == word })?.reason
      else { return }
      policy.faults.append(.fails(code, reason))
    case (nil, let action?):
      guard let word = oneOf(action, PairingWords.misdeeds) else { return }
      policy.faults.append(word == "corrupt" ? .corrupts(code) : .silent(code))
    default: error(node, "expected either 'fail' or 'do': what it does instead of sending the packet")
    }
  }
}
