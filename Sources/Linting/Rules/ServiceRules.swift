import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT

/// Rules for services: the SIG's requirements for its own, and the services that platforms hide from apps.
extension LintRule {
  static let serviceRules = [
    mandatoryCharacteristics, encryptedServices, hiddenServices, deviceInformation, batteryRange, batteryInstances,
    unassignedUUID, soughtNotifications,
  ]

  private static let mandatoryCharacteristics = LintRule(
    "mandatory-characteristics", .error, [.core],
    title: "A service of the SIG has its mandatory characteristics with their properties.",
    why: "Clients rely on them: an app that finds the service subscribes or reads without a fallback.",
    source: .sig("specifications of the services, each section 3", 2024),
    bad: .init(
      """
      services:
        - include: battery
          set: { level.properties: [notify] }
      """, at: (4, 14)),
    good: .init("services:\n  - include: battery")
  ) { subject in
    subject.services.flatMap { service -> [LintIssue] in
      guard let short = service.definition.uuid.short,
        let row = ServiceRequirements.table.first(where: { $0.service == short })
      else { return [] }
      return row.characteristics.compactMap { requirement -> LintIssue? in
        let name = BluetoothUUID(requirement.uuid).profileName
        let present = service.characteristics.filter { $0.uuid == BluetoothUUID(requirement.uuid) }
        guard let first = present.first else {
          return LintIssue(
            service.node.pairs?.first?.key ?? service.node, "'\(service.definition.id)' lacks \(name)",
            remedy: "add it with \(requirement.properties.presentNames.joined(separator: ", "))")
        }
        let missing = requirement.properties.subtracting(first.definition.properties)
        guard !missing.isEmpty else { return nil }
        return LintIssue(
          first.key("properties"),
          "'\(first.definition.id)' lacks the property \(missing.presentNames.joined(separator: ", "))",
          remedy: "add it")
      }
    }
  }

  private static let encryptedServices = LintRule(
    "encrypted-services", .error, [.core],
    title: "User Data and Object Transfer need encryption.",
    why: "Their specifications require at least LE security mode 1 level 2 for all characteristics.",
    source: .sig("User Data Service 1.1 and Object Transfer Service 1.0, security requirements", 2015),
    bad: .init(Self.userData(""), at: (6, 5)),
    good: .init(Self.userData(", permissions: { read: encrypted }")),
    applies: { !($0.services(0x181C) + $0.services(0x1825)).isEmpty }
  ) { subject in
    (subject.services(0x181C) + subject.services(0x1825)).compactMap { service in
      let open = service.characteristics.filter { characteristic in
        let definition = characteristic.definition
        let needs = [definition.permissions.read, definition.permissions.write].compactMap(\.self)
        return needs.contains { $0.protection == .none }
      }
      guard let first = open.first else { return nil }
      return LintIssue(
        service.node.key(["uuid"]) ?? service.node,
        "'\(first.definition.id)' of '\(service.definition.id)' can be used without encryption"
          + (open.count > 1 ? ", and \(open.count - 1) more" : ""),
        remedy: "add permissions with encrypted to each")
    }
  }

  /// The services that iOS hides from apps.
  private static let hidden: [(uuid: BluetoothUUID, name: String)] = [
    (BluetoothUUID(0x1812), "Human Interface Device"),
    (BluetoothUUID(high: 0x7905_F431_B5CE_4E99, low: 0xA40F_4B1E_122D_00D0), "Apple Notification Center"),
    (BluetoothUUID(high: 0x89D3_502B_0F36_433A, low: 0x8EF4_C502_AD55_F8DC), "Apple Media"),
  ]

