import BLESMP

extension Language {
  static let securityTables = [security, keySizes, keyKinds, outOfBand, pairingAnswers, pairingFault]

  static let security = KeyTable(
    name: "security",
    keys: [
      .init(
        name: "pairing", type: .names(PairingWords.capabilities.map(\.word)),
        summary:
          "What it has for pairing: nothing (just-works), a display, a display with yes and no (compare), a keyboard, or both "
          + "(keyboard-display); none, as if not given, refuses to pair."),
      .init(
        name: "passkey", type: .integer(0...999_999),
        summary:
          "The passkey that it shows, or types; if not given it shows a random one, and somebody is asked for it."),
      .init(name: "bonding", type: .boolean, summary: "Whether it keeps the keys; true if not given."),
      .init(
        name: "mitm", type: .choice([.boolean, .names(["required"])]),
        summary:
          "Whether it wants protection against a man in the middle, or refuses to pair without; true if not given, except with "
          + "just-works."),
      .init(
        name: "secure-connections", type: .names(SecureConnectionsSupport.words),
        summary: "Whether it pairs by LE Secure Connections where the central does too (offered), never, or only so."),
      .init(
        name: "key-size", type: .mapping("key-sizes"), summary: "The encryption keys that it takes, 7 to 16 octets."),
      .init(name: "keys", type: .mapping("key-kinds"), summary: "The keys that are distributed."),
      .init(
        name: "weaker-keys", type: .boolean,
        summary: "Whether a central that has bonded may pair again with weaker keys; false if not given."),
      .init(
        name: "keypress", type: .choice([.boolean, .list(.names(PairingWords.keypressWords))]),
        summary:
          "Whether it sends a notification for each key while a passkey is typed, false if not given; or what it says was pressed "
          + "behind the beginning, six digits and the end if not given."),
      .init(name: "oob", type: .mapping("out-of-band"), summary: "What it has of the central out of band."),
      .init(
        name: "debug-keys", type: .boolean,
        summary: "Whether it uses the debug key pair, so that a sniffer can decrypt the link; false if not given."),
      .init(
        name: "request", type: .names(SecurityRequestTiming.allCases.map(\.rawValue)),
        summary: "When it sends a Security Request by itself; never if not given."),
      .init(
        name: "answers", type: .choice([.names(PairingScript.Decision.words), .mapping("pairing-answers")]),
        summary: "Who decides while it pairs; somebody is asked for all but the consent if not given."),
      .init(
        name: "faults", type: .list(.choice([.names(PairingWords.plainFaults), .mapping("pairing-fault")])),
        summary: "What it does wrong on purpose while it pairs."),
    ])

  static let keySizes = KeyTable(
    name: "key-sizes",
    keys: [
      .init(name: "minimum", type: .integer(7...16), summary: "The shortest, in octets; 7 if not given."),
      .init(name: "maximum", type: .integer(7...16), summary: "The longest, in octets; 16 if not given."),
    ])

  static let keyKinds = KeyTable(
    name: "key-kinds",
    keys: [
      .init(
        name: "distributed", type: .list(.names(PairingWords.keys.map(\.word))),
        summary: "Those that it gives; encryption and identity if not given."),
      .init(
        name: "wanted", type: .list(.names(PairingWords.keys.map(\.word))),
        summary: "Those that it takes; encryption and identity if not given."),
    ])

  static let outOfBand = KeyTable(
    name: "out-of-band",
    keys: [
      .init(
        name: "temporary-key", type: .octets,
        summary: "The Temporary Key of legacy pairing, 16 octets, the lowest first."),
      .init(
        name: "confirm", type: .octets, summary: "The central's confirm value of Secure Connections, likewise."),
      .init(name: "random", type: .octets, summary: "The random value that belongs to it, likewise."),
    ])

  static let pairingAnswers = KeyTable(
    name: "pairing-answers",
    keys: [
      .init(
        name: "consent", type: .names(PairingScript.Decision.words),
        summary: "Whether it pairs with that central; accept if not given."),
      .init(
        name: "comparison", type: .names(PairingScript.Decision.words),
        summary: "Whether both sides show the same number; ask if not given."),
      .init(
        name: "passkey", type: .choice([.names(["ask", "refuse"]), .integer(0...999_999)]),
        summary: "The passkey that the central shows; the key passkey if not given, else ask."),
      .init(
        name: "display", type: .names(PairingScript.Decision.words),
        summary:
          "Whether the central may type the passkey that is shown; ask if not given, accept with the key passkey."),
    ])

  static let pairingFault = KeyTable(
    name: "pairing-fault",
    keys: [
      .init(
        name: "at", type: .names(PairingWords.packets.map(\.word)),
        summary: "The packet that is due to be sent.", isRequired: true),
      .init(
        name: "fail", type: .names(PairingWords.reasons.map(\.word)),
        summary: "It sends Pairing Failed with this reason in its place."),
      .init(
        name: "do", type: .names(PairingWords.misdeeds),
        summary: "It says nothing any longer (fall-silent), or sends the packet with a wrong content (corrupt)."),
    ])
}
