import AccessoryProfile
import BLECore
import BLEGAP

/// Rules for Windows.
extension LintRule {
  static let windowsRules = [windowsAppearance, swiftPairName]

  private static let windowsAppearance = LintRule(
    "windows-appearance", .note, [.windows],
    title: "An accessory that pairs has an appearance.",
    why:
      "From version 24H2 on, Windows 11 first lists only the kinds of devices that people commonly pair, judged by "
      + "their appearance. The others are behind \"Show all devices\".",
    source: .microsoft("Bluetooth accessory guidelines, Pairing, bonding and connecting", 2025),
    bad: .init("identity: { address: static }\nsecurity: { pairing: just-works }", at: (3, 1)),
    good: .init("identity: { address: static, appearance: light-source }\nsecurity: { pairing: just-works }"),
    applies: { $0.canPair && !$0.openSets.isEmpty }
  ) { subject in
    guard subject.profile.appearance == .unknown else { return [] }
    return [
      LintIssue(
        subject.key("identity", "appearance"), "the appearance is unknown", remedy: "set 'appearance' in 'identity'")
    ]
  }

  private static let swiftPairName = LintRule(
    "swift-pair-name", .warning, [.windows],
    title: "An advertisement for Swift Pair has the name or the appearance.",
    why:
      "Windows shows a notification with the accessory's name or picture. It takes both from the advertisement with "
      + "Microsoft's section, not from a scan response.",
    source: .microsoft("Building Swift Pair Peripherals", 2018),
    bad: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], services: [battery], manufacturer-data: { company: 0x0006, data: hex:030080 } }
          scan-response: { name: complete }
      """, at: (5, 52)),
    good: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], services: [battery], name: complete, manufacturer-data: { company: 0x0006, data: hex:030080 } }
      """),
    applies: { subject in subject.sets.contains { isForSwiftPair($0) } }
  ) { subject in
    subject.sets.filter { set in
      isForSwiftPair(set)
        && !set.data.contains { structure in
          switch structure {
          case .localName, .appearance: true
          default: false
          }
        }
    }.map {
      LintIssue(
        $0.key("data", "manufacturer-data"),
        "'\($0.definition.id)' has Microsoft's section, but neither name nor appearance",
        remedy: "move the name to 'data', or add appearance: true")
    }
  }

  /// Returns whether a set has Microsoft's section with the beacon ID of Swift Pair.
  private static func isForSwiftPair(_ set: LintSubject.AdvertisedSet) -> Bool {
    set.data.contains { if case .manufacturerData(0x0006, let data) = $0 { data.first == 0x03 } else { false } }
  }
}
