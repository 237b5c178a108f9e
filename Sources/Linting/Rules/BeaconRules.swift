import AccessoryProfile
import BLEGAP

/// Rules for iBeacons.
extension LintRule {
  static let beaconRules = [
    beaconInterval, beaconConnectable,
  ]

  private static let beaconInterval = LintRule(
    "ibeacon-interval", .warning, [.apple],
    title: "An iBeacon advertises every 100 ms.",
    why:
      "The specification fixes the interval. With fewer packets, Core Location estimates distances less precisely, and "
      + "notices regions later.",
    source: .apple("Proximity Beacon Specification R1", 2015),
    bad: .init(
      "advertising: [ { id: main, interval: 1285 ms, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 } } ]",
      at: (3, 28)),
    good: .init("advertising: [ { id: main, ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 } } ]"),
    applies: { $0.sets.contains { isBeacon($0) } }
  ) { subject in
    subject.sets.filter { isBeacon($0) && $0.definition.schedule.contains { $0.interval != .milliseconds(100) } }.map {
      LintIssue(
        $0.key("interval"), "the iBeacon '\($0.definition.id)' does not advertise every 100 ms", remedy: "use 100 ms",
        fix: .replacing($0.node?.value(of: "interval"), by: "100 ms"))
    }
  }

  private static let beaconConnectable = LintRule(
    "ibeacon-connectable", .warning, [.apple],
    title: "A connectable set is not an iBeacon.",
    why: "Only Core Location gets the data of an iBeacon. Core Bluetooth hides it, so an app that scans finds neither "
      + "the data nor a service.",
    source: .other("Open Radar mirror, issue 12919", 2016),
    bad: .init(
      """
      advertising:
        - { id: old, data: { flags: [general], name: complete, services: [battery] } }
        - id: beacon
          connectable: true
          ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 }
      """, at: (7, 14)),
    good: .init(
      """
      advertising:
        - { id: old, data: { flags: [general], name: complete, services: [battery] } }
        - id: beacon
          ibeacon: { uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0 }
      """),
    applies: { $0.sets.contains { isBeacon($0) } }
  ) { subject in
    subject.sets.filter { isBeacon($0) && $0.definition.isConnectable }.map {
      LintIssue(
        $0.node?.value(of: "ibeacon") ?? $0.key("data"), "the iBeacon '\($0.definition.id)' is connectable",
        remedy: "advertise the services in another set, and leave this one without 'connectable'",
        fix: .replacing($0.node?.value(of: "connectable"), by: "false"))
    }
  }

  /// Returns whether a set is an iBeacon: Apple's company identifier, type 0x02 and 21 octets (Proximity Beacon Specification R1).
  static func isBeacon(_ set: LintSubject.AdvertisedSet) -> Bool {
    set.data.contains {
      if case .manufacturerData(0x004C, let data) = $0 { data.starts(with: [0x02, 0x15]) } else { false }
    }
  }
}
