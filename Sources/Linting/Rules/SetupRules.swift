import AccessoryProfile
import BLECore
import BLEGAP

/// Rules for AccessorySetupKit, with which an app sets up an accessory without access to all of Bluetooth.
extension LintRule {
  static let setupRules = [setupIdentifier, setupServiceData]

  private static let setupIdentifier = LintRule(
    "setup-kit-identifier", .warning, [.apple],
    title: "AccessorySetupKit can discover the accessory by a service or a company identifier.",
    why:
      "A discovery descriptor needs a service UUID or a company identifier. A name is not enough: it only narrows the "
      + "results down.",
    source: .apple("AccessorySetupKit, ASDiscoveryDescriptor", 2024),
    bad: .init(
      "advertising: [ { id: main, accept: all, data: { flags: [general], name: complete } } ]\nservices: []",
      at: (3, 41)),
    good: .init(
      "advertising: [ { id: main, data: { flags: [general], name: complete, manufacturer-data: { company: 0x0059, data: hex:01 } } } ]\nservices: []"
    ),
    applies: { !$0.openSets.isEmpty }
  ) { subject in
    let isFound = subject.openSets.contains { set in
      !set.services.isEmpty || set.data.contains { $0.type == .manufacturerData }
    }
    guard !isFound, subject.services.isEmpty, let set = subject.openSets.first else { return [] }
    return [
      LintIssue(
        set.key("data"), "the advertising data has neither a service nor manufacturer data",
        remedy: "add 'services' or 'manufacturer-data' to 'data'")
    ]
  }

  private static let setupServiceData = LintRule(
    "setup-kit-service-data", .note, [.apple],
    title: "Service data belongs to a service that the advertising data names.",
    why:
      "A discovery descriptor of AccessorySetupKit with service data also needs the service's UUID, and apps scan by "
      + "the UUID in the list.",
    source: .apple("AccessorySetupKit, ASDiscoveryDescriptor", 2024),
    bad: .init(
      "advertising: [ { id: main, data: { flags: [general], services: [battery], name: complete, service-data: { service: FCD2, data: hex:01 } } } ]",
      at: (3, 91)),
    good: .init(
      "advertising: [ { id: main, data: { flags: [general], services: [battery], name: complete, service-data: { service: battery, data: hex:01 } } } ]"
    ),
    applies: { !$0.openSets.isEmpty }
  ) { subject in
    subject.openSets.compactMap { set in
      let named = Set(set.services)
      let others = set.data.compactMap { structure -> BluetoothUUID? in
        if case .serviceData(let uuid, _, _) = structure, !named.contains(uuid) { uuid } else { nil }
      }
      guard let first = others.first else { return nil }
      return LintIssue(
        set.key("data", "service-data"),
        "'\(set.definition.id)' has service data of \(first), but does not name that service",
        remedy: "add it to 'services', or send the data in a set that is not connectable")
    }
  }
}
