import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT

/// Rules for services and flags in advertising data.
extension LintRule {
  static let advertisingDataRules = [
    serviceInData, advertisedAbsentService, hostServiceAdvertised, deviceInformationAdvertised, flagsMissing,
    flagsOfBREDR, flagsInResponse, notDiscoverable,
  ]

  private static let serviceInData = LintRule(
    "service-in-advertising-data", .error, [.apple, .android],
    title: "The advertising data, not only the scan response, names a service of the accessory.",
    why: "Apps find the accessory by a service; in the background there is no other way. Phones do not always ask for "
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
    applies: { $0.isConnectable && $0.profile.services.contains { $0.isDiscoverable(over: .le) } }
  ) { subject in
    let own = subject.profile.services.filter { $0.isDiscoverable(over: .le) }.map(\.uuid)
    return subject.sets.filter { set in
      set.definition.isConnectable && set.definition.target == nil && !isBeacon(set)
        && !set.services.contains { own.contains($0) }
    }.map { set in
      let isInResponse = AdvertisingData(set.response).services.contains { own.contains($0) }
      let data = set.node?.value(of: "data")
      let first = own.first.map { $0.profileName } ?? ""
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
    why: "An app connects because of an advertised service, and then does not find it.",
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
      let names = missing.map { $0.profileName }.joined(separator: ", ")
      return LintIssue(
        set.node?.value(of: "data") ?? set.key("data"), "'\(set.definition.id)' advertises \(names)",
        remedy: "add the service, or use 'solicitation' if the accessory looks for it on the central")
    }
  }

  private static let hostServiceAdvertised = LintRule(
    "host-service-advertised", .warning, [.core],
    title: "Generic Access and Generic Attribute are not advertised.",
    why: "Every device has them, so they take up room and help nobody to find a device.",
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
    why: "Apple's guidelines ask for this: many devices have the service, so it does not tell what the accessory is.",
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
      "Flags are mandatory in connectable advertisements if any bit is set, and an LE accessory sets \"BR/EDR not "
      + "supported\". Without flags the accessory is not discoverable, and dual-mode centrals may try BR/EDR.",
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
    title: "The flags of an accessory with LE alone say that BR/EDR is not supported.",
    why: "Without the flag a dual-mode central may page the accessory over BR/EDR, in vain.",
    source: .core("Vol 3 Part C 9.2, 13.1.1"),
    bad: .init(
      "advertising: [ { id: main, data: { flags: [general, br-edr], services: [battery], name: complete } } ]",
      at: (3, 36)),
    good: .init("advertising: [ { id: main, data: { flags: [general], services: [battery], name: complete } } ]")
  ) { subject in
    guard subject.profile.classic == nil else { return [] }
    return subject.sets.filter { set in
      set.data.contains { if case .flags(let flags) = $0 { !flags.contains(.bredrNotSupported) } else { false } }
    }.map {
      LintIssue(
        $0.key("data", "flags"), "the flags of '\($0.definition.id)' do not say \"BR/EDR not supported\"",
        remedy: "remove br-edr, or set bit 2 if the flags are a number")
    }
  }

  private static let flagsInResponse = LintRule(
    "flags-in-scan-response", .error, [.core],
    title: "Flags are not in the scan response.",
    why: "The specification forbids it, because centrals use the flags to decide whether to ask for a scan response.",
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
    why: "The general discovery procedure reports only devices with a discoverable flag, so lists of new devices "
      + "leave the others out.",
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
}
