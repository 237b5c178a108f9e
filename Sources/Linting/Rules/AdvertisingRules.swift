import AccessoryProfile
import BLECore
import BLEGAP

/// Rules for advertising sets: intervals, kinds and schedules.
extension LintRule {
  static let advertisingRules = [
    advertisingInterval, advertisingStart, extendedDataLength, extendedOnly, secondaryPHY, directedAdvertising,
    limitedDiscoverability,
  ]

  private static func nearestPreset(to interval: Duration) -> Duration {
    AdvertisingPhase.appleIntervals.min {
      abs(($0 - interval) / .milliseconds(1)) < abs(($1 - interval) / .milliseconds(1))
    }
      ?? .milliseconds(20)
  }

  private static let advertisingInterval = LintRule(
    "advertising-interval", .warning, [.apple],
    title: "The last interval of a connectable set is one that Apple recommends.",
    why: "A phone listens in short windows with a fixed period. Advertisements at other intervals can miss these "
      + "windows for a long time, above all while the app is in the background.",
    source: .apple("Technical Q&A QA1931", 2015),
    bad: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], name: complete, services: [battery] }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 100 ms } ]
      """, at: (6, 61)),
    good: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], name: complete, services: [battery] }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]
      """),
    applies: { $0.isConnectable }
  ) { subject in
    subject.sets.filter { $0.definition.isConnectable && !$0.definition.isHighDuty && !isBeacon($0) }.compactMap {
      set in
      guard let (phase, node) = set.phases.last, !AdvertisingPhase.appleIntervals.contains(phase.interval) else {
        return nil
      }
      let nearest = Durations.text(nearestPreset(to: phase.interval))
      return LintIssue(
        node ?? set.key("schedule"),
        "the set '\(set.definition.id)' stays at \(Durations.text(phase.interval)), which is not one of "
          + AdvertisingPhase.appleIntervals.map { Durations.text($0) }.joined(separator: ", "),
        remedy: "use \(nearest)", fix: .replacing(node, by: nearest))
    }
  }

  private static let advertisingStart = LintRule(
    "advertising-start", .warning, [.apple],
    title: "A connectable set begins with 20 ms for at least 30 s.",
    why: "Right after switching the accessory on, a person waits with the phone in hand, and the phone finds the "
      + "shortest interval soonest. After 30 s a longer one saves the battery.",
    source: .apple("Technical Q&A QA1931", 2015),
    bad: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], name: complete, services: [battery] }
          schedule: [ { interval: 20 ms, for: 10 s }, { interval: 152.5 ms } ]
      """, at: (6, 36)),
    good: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], name: complete, services: [battery] }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms } ]
      """),
    applies: { $0.isConnectable }
  ) { subject in
    subject.openSets.filter { $0.definition.startsAutomatically && !isBeacon($0) }.compactMap { set in
      guard let first = set.definition.schedule.first else { return nil }
      let length = first.duration.map { Durations.text($0) }
      if first.interval > .milliseconds(20) {
        return LintIssue(
          set.phases.first?.node ?? set.key("schedule"),
          "the set '\(set.definition.id)' begins with \(Durations.text(first.interval))",
          remedy: "begin with { interval: 20 ms, for: 30 s } in 'schedule'")
      }
      guard let duration = first.duration, duration < .seconds(30), let length else { return nil }
      let phase = set.node?.value(of: "schedule")?.elements?.first
      return LintIssue(
        phase?.key(["for"]) ?? set.key("schedule"),
        "the set '\(set.definition.id)' advertises every 20 ms for only \(length)", remedy: "use 30 s or more",
        fix: .replacing(phase?.value(of: "for"), by: "30 s"))
    }
  }

  private static let extendedDataLength = LintRule(
    "extended-data-length", .warning, [.apple],
    title: "Extended advertising data has at most 124 octets.",
    why: "Apple's devices accept extended advertisements of up to 124 octets, four times as many as legacy ones.",
    source: .talk(2019, 901),
    bad: .init(
      """
      advertising:
        - { id: old, data: { flags: [general], name: complete, services: [battery] } }
        - id: main
          kind: extended
          data: { flags: [general], services: [battery], manufacturer-data: { company: 0x0059, data: "\(String(repeating: "x", count: 120))" } }
      """, at: (7, 11)),
    good: .init(
      """
      advertising:
        - { id: old, data: { flags: [general], name: complete, services: [battery] } }
        - id: main
          kind: extended
          data: { flags: [general], services: [battery], manufacturer-data: { company: 0x0059, data: "\(String(repeating: "x", count: 113))" } }
      """),
    applies: { $0.sets.contains { $0.definition.kind == .extended } }
  ) { subject in
    subject.sets.filter { $0.definition.kind == .extended }.flatMap { set in
      [("data", set.definition.data.count), ("scan-response", set.definition.scanResponse.count)].filter { $0.1 > 124 }
        .map { name, count in
          LintIssue(
            set.node?.value(of: name) ?? set.key(name), "the data of '\(set.definition.id)' has \(count) octets",
            remedy: "shorten it by \(count - 124) octets, or let a characteristic hold the rest")
        }
    }
  }

  private static let extendedOnly = LintRule(
    "extended-only", .warning, [.apple, .android],
    title: "A connectable extended set has a legacy set beside it.",
    why: "Older iPhones do not see extended advertisements; an app can ask "
      + "CBCentralManager.supports(.extendedScanAndConnect). Android's scanner returns only legacy ones unless the "
      + "app calls ScanSettings.Builder.setLegacy(false).",
    source: .android("ScanSettings.Builder.setLegacy, API level 26", 2017),
    bad: .init(
      "advertising: [ { id: main, kind: extended, data: { flags: [general], name: complete, services: [battery] } } ]",
      at: (3, 28)),
    good: .init(
      """
      advertising:
        - { id: old, data: { flags: [general], name: complete, services: [battery] } }
        - { id: new, kind: extended, data: { flags: [general], name: complete, services: [battery] } }
      """),
    applies: { $0.sets.contains { $0.definition.kind == .extended && $0.isOpen } }
  ) { subject in
    guard !subject.openSets.contains(where: { $0.definition.kind == .legacy }) else { return [] }
    return subject.openSets.prefix(1).map {
      LintIssue(
        $0.key("kind"), "only extended advertisements are connectable",
        remedy: "add a legacy set with the same services; both have the same address")
    }
  }

  private static let secondaryPHY = LintRule(
    "extended-phy", .warning, [.apple],
    title: "The secondary PHY of an extended set is LE 2M.",
    why: "Apple asks accessories with extended advertisements for LE 2M. It halves the time on the air.",
    source: .talk(2019, 901),
    bad: .init(
      """
      advertising:
        - { id: old, data: { flags: [general], name: complete, services: [battery] } }
        - id: new
          kind: extended
          secondary-phy: 1M
          data: { flags: [general], name: complete, services: [battery] }
      """, at: (7, 5)),
    good: .init(
      """
      advertising:
        - { id: old, data: { flags: [general], name: complete, services: [battery] } }
        - id: new
          kind: extended
          secondary-phy: 2M
          data: { flags: [general], name: complete, services: [battery] }
      """),
    applies: { $0.sets.contains { $0.definition.kind == .extended } }
  ) { subject in
    subject.sets.filter { $0.definition.kind == .extended && $0.definition.secondaryPHY != .le2M }.map {
      LintIssue(
        $0.key("secondary-phy"), "the set '\($0.definition.id)' carries its data on another PHY",
        remedy: "use 2M, or add a set with it", fix: .replacing($0.node?.value(of: "secondary-phy"), by: "2M"))
    }
  }

  private static let directedAdvertising = LintRule(
    "directed-advertising", .warning, [.apple],
    title: "No set uses directed advertising.",
    why: "Apple's guidelines forbid ADV_DIRECT_IND. With undirected advertising a phone reconnects just as fast, "
      + "because it knows the address.",
    source: .guidelines("40.3"),
    bad: .init(
      """
      security: { pairing: just-works }
      advertising:
        - { id: old, data: { flags: [general], name: complete, services: [battery] } }
        - { id: back, kind: directed }
      """, at: (6, 17)),
    good: .init(
      """
      security: { pairing: just-works }
      advertising:
        - { id: old, data: { flags: [general], name: complete, services: [battery] } }
      """)
  ) { subject in
    subject.sets.filter { $0.definition.target != nil && $0.definition.kind == .legacy }.map {
      LintIssue(
        $0.key("kind"), "the set '\($0.definition.id)' is directed",
        remedy: "remove it; the other sets are connectable for the bonded central, too")
    }
  }

  private static let limitedDiscoverability = LintRule(
    "limited-discoverability", .warning, [.core],
    title: "A set is in the limited discoverable mode for at most 180 s.",
    why: "The mode tells centrals that somebody has just used the device. A device that stays in it longer than "
      + "TGAP(lim_adv_timeout) violates the Generic Access Profile.",
    source: .core("Vol 3 Part C 9.2.3, Appendix A"),
    bad: .init(
      """
      advertising:
        - id: main
          data: { flags: [limited], name: complete, services: [battery] }
      """, at: (5, 13)),
    good: .init(
      """
      advertising:
        - id: main
          data: { flags: [limited], name: complete, services: [battery] }
          schedule: [ { interval: 20 ms, for: 30 s }, { interval: 152.5 ms, for: 150 s } ]
      """)
  ) { subject in
    subject.sets.filter { set in
      let isLimited = set.data.contains {
        if case .flags(let flags) = $0 { flags.contains(.limitedDiscoverable) } else { false }
      }
      let times = set.definition.schedule.map(\.duration)
      let isShort = !times.contains(nil) && times.compactMap(\.self).reduce(.zero, +) <= .seconds(180)
      return isLimited && !isShort
    }.map {
      LintIssue(
        $0.key("data", "flags"), "the set '\($0.definition.id)' is limited discoverable for more than 180 s",
        remedy: "use general, or let the schedule end after 180 s",
        fix: .replacing($0.node?.value(of: "data")?.value(of: "flags")?.elements?.first, by: "general"))
    }
  }
}