  private static let hiddenServices = LintRule(
    "hidden-services", .note, [.apple],
    title: "Apps can see the services that they are meant to use.",
    why:
      "iOS uses the Human Interface Device, Notification Center and Media services itself, and hides them from apps, "
      + "just as it hides Generic Access and Generic Attribute.",
    source: .guidelines("40.13"),
    bad: .init(Self.ownServices("89D3502B-0F36-433A-8EF4-C502AD55F8DC", "2A19"), at: (4, 5)),
    good: .init(Self.ownServices("battery", "2A19"))
  ) { subject in
    subject.services.compactMap { service in
      guard let row = hidden.first(where: { $0.uuid == service.definition.uuid }) else { return nil }
      return LintIssue(
        service.node.pairs?.first?.key ?? service.node, "apps on iOS never see \(row.name)",
        remedy: "put what an app needs into a service of your own")
    }
  }

  private static let deviceInformation = LintRule(
    "device-information", .note, [.apple],
    title: "The accessory has Device Information with manufacturer, model and firmware revision.",
    why: "Apple's guidelines ask for the service. It lets apps tell products and firmware apart.",
    source: .guidelinesOf2013("3.11.3"),
    bad: .init("services: [ { include: battery } ]", at: (3, 1)),
    good: .init("services: [ { include: battery }, { include: device-information } ]"),
    applies: { $0.isConnectable && !$0.services.isEmpty }
  ) { subject in
    let present = Set(subject.services(0x180A).flatMap(\.characteristics).map(\.uuid))
    let wanted: [(UInt16, String)] = [
      (0x2A29, "manufacturer-name"), (0x2A24, "model-number"), (0x2A26, "firmware-revision"),
    ]
    let missing = wanted.filter { !present.contains(BluetoothUUID($0.0)) }.map(\.1)
    guard !missing.isEmpty else { return [] }
    guard let service = subject.services(0x180A).first else {
      return [
        LintIssue(
          subject.key("services"), "there is no Device Information", remedy: "add { include: device-information }")
      ]
    }
    return [
      LintIssue(
        service.node.pairs?.first?.key ?? service.node,
        "Device Information lacks \(missing.joined(separator: ", "))", remedy: "give them values")
    ]
  }

  private static let batteryRange = LintRule(
    "battery-level-range", .error, [.core],
    title: "A battery level is between 0 and 100.",
    why: "It is a percentage. All other values are reserved, and apps show them as they are.",
    source: .sig("Battery Service 1.0 section 3.1", 2011),
    bad: .init("services: [ { include: battery, level: 150 }, { include: device-information } ]", at: (3, 40)),
    good: .init("services: [ { include: battery, level: 100 }, { include: device-information } ]"),
    applies: { !$0.services(0x180F).isEmpty }
  ) { subject in
    subject.services(0x180F).flatMap(\.characteristics).compactMap { characteristic in
      guard characteristic.uuid == BluetoothUUID(0x2A19), case .stored(let octets) = characteristic.definition.value,
        let level = octets.first, level > 100
      else { return nil }
      return LintIssue(
        characteristic.node.value(of: "value") ?? characteristic.node, "the level is \(level) %",
        remedy: "use 100 or less")
    }
  }

  private static let batteryInstances = LintRule(
    "battery-instances", .error, [.core],
    title: "With several batteries, each level says which one it is.",
    why: "The namespace and description in the Presentation Format tell them apart. Without it an app may show only "
      + "one.",
    source: .sig("Battery Service 1.0 section 3.1.2", 2011),
    bad: .init("services:\n  - include: battery\n  - { include: battery, id: left }", at: (4, 14)),
    good: .init(
      """
      services:
        - include: battery
          set: { level.presentation-format: { format: u8, unit: percentage, description: 1 } }
        - include: battery
          id: left
          set: { level.presentation-format: { format: u8, unit: percentage, description: 2 } }
      """),
    applies: { $0.services(0x180F).count > 1 }
  ) { subject in
    guard subject.services(0x180F).count > 1 else { return [] }
    let levels = subject.services(0x180F).flatMap(\.characteristics).filter { characteristic in
      characteristic.uuid == BluetoothUUID(0x2A19)
        && !characteristic.definition.descriptors.contains { $0.uuid == .presentationFormat }
    }
    guard let first = levels.first else { return [] }
    return [
      LintIssue(
        first.node.pairs?.first?.key ?? first.node, "\(levels.count) battery levels have no presentation format",
        remedy: "add presentation-format with a description to each")
    ]
  }

