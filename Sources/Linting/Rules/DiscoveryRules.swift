import AccessoryProfile
import BLECore
import BLEGATT

/// Rules for the costs and the results of discovery.
extension LintRule {
  static let discoveryRules = [
    interleavedServices, expensiveDiscovery, scatteredCharacteristics, emptyService, unreachableService,
  ]

  private static let interleavedServices = LintRule(
    "interleaved-services", .warning, [.apple, .core],
    title: "Services with 16-bit UUIDs come before those with 128-bit ones.",
    why: "All services in one response have UUIDs of the same size, so each change of size costs a round trip.",
    source: .talk(2017, 712),
    bad: .init(
      """
      gatt: { order: as-declared }
      services:
        - include: battery
        - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - uuid: A0000002-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read]
              value: hex:00
              description: A lamp
        - include: device-information
      """, at: (3, 9)),
    good: .init(
      """
      services:
        - include: battery
        - uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00
          characteristics:
            - uuid: A0000002-7C4D-4B0E-9E4B-1F6E2A1B9C00
              properties: [read]
              value: hex:00
              description: A lamp
        - include: device-information
      """)
  ) { subject in
    guard !subject.profile.gatt.groupsByUUIDSize, let now = subject.discoveryCost(),
      let grouped = subject.discoveryCost(groupsByUUIDSize: true), now.services > grouped.services
    else { return [] }
    return [
      LintIssue(
        subject.key("gatt", "order"),
        "discovery of the services takes \(now.services) round trips instead of \(grouped.services), "
          + "\(now.services * DiscoveryCost.roundTrip) instead of \(grouped.services * DiscoveryCost.roundTrip) ms at an interval of 30 ms",
        remedy: "use by-uuid-size, or move the services; both change handles")
    ]
  }

  /// The number of round trips above which discovery is expensive: 4 s at an interval of 30 ms.
  private static let manyRoundTrips = 66

  private static let expensiveDiscovery = LintRule(
    "expensive-discovery", .note, [.apple],
    title: "Discovery of everything takes at most 4 s at a connection interval of 30 ms.",
    why: "An app that discovers everything waits this long at its first connection, and at every connection if the "
      + "phone does not cache the services. Fewer services with more characteristics each need fewer requests.",
    source: .talk(2017, 712),
    bad: .init("services:\n" + Self.manyServices(14), at: (3, 1)),
    good: .init("services:\n" + Self.manyServices(3)),
    applies: { !$0.services.isEmpty }
  ) { subject in
    guard let cost = subject.discoveryCost(), cost.roundTrips > manyRoundTrips else { return [] }
    return [
      LintIssue(
        subject.key("services"),
        "discovery takes \(cost.roundTrips) round trips (services \(cost.services), characteristics "
          + "\(cost.characteristics), descriptors \(cost.descriptors)), at least \(cost.milliseconds) ms at an interval of 30 ms",
        remedy: "merge services, and leave out descriptors that no app reads")
    ]
  }

  /// Services with five characteristics each, for the examples.
  private static func manyServices(_ count: Int) -> String {
    (0..<count).map { service in
      let characteristics = (1...5).map { number in
        "{ id: c\(service)-\(number), uuid: A00\(service + 10)00\(number)-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read], value: hex:00, description: A lamp }"
      }
      return
        "  - { uuid: A00\(service + 10)000-7C4D-4B0E-9E4B-1F6E2A1B9C00, characteristics: [ \(characteristics.joined(separator: ", ")) ] }"
    }.joined(separator: "\n")
  }

  private static let scatteredCharacteristics = LintRule(
    "scattered-characteristics", .note, [.apple],
    title: "The accessory's own characteristics are in few services.",
    why: "Each service costs at least one request of its own for its characteristics.",
    source: .talk(2017, 712),
    bad: .init(
      "services:\n" + (1...4).map { Self.ownService($0, characteristics: 1) }.joined(separator: "\n"), at: (4, 5)),
    good: .init("services:\n" + Self.ownService(1, characteristics: 4)),
    applies: { $0.services.contains { $0.definition.uuid.short == nil } }
  ) { subject in
    let lonely = subject.services.filter { $0.definition.uuid.short == nil && $0.characteristics.count == 1 }
    guard lonely.count >= 4, let first = lonely.first else { return [] }
    return [
      LintIssue(
        first.node.key(["uuid"]) ?? first.node,
        "\(lonely.count) of the accessory's own services have one characteristic each",
        remedy: "put them into one service")
    ]
  }

  private static func ownService(_ service: Int, characteristics: Int) -> String {
    let members = (1...characteristics).map { number in
      "{ uuid: A00\(service)000\(number)-7C4D-4B0E-9E4B-1F6E2A1B9C00, properties: [read], value: hex:00, description: A lamp }"
    }
    return
      "  - uuid: A00\(service)0000-7C4D-4B0E-9E4B-1F6E2A1B9C00\n    characteristics: [ \(members.joined(separator: ", ")) ]"
  }

  private static let emptyService = LintRule(
    "empty-service", .note, [.core],
    title: "Services have characteristics.",
    why: "An app finds the service, but nothing to use in it.",
    source: .core("Vol 3 Part G 3.1"),
    bad: .init("services:\n  - { uuid: A0000001-7C4D-4B0E-9E4B-1F6E2A1B9C00, characteristics: [] }", at: (4, 7)),
    good: .init("services:\n" + Self.ownService(1, characteristics: 1))
  ) { subject in
    subject.services.filter { $0.characteristics.isEmpty && $0.definition.includes.isEmpty }.map {
      LintIssue($0.node.key(["uuid"]) ?? $0.node, "the service '\($0.definition.id)' is empty", remedy: "remove it")
    }
  }

  private static let unreachableService = LintRule(
    "unreachable-service", .error, [.core],
    title: "Another service includes each secondary service.",
    why: "Discovery finds only primary services. A client finds a secondary service only through an include.",
    source: .core("Vol 3 Part G 2.6.3, 3.1"),
    bad: .init(
      """
      services:
        - include: battery
        - include: link-loss
          primary: false
      """, at: (6, 5)),
    good: .init(
      """
      services:
        - include: battery
          includes: [link-loss]
        - include: link-loss
          primary: false
      """)
  ) { subject in
    let included = Set(subject.profile.services.flatMap(\.includes))
    return subject.services.filter { !$0.definition.isPrimary && !included.contains($0.definition.id) }.map {
      LintIssue(
        $0.node.key(["primary"]) ?? $0.node, "no service includes '\($0.definition.id)'",
        remedy: "make it primary, or add its id to 'includes' of another service",
        fix: .replacing($0.node.value(of: "primary"), by: "true"))
    }
  }
}
