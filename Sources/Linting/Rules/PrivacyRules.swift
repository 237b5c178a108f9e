import AccessoryProfile
import BLECore
import BLEGAP
import BLESMP

/// Rules for private addresses and identity keys.
extension LintRule {
  static let privacyRules = [
    privateWithoutBond, privateWithoutIdentity, longRotation, unresolvedCentrals, trackableAddress, shortRotation,
  ]

  private static let privateWithoutBond = LintRule(
    "private-without-bond", .error, [.core],
    title: "An accessory with private addresses bonds.",
    why: "Only a bonded central has the key that resolves the addresses. To all others the accessory looks like a new "
      + "device every few minutes, and they cannot connect to it again.",
    source: .core("Vol 3 Part C 10.7"),
    bad: .init("identity: { address: private, appearance: tag }", at: (3, 13)),
    good: .init("identity: { address: private, appearance: tag }\nsecurity: { pairing: just-works }"),
    applies: { $0.profile.privacy.isPrivate && $0.isConnectable }
  ) { subject in
    subject.canBond
      ? []
      : [
        LintIssue(
          subject.key("identity", "address"), "nobody can resolve its addresses",
          remedy: "set security.pairing, or use address: static")
      ]
  }

  private static let privateWithoutIdentity = LintRule(
    "private-without-identity", .error, [.core],
    title: "An accessory with private addresses distributes its identity.",
    why: "The central resolves the addresses with the Identity Resolving Key, which it gets when it pairs.",
    source: .core("Vol 3 Part H 2.4.3"),
    bad: .init(
      """
      identity: { address: private, appearance: tag }
      security: { pairing: just-works, keys: { distributed: [encryption] } }
      """, at: (4, 42)),
    good: .init(
      """
      identity: { address: private, appearance: tag }
      security: { pairing: just-works, keys: { distributed: [encryption, identity] } }
      """),
    applies: { $0.profile.privacy.isPrivate && $0.canBond }
  ) { subject in
    guard let keys = subject.profile.security.pairing.distributes, !keys.contains(.identity) else { return [] }
    return [
      LintIssue(
        subject.key("security", "keys", "distributed"), "it keeps its Identity Resolving Key for itself",
        remedy: "add identity, or leave 'distributed' out")
    ]
  }

  private static let longRotation = LintRule(
    "long-rotation", .warning, [.core],
    title: "The accessory uses a private address for at most 15 min.",
    why: "Anybody who hears the same address for hours can follow the person with the accessory. "
      + "TGAP(private_addr_int) is 15 min.",
    source: .core("Vol 3 Part C 10.7, Appendix A"),
    bad: .init(
      """
      identity: { address: private, rotation: 2 h, appearance: tag }
      security: { pairing: just-works }
      """, at: (3, 31)),
    good: .init(
      """
      identity: { address: private, rotation: 15 min, appearance: tag }
      security: { pairing: just-works }
      """),
    applies: { $0.profile.privacy.isPrivate }
  ) { subject in
    guard subject.profile.privacy.rotation > .seconds(900) else { return [] }
    return [
      LintIssue(
        subject.key("identity", "rotation"),
        "the address changes only every \(Durations.text(subject.profile.privacy.rotation))", remedy: "use 15 min",
        fix: .replacing(subject.value("identity", "rotation"), by: "15 min"))
    ]
  }

  private static let unresolvedCentrals = LintRule(
    "unresolved-centrals", .warning, [.apple],
    title: "The accessory asks bonded centrals for their identity.",
    why: "Phones connect with private addresses. Without the phone's Identity Resolving Key, an accessory recognizes "
      + "neither the phone nor its bond after 15 min.",
    source: .guidelines("40.8"),
    bad: .init("security: { pairing: just-works, keys: { wanted: [encryption] } }", at: (3, 42)),
    good: .init("security: { pairing: just-works, keys: { wanted: [encryption, identity] } }"),
    applies: { $0.canBond }
  ) { subject in
    guard !subject.profile.security.pairing.wants.contains(.identity) else { return [] }
    return [
      LintIssue(
        subject.key("security", "keys", "wanted"), "it does not ask for the Identity Resolving Key",
        remedy: "add identity, or leave 'wanted' out")
    ]
  }

  /// The categories of appearances that people carry with them (Assigned Numbers 2.6.2): watch, glasses, tag, key ring, wearable
  /// audio device, hearing aid.
  private static let carriedCategories: Set<UInt16> = [0x03, 0x07, 0x08, 0x09, 0x25, 0x29]

  private static let trackableAddress = LintRule(
    "trackable-address", .note, [.core],
    title: "An accessory that people carry and that bonds uses private addresses.",
    why:
      "An address that never changes lets any listener follow the person. Bonded centrals resolve private addresses.",
    source: .core("Vol 3 Part C 10.7"),
    bad: .init("identity: { address: static, appearance: watch }\nsecurity: { pairing: just-works }", at: (3, 13)),
    good: .init("identity: { address: private, appearance: watch }\nsecurity: { pairing: just-works }"),
    applies: { $0.canBond && carriedCategories.contains($0.profile.appearance.rawValue >> 6) }
  ) { subject in
    guard !subject.profile.privacy.isPrivate else { return [] }
    return [
      LintIssue(
        subject.key("identity", "address"), "the address is always the same",
        remedy: "use address: private if all its centrals can bond")
    ]
  }

  private static let shortRotation = LintRule(
    "short-rotation", .note, [.core, .apple],
    title: "The accessory uses a private address for at least 5 min.",
    why: "A central that has not bonded takes each new address for another device, and discovers everything again.",
    source: .core("Vol 3 Part C 10.7"),
    bad: .init(
      """
      identity: { address: private, rotation: 1 min, appearance: tag }
      security: { pairing: just-works }
      """, at: (3, 31)),
    good: .init(
      """
      identity: { address: private, rotation: 15 min, appearance: tag }
      security: { pairing: just-works }
      """),
    applies: { $0.profile.privacy.isPrivate && $0.isConnectable }
  ) { subject in
    guard subject.profile.privacy.rotation < .seconds(300) else { return [] }
    return [
      LintIssue(
        subject.key("identity", "rotation"),
        "the address changes every \(Durations.text(subject.profile.privacy.rotation))", remedy: "use 15 min",
        fix: .replacing(subject.value("identity", "rotation"), by: "15 min"))
    ]
  }
}
