import AccessoryProfile
import BLECore
import BLEGAP

/// Rules for the name and the numbers in advertising data.
extension LintRule {
  static let nameRules = [
    nameMismatch, nameCharacters, nameMissing, nameLength, transmitPowerMismatch, intervalsMismatch, internalCompany,
  ]

  private static let nameMismatch = LintRule(
    "name-mismatch", .warning, [.core, .apple],
    title: "The advertised name is the device name, or its beginning.",
    why:
      "A phone shows the advertised name first and the value of Device Name after connecting, so the name in an app "
      + "changes.",
    source: .supplement("1.2"),
    bad: .init(
      "advertising: [ { id: main, data: { flags: [general], services: [battery], name: { complete: Bulb } } } ]",
      at: (3, 75)),
    good: .init(
      "advertising: [ { id: main, data: { flags: [general], services: [battery], name: { shortened: Lam } } } ]")
  ) { subject in
    subject.sets.flatMap { set in
      [("data", set.data), ("scan-response", set.response)].flatMap { key, structures in
        structures.compactMap { structure -> LintIssue? in
          guard case .localName(let name, let isComplete) = structure else { return nil }
          let isRight = isComplete ? name == subject.profile.name : subject.profile.name.hasPrefix(name)
          guard !isRight else { return nil }
          return LintIssue(
            set.key(key, "name"),
            "'\(set.definition.id)' advertises '\(name)', but the device name is '\(subject.profile.name)'",
            remedy: "use name: complete, or shorten it to the beginning")
        }
      }
    }
  }

  private static let nameCharacters = LintRule(
    "name-characters", .warning, [.apple],
    title: "The name contains neither ':' nor ';'.",
    why: "Apple's guidelines forbid these characters, so that Apple's devices can show the name anywhere.",
    source: .guidelines("39.5, 40.4"),
    bad: .init("name: \"Lamp: kitchen\"", at: (2, 1)), good: .init("name: Lamp (kitchen)")
  ) { subject in
    guard subject.profile.name.contains(where: { $0 == ":" || $0 == ";" }) else { return [] }
    return [
      LintIssue(
        subject.key("name"), "the name '\(subject.profile.name)' contains ':' or ';'", remedy: "use other characters")
    ]
  }

  private static let nameMissing = LintRule(
    "name-missing", .note, [.apple, .android, .windows],
    title: "The advertising data or the scan response has the name.",
    why: "Lists of devices show an accessory without a name as unknown, or not at all, so people cannot choose it.",
    source: .guidelines("40.4"),
    bad: .init("advertising: [ { id: main, data: { flags: [general], services: [battery] } } ]", at: (3, 1)),
    good: .init("advertising: [ { id: main, data: { flags: [general], services: [battery], name: complete } } ]"),
    applies: { !$0.openSets.isEmpty }
  ) { subject in
    let isNamed = subject.sets.contains { set in
      (set.data + set.response).contains { if case .localName = $0 { true } else { false } }
    }
    return isNamed
      ? []
      : [
        LintIssue(
          subject.key("advertising"), "no set has the name '\(subject.profile.name)'",
          remedy: "add name: complete to 'data' or 'scan-response'")
      ]
  }

  /// The maximum length of a name in a legacy advertisement, where its length and type take two octets.
  private static let longestAdvertisedName = AdvertisingData.legacyLimit - 2

  private static let nameLength = LintRule(
    "name-length", .note, [.core],
    title: "The name fits a legacy advertisement.",
    why:
      "An advertisement or a scan response has room for a name of 29 octets. Lists show only the beginning of a "
      + "longer name, which two accessories may share.",
    source: .core("Vol 6 Part B 2.3.1"),
    bad: .init("name: Lamp on the table in the living room", at: (2, 1)), good: .init("name: Lamp in the living room"),
    applies: { $0.sets.contains { $0.definition.kind == .legacy && $0.isOpen } }
  ) { subject in
    let length = subject.profile.name.utf8.count
    guard length > longestAdvertisedName else { return [] }
    return [
      LintIssue(
        subject.key("name"), "the name has \(length) octets, but only \(longestAdvertisedName) fit",
        remedy: "use a shorter name, or begin it with the part that tells accessories apart")
    ]
  }

