import BLESMP

extension Language {
  static let securityTables = [security, keySizes, keyKinds, outOfBand, pairingAnswers, pairingFault]

  static let security = KeyTable(
    name: "security",
    keys: [
      .init(
        name: "pairing", type: .names(PairingWords.capabilities.map(\.word)),
        summary:
          "The IO capability: none (just-works), a display, a display with yes and no (compare), a keyboard, or "
          + "both (keyboard-display); none, the default, refuses to pair."),
      .init(
        name: "passkey", type: .integer(0...999_999),
        summary:
          "The passkey that it displays, or enters; by default it displays a random one, and asks for the "
          + "central's."),
      .init(name: "bonding", type: .boolean, summary: "Whether it stores the keys (default: true)."),
      .init(
        name: "bonds", type: .integer(1...256),
        summary:
          "The maximum number of bonds (default: 16). Sets with 'accept' keep no more than fit the controller's "
          + "Filter Accept List."),
      .init(
        name: "bonds-full", type: .names(["replace", "refuse"]),
        summary:
          "What happens when another central bonds: its bond replaces the least recently used one (default), or the "
          + "central pairs without a bond."),
      .init(
        name: "mitm", type: .choice([.boolean, .names(["required"])]),
        summary:
          "Whether it requests protection against a man in the middle, or refuses to pair without it (default: "
          + "true, except with just-works)."),
      .init(
        name: "secure-connections", type: .names(SecureConnectionsSupport.words),
        summary: "Whether it uses LE Secure Connections if the central supports it (offered), never (none), or "
          + "exclusively (only)."),
      .init(
        name: "key-size", type: .mapping("key-sizes"),
        summary: "The encryption key sizes that it accepts, 7 to 16 octets."),
      .init(name: "keys", type: .mapping("key-kinds"), summary: "The keys that are distributed."),
      .init(
        name: "weaker-keys", type: .boolean,
        summary: "Whether a bonded central may pair again with weaker keys (default: false)."),
      .init(
        name: "keypress", type: .choice([.boolean, .list(.names(PairingWords.keypressWords))]),
        summary:
          "Whether it sends keypress notifications while a passkey is entered (default: false); or the "
          + "notifications after the first, instead of six digits and the completion."),
      .init(name: "oob", type: .mapping("out-of-band"), summary: "Out-of-band data from the central."),
      .init(
        name: "debug-keys", type: .boolean,
        summary: "Whether it uses the debug key pair, which lets a sniffer decrypt the link (default: false)."),
      .init(
        name: "request", type: .names(SecurityRequestTiming.allCases.map(\.rawValue)),
        summary: "When it sends a Security Request by itself (default: never)."),
      .init(
        name: "answers", type: .choice([.names(PairingScript.Decision.words), .mapping("pairing-answers")]),
        summary: "Who makes the decisions during pairing (default: asks about everything except consent)."),
      .init(
        name: "faults", type: .list(.choice([.names(PairingWords.plainFaults), .mapping("pairing-fault")])),
        summary: "Pairing faults that it injects."),
    ])

  static let keySizes = KeyTable(
    name: "key-sizes",
    keys: [
      .init(name: "minimum", type: .integer(7...16), summary: "The minimum, in octets (default: 7)."),
      .init(name: "maximum", type: .integer(7...16), summary: "The maximum, in octets (default: 16)."),
    ])

  static let keyKinds = KeyTable(
    name: "key-kinds",
    keys: [
      .init(
        name: "distributed", type: .list(.names(PairingWords.keys.map(\.word))),
        summary: "The keys that it distributes (default: encryption; with private addresses, identity too)."),
      .init(
        name: "wanted", type: .list(.names(PairingWords.keys.map(\.word))),
        summary: "The keys that it requests (default: encryption and identity)."),
    ])

  static let outOfBand = KeyTable(
    name: "out-of-band",
    keys: [
      .init(
        name: "temporary-key", type: .octets,
        summary: "The Temporary Key for legacy pairing, 16 octets, least significant first."),
      .init(
        name: "confirm", type: .octets,
        summary: "The central's confirm value for LE Secure Connections, in the same form."),
      .init(
        name: "random", type: .octets,
        summary: "The central's random value for LE Secure Connections, in the same form."),
    ])

  static let pairingAnswers = KeyTable(
    name: "pairing-answers",
    keys: [
      .init(
        name: "consent", type: .names(PairingScript.Decision.words),
        summary: "Whether it pairs with that central (default: accept)."),
      .init(
        name: "comparison", type: .names(PairingScript.Decision.words),
        summary: "Whether both sides display the same number (default: ask)."),
      .init(
        name: "passkey", type: .choice([.names(["ask", "refuse"]), .integer(0...999_999)]),
        summary: "The passkey that the central displays (default: the key passkey, or ask)."),
      .init(
        name: "display", type: .names(PairingScript.Decision.words),
        summary:
          "How the accessory's passkey is displayed (default: ask; accept with the key passkey)."),
    ])

  static let pairingFault = KeyTable(
    name: "pairing-fault",
    keys: [
      .init(
        name: "at", type: .names(PairingWords.packets.map(\.word)),
        summary: "The packet at which the fault occurs.", isRequired: true),
      .init(
        name: "fail", type: .names(PairingWords.reasons.map(\.word)),
        summary: "Pairing Failed with this reason is sent instead of the packet."),
      .init(
        name: "do", type: .names(PairingWords.misdeeds),
        summary: "It stops responding (fall-silent), or sends the packet with wrong contents (corrupt)."),
    ])
}
