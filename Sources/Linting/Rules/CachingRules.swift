import AccessoryProfile
import BLEGAP
import BLEGATT

/// Rules for Service Changed and caches. The table shows every combination:
///
/// | bonds | Service Changed | what clients do | severity |
/// |---|---|---|---|
/// | yes | present | they cache, and learn of changes by an indication | – |
/// | yes | absent | they cache for ever, and never learn of a change | error |
/// | no | present | Apple's devices cache nothing, and discover everything at each connection | warning |
/// | no | absent | Apple's devices cache everything; a changed database needs a new address | error if services change |
extension LintRule {
  static let cachingRules = [
    serviceChangedAbsent, serviceChangedWithoutBond, unannouncedChanges,
  ]

  private static func hasServiceChanged(_ subject: LintSubject) -> Bool {
    subject.profile.gatt.service.characteristics.contains { $0.uuid == .serviceChanged }
  }

  private static let serviceChangedAbsent = LintRule(
    "service-changed-absent", .error, [.core, .apple, .android, .windows],
    title: "An accessory that bonds has Service Changed.",
    why: "Bonded clients cache the services until the accessory indicates a change. Without the characteristic they "
      + "use the old handles after a firmware update. Android keeps the services of bonded devices, and Windows keeps "
      + "them until the device is unpaired.",
    source: .core("Vol 3 Part G 2.5.2, 7.1"),
    bad: .init("security: { pairing: just-works }\ngatt: { service-changed: absent }", at: (4, 26)),
    good: .init("security: { pairing: just-works }\ngatt: { service-changed: auto }"),
    applies: { $0.canBond }
  ) { subject in
    guard !hasServiceChanged(subject) else { return [] }
    return [
      LintIssue(
        subject.value("gatt", "service-changed") ?? subject.key("gatt"), "bonded clients never learn of a change",
        remedy: "use auto",
        fix: .replacing(subject.value("gatt", "service-changed"), by: "auto"))
    ]
  }

  private static let serviceChangedWithoutBond = LintRule(
    "service-changed-without-bond", .warning, [.apple],
    title: "An accessory that never bonds has no Service Changed.",
    why: "Without Service Changed, Apple's devices cache the whole database and connect faster. With it they cache "
      + "nothing, because the accessory cannot remember changes for a client without a bond. The price of leaving it "
      + "out: a changed database needs a new address.",
    source: .talk(2017, 712),
    bad: .init("gatt: { service-changed: present }", at: (3, 9)), good: .init("gatt: { service-changed: auto }"),
    applies: { !$0.canBond && $0.isConnectable }
  ) { subject in
    guard hasServiceChanged(subject), !subject.changesServices else { return [] }
    let cost = subject.discoveryCost().map {
      ": \($0.roundTrips) round trips, at least \($0.milliseconds) ms at an interval of 30 ms"
    }
    return [
      LintIssue(
        subject.key("gatt", "service-changed"), "phones discover everything at each connection\(cost ?? "")",
        remedy: "use auto, or bond", fix: .replacing(subject.value("gatt", "service-changed"), by: "auto"))
    ]
  }

  private static let unannouncedChanges = LintRule(
    "unannounced-changes", .error, [.core, .apple, .android],
    title: "An accessory whose services change has Service Changed.",
    why: "Without Service Changed a client may cache the services for ever, and then uses the old ones.",
    source: .core("Vol 3 Part G 2.5.2"),
    bad: .init("rules: [ { when: { button: lamp }, do: { remove-service: battery } } ]", at: (3, 1)),
    good: .init(
      "gatt: { service-changed: present }\nrules: [ { when: { button: lamp }, do: { remove-service: battery } } ]"),
    applies: { $0.changesServices }
  ) { subject in
    guard !hasServiceChanged(subject) else { return [] }
    return [
      LintIssue(
        subject.key("rules"), "rules add or remove services, and nothing tells clients",
        remedy: "use gatt: { service-changed: present }, or bond")
    ]
  }
}
