import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLESMP

/// Rules for pairing and permissions.
extension LintRule {
  static let securityRules = [
    pairingBeforeNeed, unreachablePermission, unprotectedNotification, protectedInformation, pairingWithoutBond,
    legacyPairing, shortKeys, debugKeys, fixedPasskey,
  ]

  private static let pairingBeforeNeed = LintRule(
    "pairing-before-need", .warning, [.apple],
    title: "The accessory does not ask for pairing before it refuses an access.",
    why: "A Security Request right after connecting shows the pairing sheet before the app has done anything, and "
      + "people who do not expect it cancel. A refusal with Insufficient Authentication makes the phone pair by "
      + "itself.",
    source: .guidelines("40.10"),
    bad: .init("security: { pairing: just-works, request: on-connection }", at: (3, 34)),
    good: .init("security: { pairing: just-works, request: never }"), applies: { $0.canPair }
  ) { subject in
    guard subject.profile.security.requests == .onConnection else { return [] }
    return [
      LintIssue(
        subject.key("security", "request"), "it asks for pairing as soon as a central has connected",
        remedy: "use never, and protect the characteristics that need it",
        fix: .replacing(subject.value("security", "request"), by: "never"))
    ]
  }

  /// Returns the requirements for a characteristic, each with the key of its permission.
  private static func requirements(
    _ characteristic: LintSubject.LintedCharacteristic
  ) -> [(key: String, requirement: AccessRequirement)] {
    let definition = characteristic.definition
    let sends = characteristic.sends ? definition.configurationPermissions.write : nil
    return [
      ("read", definition.permissions.read), ("write", definition.permissions.write ?? nil), ("subscribe", sends),
    ].compactMap { key, requirement in requirement.map { (key, $0) } }
  }

  private static let unreachablePermission = LintRule(
    "unreachable-permission", .error, [.core],
    title: "Pairing with the accessory can give a link the security that its characteristics need.",
    why: "The accessory always refuses the access: the phone pairs, tries again, and the app gets an error.",
    source: .core("Vol 3 Part C 10.3.1"),
    bad: .init(
      """
      services:
        - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - uuid: A0000002-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read]
              permissions: { read: encrypted }
              value: hex:00
              description: A lamp
      """, at: (8, 30)),
    good: .init(
      """
      security: { pairing: just-works }
      services:
        - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - uuid: A0000002-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read]
              permissions: { read: encrypted }
              value: hex:00
              description: A lamp
      """)
  ) { subject in
    subject.characteristics.flatMap { characteristic in
      requirements(characteristic).filter { $0.requirement.protection > subject.profile.security.bestProtection }.map {
        LintIssue(
          characteristic.node.value(of: "permissions")?.value(of: $0.key) ?? characteristic.key("permissions"),
          "'\(characteristic.definition.id)' needs more security than pairing with this accessory can give",
          remedy: "set security.pairing to a method that gives it, or lower the permission")
      }
    }
  }

  private static let unprotectedNotification = LintRule(
    "unprotected-notification", .warning, [.core],
    title: "Subscribing to a value needs as much security as reading it.",
    why: "A permission to read protects only reads; the permission to write the Client Characteristic Configuration "
      + "protects notifications. On a link that may not read the value, Understudy sends nothing, but other stacks send "
      + "it in the clear.",
    source: .core("Vol 3 Part G 3.3.3.3, 4.10"),
    bad: .init(Self.protected("read: encrypted"), at: (8, 9)),
    good: .init(Self.protected("read: encrypted, subscribe: encrypted")), applies: { $0.canPair }
  ) { subject in
    subject.characteristics.compactMap { characteristic in
      let definition = characteristic.definition
      guard characteristic.sends, let read = definition.permissions.read,
        let subscribe = definition.configurationPermissions.write, read.protection > subscribe.protection
      else { return nil }
      return LintIssue(
        characteristic.key("permissions"),
        "reading '\(definition.id)' needs security, but subscribing to it does not",
        remedy: "add 'subscribe' with the same requirement")
    }
  }

  private static let protectedInformation = LintRule(
    "protected-information", .note, [.apple],
    title: "Device Information can be read without pairing.",
    why: "Apps read it right after connecting, to find out which product this is. If it is protected, that read makes "
      + "the phone ask for pairing before the person knows why.",
    source: .guidelines("40.9, 40.10"),
    bad: .init(
      """
      security: { pairing: just-works }
      services:
        - include: battery
        - include: device-information
          model-number: { permissions: { read: encrypted } }
      """, at: (7, 21)),
    good: .init(
      """
      security: { pairing: just-works }
      services:
        - include: battery
        - include: device-information
          serial-number: { value: "1", permissions: { read: encrypted } }
      """),
    applies: { !$0.services(0x180A).isEmpty }
  ) { subject in
    // A serial number identifies a person's device, so a profile may protect it.
    subject.services(0x180A).flatMap(\.characteristics).filter {
      $0.uuid != BluetoothUUID(0x2A25) && ($0.definition.permissions.read?.protection ?? .none) > .none
    }.prefix(1).map {
      LintIssue($0.key("permissions"), "reading '\($0.definition.id)' needs pairing", remedy: "remove the permission")
    }
  }

