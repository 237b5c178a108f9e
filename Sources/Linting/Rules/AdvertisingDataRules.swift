import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT

/// Rules for what sets say: services, names, flags.
extension LintRule {
  static let advertisingDataRules = [
    serviceInData, advertisedAbsentService, hostServiceAdvertised, deviceInformationAdvertised, flagsMissing,
    flagsOfBREDR, flagsInResponse, notDiscoverable, nameMismatch, nameCharacters, nameMissing, transmitPowerMismatch,
    intervalsMismatch, internalCompany,
  ]

  private static let serviceInData = LintRule(
    "service-in-advertising-data", .error, [.apple, .android],
    title: "The advertising data, not only the scan response, names a service of the accessory.",
    why: "An app finds the accessory by a service, in the background by nothing else, and phones do not always ask for "
      + "the scan response.",
    source: .talk(2013, 703),
    bad: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], name: complete }
          scan-response: { services: [battery] }
      """, at: (5, 11)),
    good: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], services: [battery] }
          scan-response: { name: complete }
      """),
    applies: { $0.isConnectable && $0.profile.services.contains { $0.isPrimary } }
  ) { subject in
    let own = subject.profile.services.filter(\.isPrimary).map(\.uuid)
    return subject.sets.filter { set in
      set.definition.isConnectable && set.definition.target == nil && !isBeacon(set)
        && !set.services.contains { own.contains($0) }
    }.map { set in
      let isInResponse = AdvertisingData(set.response).services.contains { own.contains($0) }
      let data = set.node?.value(of: "data")
      let first = own.first.map { $0.assignedName?.name ?? $0.description } ?? ""
      let room = AdvertisingData.legacyLimit - set.definition.data.count
      let fits = set.definition.kind == .extended || room >= (own.first?.octetCount ?? 16) + 2
      return LintIssue(
        data ?? set.node ?? set.fallback,
        isInResponse
          ? "the services of '\(set.definition.id)' are only in the scan response"
          : "the advertising data of '\(set.definition.id)' names no service of the accessory",
        remedy: "add the main service to 'services' of 'data'",
        fix: fits && data?.value(of: "services") == nil ? .inserting("services: [\(first)]", into: data) : nil)
    }
  }

  private static let advertisedAbsentService = LintRule(
    "advertised-service-missing", .warning, [.core],
    title: "The accessory has the services that it advertises.",
    why: "A service in the advertising data says that the device has it. An app connects, and then does not find it.",
    source: .supplement("1.1"),
    bad: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], services: [battery, heart-rate], name: complete }
      """, at: (5, 11)),
    good: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], services: [battery], name: complete }
      """),
    applies: { $0.isConnectable }
  ) { subject in
    let own = subject.profile.services.map(\.uuid)
    return subject.sets.filter(\.definition.isConnectable).compactMap { set in
      let missing = set.services.filter { !own.contains($0) }
      guard !missing.isEmpty else { return nil }
      let names = missing.map { $0.assignedName?.name ?? $0.description }.joined(separator: ", ")
      return LintIssue(
        set.node?.value(of: "data") ?? set.key("data"), "'\(set.definition.id)' advertises \(names)",
        remedy: "add the service, or use 'solicitation' if it is sought in the central")
    }
  }

  private static let hostServiceAdvertised = LintRule(
    "host-service-advertised", .warning, [.core],
    title: "Generic Access and Generic Attribute are not advertised.",
    why: "Every device has them, so they help nobody to find one, and take room.",
    source: .supplement("1.1"),
    bad: .init("advertising: [ { id: main, connectable: false, data: { services: [generic-access] } } ]", at: (3, 56)),
    good: .init("advertising: [ { id: main, connectable: false, data: { services: [battery] } } ]")
  ) { subject in
    subject.sets.filter { set in
      (set.services + AdvertisingData(set.response).services).contains {
        $0 == BluetoothUUID(0x1800) || $0 == BluetoothUUID(0x1801)
      }
    }.map {
      LintIssue(
        $0.key("data", "services"), "'\($0.definition.id)' advertises a service that every device has",
        remedy: "advertise the service that apps look for")
    }
  }

  private static let deviceInformationAdvertised = LintRule(
    "device-information-advertised", .note, [.apple],
    title: "Device Information is not advertised beside another service.",
    why: "Apple's guidelines ask for that: many devices have the service, so it does not tell what the accessory is.",
    source: .guidelinesOf2013("3.11.3"),
    bad: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], services: [battery, device-information], name: complete }
      """, at: (5, 31)),
    good: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], services: [battery], name: complete }
      """)
  ) { subject in
    subject.sets.filter { set in
      set.node != nil && set.services.count > 1 && set.services.contains(BluetoothUUID(0x180A))
    }.map {
      LintIssue(
        $0.key("data", "services"), "'\($0.definition.id)' advertises Device Information",
        remedy: "leave device-information out of 'services'")
    }
  }

  private static let flagsMissing = LintRule(
    "flags-missing", .error, [.core, .apple],
    title: "The data of a connectable set has flags.",
    why:
      "Flags are mandatory in connectable advertisements if any bit is set, and \"BR/EDR not supported\" is. Without "
      + "them the accessory is not discoverable, and dual-mode centrals may try BR/EDR.",
    source: .supplement("1.3"),
    bad: .init("advertising: [ { id: main, data: { services: [battery], name: complete } } ]", at: (3, 28)),
    good: .init("advertising: [ { id: main, data: { flags: [general], services: [battery], name: complete } } ]"),
    applies: { $0.isConnectable }
  ) { subject in
    subject.openSets.filter { set in !set.data.contains { $0.type == .flags } }.map { set in
      let fits = set.definition.kind == .extended || set.definition.data.count + 3 <= AdvertisingData.legacyLimit
      return LintIssue(
        set.key("data"), "the data of '\(set.definition.id)' has no flags", remedy: "add flags: [general]",
        fix: fits ? .inserting("flags: [general]", into: set.node?.value(of: "data")) : nil)
    }
  }

  private static let flagsOfBREDR = LintRule(
    "flags-br-edr", .warning, [.core],
    title: "The flags say that BR/EDR is not supported.",
    why: "Understudy's accessories, like most, have LE only. Without the flag a dual-mode central may page the "
      + "accessory over BR/EDR, in vain.",
    source: .core("Vol 3 Part C 9.2, 13.1.1"),
    bad: .init(
      "advertising: [ { id: main, data: { flags: [general, br-edr], services: [battery], name: complete } } ]",
      at: (3, 36)),
    good: .init("advertising: [ { id: main, data: { flags: [general], services: [battery], name: complete } } ]")
  ) { subject in
    subject.sets.filter { set in
      set.data.contains { if case .flags(let flags) = $0 { !flags.contains(.bredrNotSupported) } else { false } }
    }.map {
      LintIssue(
        $0.key("data", "flags"), "the flags of '\($0.definition.id)' do not say \"BR/EDR not supported\"",
        remedy: "remove br-edr; in a number, set bit 2")
    }
  }

  private static let flagsInResponse = LintRule(
    "flags-in-scan-response", .error, [.core],
    title: "Flags are not in the scan response.",
    why: "The specification forbids it. They are for centrals that decide whether to ask for a scan response.",
    source: .supplement("1.3"),
    bad: .init(
      """
      advertising:
        - id: main
          data: { flags: [general], services: [battery], name: complete }
          scan-response: { flags: [general] }
      """, at: (6, 22)),
    good: .init("advertising: [ { id: main, data: { flags: [general], services: [battery], name: complete } } ]")
  ) { subject in
    subject.sets.filter { set in set.response.contains { $0.type == .flags } }.map {
      LintIssue(
        $0.key("scan-response", "flags"), "the scan response of '\($0.definition.id)' has flags",
        remedy: "move them to 'data'")
    }
  }

  private static let notDiscoverable = LintRule(
    "not-discoverable", .warning, [.core],
    title: "An accessory that any central may connect to is discoverable.",
    why: "The general discovery procedure reports only devices with one of the discoverable flags, so lists of new "
      + "devices leave the others out.",
    source: .core("Vol 3 Part C 9.2.6"),
    bad: .init("advertising: [ { id: main, data: { flags: [], services: [battery], name: complete } } ]", at: (3, 36)),
    good: .init("advertising: [ { id: main, data: { flags: [general], services: [battery], name: complete } } ]"),
    applies: { !$0.openSets.isEmpty }
  ) { subject in
    let hasFlags = subject.openSets.filter { set in set.data.contains { $0.type == .flags } }
    let isSeen = hasFlags.contains { set in
      set.data.contains {
        if case .flags(let flags) = $0 {
          !flags.isDisjoint(with: [.generalDiscoverable, .limitedDiscoverable])
        } else {
          false
        }
      }
    }
    guard !isSeen, let first = hasFlags.first else { return [] }
    return [
      LintIssue(
        first.key("data", "flags"), "no set has a discoverable flag",
        remedy: "use flags: [general], or accept: bonded if only bonded centrals may connect")
    ]
  }

  private static let nameMismatch = LintRule(
    "name-mismatch", .warning, [.core, .apple],
    title: "The advertised name is the device name, or its beginning.",
    why:
      "A phone shows the advertised name first and the Device Name characteristic after connecting, so the name in an "
      + "app changes.",
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
            "'\(set.definition.id)' advertises '\(name)', and the device name is '\(subject.profile.name)'",
            remedy: "use name: complete, or shorten it to the beginning")
        }
      }
    }
  }

  private static let nameCharacters = LintRule(
    "name-characters", .warning, [.apple],
    title: "The name contains neither ':' nor ';'.",
    why: "Apple's guidelines rule these characters out, so that its devices can show the name anywhere.",
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
    why: "Lists of devices show accessories without a name as unknown, or not at all, and people cannot choose.",
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
        "'\(set.definition.id)' says \(advertised) dBm, and requests \(requested) dBm", remedy: "use tx-power: true",
        fix: .replacing(set.node?.value(of: key)?.value(of: "tx-power"), by: "true"))
    }
  }

  private static let intervalsMismatch = LintRule(
    "connection-intervals-mismatch", .warning, [.core],
    title: "The advertised connection intervals are those that the accessory requests.",
    why: "A central may take the advertised range for the connection, and the accessory then asks for another one.",
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
    title: "Manufacturer data has the identifier of a company.",
    why: "0xFFFF is for tests before a company has its own identifier. Products must not use it.",
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
          set.key(key, "manufacturer-data"), "'\(set.definition.id)' uses the company 0xFFFF",
          remedy: "use the identifier of your company")
      }
    }
  }
}
