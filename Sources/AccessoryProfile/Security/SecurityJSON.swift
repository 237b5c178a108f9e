import BLESMP

extension SecurityDefinition {
  /// Loads the settings from JSON in the form of a profile's `security`, with the same checks.
  public static func load(_ value: ProfileValue) throws(ProfileValueError) -> SecurityDefinition {
    var loader = ProfileLoader(source: SourceFile(name: "", text: ""), diagnostics: [])
    let definition = loader.security(SyntaxNode(value))
    if let error = loader.fieldError { throw error }
    return definition
  }

  /// The settings in the form of a profile's `security`, with all keys that have a value, except out-of-band data. `load` makes the same
  /// definition from it.
  public var json: ProfileValue {
    guard pairing.isPairable else { return .object(["pairing": .string("none")]) }
    var fields: [String: ProfileValue] = [
      "pairing": .string(PairingWords.word(for: pairing.ioCapability)),
      "bonding": .bool(pairing.bonds), "bonds": .int(Int64(pairing.maximumBonds)),
      "bonds-full": .string(pairing.replacesBonds ? "replace" : "refuse"),
      "mitm": pairing.requiresAuthentication ? .string("required") : .bool(pairing.prefersAuthentication),
      "weaker-keys": .bool(!pairing.refusesWeakerKeys),
      "secure-connections": .string(pairing.secureConnections.rawValue),
      "key-size": .object([
        "minimum": .int(Int64(pairing.keySizes.lowerBound)), "maximum": .int(Int64(pairing.keySizes.upperBound)),
      ]),
      "keys": .object(
        ["wanted": Self.json(pairing.wants)].merging(
          pairing.distributes.map { ["distributed": Self.json($0)] } ?? [:]
        ) { $1 }),
      "keypress": keypressJSON, "debug-keys": .bool(pairing.usesDebugKeys),
      "request": .string(requests.rawValue), "answers": answers.json,
    ]
    fields["passkey"] = pairing.fixedPasskey.map { .int(Int64($0)) }
    let faults = faultsJSON
    if !faults.isEmpty { fields["faults"] = .array(faults) }
    return .object(fields)
  }

  private var keypressJSON: ProfileValue {
    guard pairing.sendsKeypresses, pairing.typedKeys != PairingPolicy.sixDigits else {
      return .bool(pairing.sendsKeypresses)
    }
    return .array(pairing.typedKeys.map { .string(PairingWords.word(for: $0)) })
  }

  private static func json(_ kinds: KeyKinds) -> ProfileValue {
    .array(PairingWords.keys.filter { kinds.contains($0.kind) }.map { .string($0.word) })
  }

  private var faultsJSON: [ProfileValue] {
    func packet(_ code: SMPCode, _ key: String, _ word: String) -> ProfileValue {
      let name = PairingWords.packets.first { $0.code == code }?.word ?? ""
      return .object(["at": .string(name), key: .string(word)])
    }
    let faults: [ProfileValue] = pairing.faults.map { fault in
      switch fault {
      case .fails(let code, let reason): packet(code, "fail", PairingWords.word(for: reason))
      case .silent(let code): packet(code, "do", "fall-silent")
      case .corrupts(let code): packet(code, "do", "corrupt")
      case .wrongPasskey: .string("wrong-passkey")
      case .keepsWrongKey: .string("wrong-key")
      }
    }
    return faults + (pairing.takesOnlyJustWorks ? [.string("only-just-works")] : [])
  }
}

extension PairingScript {
  /// The script in the form of a profile's `answers`.
  fileprivate var json: ProfileValue {
    let passkey: ProfileValue =
      passkey == .accept ? typedPasskey.map { .int(Int64($0)) } ?? .string("ask") : .string(passkey.rawValue)
    return .object([
      "consent": .string(consent.rawValue), "comparison": .string(comparison.rawValue), "passkey": passkey,
      "display": .string(display.rawValue),
    ])
  }
}

extension PairingWords {
  /// Returns the keyword for an IO capability in profiles.
  static func word(for capability: IOCapability) -> String {
    capabilities.first { $0.capability == capability }?.word ?? "just-works"
  }
}