  private static let pairingWithoutBond = LintRule(
    "pairing-without-bond", .warning, [.core, .apple],
    title: "An accessory that pairs keeps the bond.",
    why:
      "Without a bond the person must pair at each connection, and phones that have kept their own keys end the link.",
    source: .core("Vol 3 Part C 9.4"),
    bad: .init("security: { pairing: just-works, bonding: false }", at: (3, 34)),
    good: .init("security: { pairing: just-works }"), applies: { $0.canPair }
  ) { subject in
    guard !subject.profile.security.pairing.bonds else { return [] }
    return [
      LintIssue(subject.key("security", "bonding"), "it pairs, but stores no keys", remedy: "leave 'bonding' out")
    ]
  }

  private static let legacyPairing = LintRule(
    "legacy-pairing", .warning, [.core],
    title: "The accessory offers LE Secure Connections.",
    why: "Anybody who records a legacy pairing can compute its keys: at once with Just Works, otherwise by trying a "
      + "million passkeys.",
    source: .core("Vol 1 Part A 5.4.1"),
    bad: .init("security: { pairing: just-works, secure-connections: none }", at: (3, 34)),
    good: .init("security: { pairing: just-works }"), applies: { $0.canPair }
  ) { subject in
    guard subject.profile.security.pairing.secureConnections == .none else { return [] }
    return [
      LintIssue(
        subject.key("security", "secure-connections"), "it offers only LE legacy pairing", remedy: "use offered",
        fix: .replacing(subject.value("security", "secure-connections"), by: "offered"))
    ]
  }

  private static let shortKeys = LintRule(
    "short-keys", .warning, [.core],
    title: "The accessory accepts keys of 16 octets.",
    why: "An attacker can guess keys of seven octets. All of today's phones use 16.",
    source: .core("Vol 3 Part H 2.3.4"),
    bad: .init("security: { pairing: just-works, key-size: { maximum: 7 } }", at: (3, 46)),
    good: .init("security: { pairing: just-works, key-size: { minimum: 16 } }"), applies: { $0.canPair }
  ) { subject in
    let longest = subject.profile.security.pairing.keySizes.upperBound
    guard longest < 16 else { return [] }
    return [
      LintIssue(
        subject.key("security", "key-size", "maximum"), "it accepts keys of at most \(longest) octets",
        remedy: "use 16", fix: .replacing(subject.value("security", "key-size", "maximum"), by: "16"))
    ]
  }

  private static let debugKeys = LintRule(
    "debug-keys", .error, [.core],
    title: "The accessory does not use the debug key pair.",
    why: "The private key is printed in the specification, so everybody can decrypt the link.",
    source: .core("Vol 3 Part H 2.3.5.6.1"),
    bad: .init("security: { pairing: just-works, debug-keys: true }", at: (3, 34)),
    good: .init("security: { pairing: just-works }"), applies: { $0.canPair }
  ) { subject in
    guard subject.profile.security.pairing.usesDebugKeys else { return [] }
    return [
      LintIssue(
        subject.key("security", "debug-keys"), "it pairs with the debug keys", remedy: "use false",
        fix: .replacing(subject.value("security", "debug-keys"), by: "false"))
    ]
  }

  private static let fixedPasskey = LintRule(
    "fixed-passkey", .warning, [.core],
    title: "Each pairing has a new passkey.",
    why: "Passkey entry reveals the passkey bit by bit: to its peer, and to anybody who listens while it fails. So a "
      + "passkey on a label protects only the first pairing.",
    source: .core("Vol 3 Part H 2.3.5.6.3"),
    bad: .init("security: { pairing: display, passkey: 123456 }", at: (3, 31)),
    good: .init("security: { pairing: display }"), applies: { $0.canPair }
  ) { subject in
    guard subject.profile.security.pairing.fixedPasskey != nil else { return [] }
    return [
      LintIssue(
        subject.key("security", "passkey"), "the passkey is always the same",
        remedy: "display a random one, compare numbers, or use out-of-band data")
    ]
  }

  private static func protected(_ permissions: String) -> String {
    """
    security: { pairing: just-works }
    services:
      - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00
        characteristics:
          - uuid: A0000002-7C4D-4B0E-9E4B-1F6E2A1B9C00
            permissions: { \(permissions) }
            properties: [read, notify]
            value: hex:00
            description: A lamp
    """
  }
}