  private static let unassignedUUID = LintRule(
    "unassigned-uuid", .warning, [.core],
    title: "A 16-bit UUID is an assigned one.",
    why: "The SIG assigns them. Two products that pick FFF0 for different services confuse each other's apps.",
    source: .core("Vol 3 Part B 2.5.1"),
    bad: .init(Self.ownServices("FFF0", "2A19"), at: (4, 5)),
    good: .init(Self.ownServices("A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00", "2A19"))
  ) { subject in
    let own = subject.services.filter { service in
      guard let short = service.definition.uuid.short, service.definition.uuid.assignedName == nil else { return false }
      // Members of the SIG have FC00 to FEFF, standards bodies FFF6 and FFF9 upwards.
      return !(0xFC00...0xFEFF).contains(short) && short != 0xFFF6 && short < 0xFFF9
    }
    guard let first = own.first else { return [] }
    return [
      LintIssue(
        first.node.key(["uuid"]) ?? first.node,
        "the SIG has not assigned \(own.map { "\($0.definition.uuid)" }.joined(separator: ", "))",
        remedy: "use a 128-bit UUID of your own, or one that the SIG has assigned to you")
    ]
  }

  private static let notificationCenter = BluetoothUUID(high: 0x7905_F431_B5CE_4E99, low: 0xA40F_4B1E_122D_00D0)
  private static let notificationSource = BluetoothUUID(high: 0x9FBF_120D_6301_42D9, low: 0x8C58_25E6_99A2_1DBD)

  private static let soughtNotifications = LintRule(
    "ancs-solicitation", .warning, [.apple],
    title: "An accessory that uses the Notification Center solicits it.",
    why: "The solicitation makes the accessory appear in Settings, and the phone connects to it again by itself.",
    source: .apple("Apple Notification Center Service, Specification", 2014),
    bad: .init(
      """
      security: { pairing: just-works }
      client: [ { subscribe: 9FBF120D-6301-42D9-8C58-25E699A21DBD } ]
      """, at: (4, 1)),
    good: .init(
      """
      security: { pairing: just-works }
      client: [ { subscribe: 9FBF120D-6301-42D9-8C58-25E699A21DBD } ]
      advertising:
        - id: main
          data: { flags: [general], services: [battery] }
          scan-response: { name: complete }
        - id: seeker
          data: { flags: [general], services: [battery], solicitation: [7905F431-B5CE-4E99-A40F-4B1E122D00D0] }
      """),
    applies: { !$0.profile.clientSteps.isEmpty }
  ) { subject in
    let uses = subject.profile.clientSteps.contains { step in
      if case .subscribe(notificationSource) = step.action { return true }
      return step.service == notificationCenter
    }
    let solicits = subject.sets.contains { set in
      (set.data + set.response).contains {
        if case .solicitation(let uuids, _) = $0 { uuids.contains(notificationCenter) } else { false }
      }
    }
    guard uses, !solicits else { return [] }
    return [
      LintIssue(
        subject.key("client"), "it uses the Notification Center, but no set solicits it",
        remedy: "add solicitation: [\(notificationCenter)] to 'data'")
    ]
  }

  // MARK: Examples

  private static func ownServices(_ service: String, _ characteristic: String) -> String {
    """
    services:
      - uuid: \(service)
        characteristics: [ { uuid: \(characteristic), properties: [read], value: 1 } ]
    """
  }

  private static func userData(_ permissions: String) -> String {
    """
    security: { pairing: just-works }
    services:
      - include: battery
      - uuid: 181C
        characteristics:
          - { uuid: 2A99, properties: [read, write], permissions: { read: encrypted, write: encrypted }, value: 0 }
          - { uuid: 2A9A, properties: [read]\(permissions), value: 0 }
          - { uuid: 2A9F, properties: [write, indicate], permissions: { write: encrypted, subscribe: encrypted } }
    """
  }
}