  private static let transmitPowerMismatch = LintRule(
    "tx-power-mismatch", .warning, [.core],
    title: "The advertised transmit power is that of the set.",
    why: "Centrals subtract it from the received power to estimate the distance.",
    source: .supplement("1.5"),
    bad: .init(
      """
      advertising:
        - id: main
          tx-power: -8
          data: { flags: [general], services: [battery], name: complete, tx-power: 0 }
      """, at: (6, 68)),
    good: .init(
      """
      advertising:
        - id: main
          tx-power: -8
          data: { flags: [general], services: [battery], name: complete, tx-power: true }
      """)
  ) { subject in
    subject.sets.compactMap { set in
      guard let requested = set.definition.transmitPower,
        let advertised = (set.data + set.response).lazy.compactMap({ (structure) -> Int8? in
          if case .transmitPower(let power) = structure { power } else { nil }
        }).first, advertised != requested
      else { return nil }
      let key = set.data.contains { $0.type == .transmitPowerLevel } ? "data" : "scan-response"
      return LintIssue(
        set.key(key, "tx-power"),
        "'\(set.definition.id)' advertises \(advertised) dBm, but requests \(requested) dBm",
        remedy: "use tx-power: true",
        fix: .replacing(set.node?.value(of: key)?.value(of: "tx-power"), by: "true"))
    }
  }

  private static let intervalsMismatch = LintRule(
    "connection-intervals-mismatch", .warning, [.core],
    title: "The advertised connection intervals are those that the accessory requests.",
    why: "A central may connect with the advertised range, and then the accessory requests another one.",
    source: .supplement("1.9"),
    bad: .init(
      """
      connection: { request: { interval: [30 ms, 60 ms], timeout: 6 s } }
      advertising:
        - id: main
          data: { flags: [general], services: [battery], name: complete, connection-intervals: [15 ms, 30 ms] }
      """, at: (6, 68)),
    good: .init(
      """
      connection: { request: { interval: [30 ms, 60 ms], timeout: 6 s } }
      advertising:
        - id: main
          data: { flags: [general], services: [battery], name: complete, connection-intervals: [30 ms, 60 ms] }
      """),
    applies: { $0.profile.connection.parameterRequest != nil }
  ) { subject in
    guard let request = subject.profile.connection.parameterRequest else { return [] }
    func units(_ time: Duration) -> Int { Int(time / .microseconds(1250)) }
    let wanted = (units(request.intervals.lowerBound), units(request.intervals.upperBound))
    return subject.sets.compactMap { set in
      for (key, structures) in [("data", set.data), ("scan-response", set.response)] {
        for case .connectionIntervals(let minimum, let maximum) in structures
        where (Int(minimum), Int(maximum)) != wanted {
          return LintIssue(
            set.key(key, "connection-intervals"),
            "'\(set.definition.id)' advertises other intervals than 'connection' requests",
            remedy: "use the same range in both")
        }
      }
      return nil
    }
  }

  private static let internalCompany = LintRule(
    "internal-company", .note, [.core],
    title: "Manufacturer data has an assigned company identifier.",
    why: "0xFFFF is for tests before a company has an identifier. Products must not use it.",
    source: .sig("Assigned Numbers 7.1", 2024),
    bad: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], services: [battery], name: complete, manufacturer-data: { company: 0xFFFF, data: hex:01 } }
      """, at: (5, 68)),
    good: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], services: [battery], name: complete, manufacturer-data: { company: 0x0059, data: hex:01 } }
      """)
  ) { subject in
    subject.sets.flatMap { set in
      [("data", set.data), ("scan-response", set.response)].filter { _, structures in
        structures.contains { if case .manufacturerData(0xFFFF, _) = $0 { true } else { false } }
      }.map { key, _ in
        LintIssue(
          set.key(key, "manufacturer-data"), "'\(set.definition.id)' uses the company identifier 0xFFFF",
          remedy: "use the identifier of your company")
      }
    }
  }
}
