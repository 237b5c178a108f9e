import BLEGAP

extension Language {
  static let advertisingTables = [
    advertisingSet, audience, advertisingData, localName, manufacturerData, serviceData, advertisedValue,
    rawStructure, phase, iBeacon, eddystone, eddystoneUID, eddystoneTLM, eddystoneEID,
  ]

  static let advertisingSet = KeyTable(
    name: "advertising-set",
    keys: [
      .init(name: "id", type: .text, summary: "Its name in the control API.", isRequired: true),
      .init(
        name: "kind", type: .names(["legacy", "extended", "directed"]),
        summary: "Which PDUs it uses: legacy if not given; directed ones are legacy PDUs that call one bonded central."),
      .init(
        name: "to", type: .choice([.names(["bonded"]), .text]),
        summary:
          "Whom a directed set calls, or an extended one: the bonded central that was here last (bonded), as a directed one does if "
          + "not given, or that with this identity address."),
      .init(
        name: "duty", type: .names(["high", "low"]),
        summary:
          "Whether a directed set calls every few milliseconds for 1.28 s (high, if not given), or at its intervals."),
      .init(
        name: "accept", type: .choice([.names(audiences), .mapping("audience")]),
        summary: "Who may connect and whose scan requests are answered: bonded centrals, or all if not given."),
      .init(
        name: "address", type: .names(AdvertisingSetDefinition.AddressKind.allCases.map(\.rawValue)),
        summary:
          "Its address: that of the accessory (host) if not given, or private ones that nobody can resolve, where it is not "
          + "connectable."),
      .init(name: "connectable", type: .boolean, summary: "Whether a central may connect; true if not given."),
      .init(
        name: "scannable", type: .boolean,
        summary:
          "Whether there is a scan response; true for legacy sets if not given. Never for connectable extended sets."),
      .init(name: "data", type: .choice([.mapping("advertising-data"), .octets]), summary: "The advertising data."),
      .init(
        name: "scan-response", type: .choice([.mapping("advertising-data"), .octets]),
        summary: "The scan response data."),
      .init(
        name: "ibeacon", type: .mapping("ibeacon"),
        summary:
          "In place of data: an iBeacon, which is not connectable and advertises every 100 ms if not said otherwise."),
      .init(
        name: "eddystone", type: .mapping("eddystone"),
        summary: "In place of data: a frame of Eddystone, as an iBeacon not connectable and every 100 ms."),
      .init(
        name: "refresh", type: .duration,
        summary: "How often data that follow from values change at the most, 100 ms to 1 h; 1 s if not given."),
      .init(
        name: "schedule", type: .list(.mapping("advertising-phase")),
        summary: "Intervals, one after the other; 20 ms for 30 s, then 152.5 ms if not given."),
      .init(name: "interval", type: .duration, summary: "One interval for ever, in place of a schedule."),
      .init(
        name: "secondary-phy", type: .names(["1M", "2M", "coded"]),
        summary: "The PHY of the secondary channels of an extended set; 2M if not given."),
      .init(
        name: "tx-power", type: .integer(-127...20),
        summary: "The transmit power in dBm; the controller's if not given."),
      .init(
        name: "start", type: .names(["auto", "manual"]),
        summary: "Whether it starts by itself, and again after disconnections; auto if not given."),
    ])

  private static let audiences = AdvertisingSetDefinition.Audience.allCases.map(\.rawValue)

  static let audience = KeyTable(
    name: "audience",
    keys: [
      .init(name: "connections", type: .names(audiences), summary: "Who may connect; all if not given."),
      .init(name: "scans", type: .names(audiences), summary: "Whose scan requests are answered; all if not given."),
    ])

  static let advertisingData = KeyTable(
    name: "advertising-data",
    keys: [
      .init(
        name: "flags", type: .choice([.list(.names(["general", "limited", "br-edr"])), .integer(0...255)]),
        summary: "How it can be discovered. That there is no BR/EDR is said by itself, unless br-edr stands here."),
      .init(
        name: "name", type: .choice([.names(["complete"]), .mapping("local-name")]), summary: "The accessory's name."),
      .init(name: "services", type: .list(.uuid), summary: "Service UUIDs: a complete list for each width."),
      .init(name: "incomplete-services", type: .list(.uuid), summary: "Service UUIDs of which there are more."),
      .init(
        name: "tx-power", type: .choice([.boolean, .integer(-127...127)]),
        summary: "The transmit power in dBm; true for the set's."),
      .init(
        name: "appearance", type: .choice([.boolean, .appearance]), summary: "An appearance; true for the identity's."),
      .init(
        name: "manufacturer-data",
        type: .choice([.mapping("manufacturer-data"), .list(.mapping("manufacturer-data"))]),
        summary: "Data of a company."),
      .init(
        name: "service-data", type: .choice([.mapping("service-data"), .list(.mapping("service-data"))]),
        summary: "Data of a service."),
      .init(name: "solicitation", type: .list(.uuid), summary: "Services that the accessory looks for in a central."),
      .init(
        name: "connection-intervals", type: .list(.duration),
        summary: "The shortest and the longest connection interval it prefers."),
      .init(
        name: "raw", type: .choice([.octets, .list(.mapping("raw-structure"))]),
        summary: "Further AD structures: as octets, with their lengths and types, or one by one."),
    ])

  static let localName = KeyTable(
    name: "local-name",
    keys: [
      .init(name: "complete", type: .text, summary: "Another name than the profile's."),
      .init(name: "shortened", type: .text, summary: "The beginning of the name."),
    ])

  static let manufacturerData = KeyTable(
    name: "manufacturer-data",
    keys: [
      .init(
        name: "company",
        type: .choice([.names(["apple", "nordic-semiconductor", "internal-use"]), .integer(0...65_535)]),
        summary: "The company identifier.", isRequired: true),
      .init(
        name: "data", type: .choice([.octets, .mapping("advertised-value"), .value]),
        summary: "The data behind it: octets, the value of a characteristic, or what generates them.", isRequired: true),
      .init(name: "format", type: .format, summary: "What the data mean; octets if not given."),
      .init(
        name: "max-length", type: .integer(1...1650),
        summary: "The longest data where they change and their format has no longest."),
    ])

  static let serviceData = KeyTable(
    name: "service-data",
    keys: [
      .init(name: "service", type: .uuid, summary: "The service.", isRequired: true),
      .init(
        name: "data", type: .choice([.octets, .mapping("advertised-value"), .value]),
        summary: "The data behind its UUID: octets, the value of a characteristic, or what generates them.",
        isRequired: true),
      .init(name: "format", type: .format, summary: "What the data mean; octets if not given."),
      .init(
        name: "max-length", type: .integer(1...1650),
        summary: "The longest data where they change and their format has no longest."),
    ])

  static let advertisedValue = KeyTable(
    name: "advertised-value",
    keys: [.init(name: "value", type: .text, summary: "The characteristic whose octets these are.", isRequired: true)])

  static let iBeacon = KeyTable(
    name: "ibeacon",
    keys: [
      .init(name: "uuid", type: .text, summary: "Whose beacon it is: a UUID of 36 characters.", isRequired: true),
      .init(name: "major", type: .value, summary: "The group it belongs to; 0 if not given."),
      .init(name: "minor", type: .value, summary: "Its number in the group; 0 if not given."),
      .init(
        name: "measured-power", type: .value,
        summary: "How strong it is received at 1 m, in dBm; -59 if not given."),
    ])

  /// The keys that say which frame it is.
  static let eddystoneFrames = ["url", "uid", "tlm", "eid"]

  static let eddystone = KeyTable(
    name: "eddystone",
    keys: [
      .init(name: "url", type: .text, summary: "A URL, which takes 18 octets at most when it is packed."),
      .init(name: "uid", type: .mapping("eddystone-uid"), summary: "An identifier that stays."),
      .init(name: "tlm", type: .mapping("eddystone-tlm"), summary: "How the beacon is, with its counters."),
      .init(name: "eid", type: .mapping("eddystone-eid"), summary: "An identifier that changes, for who has its key."),
      .init(
        name: "measured-power", type: .value,
        summary: "How strong it is received at 0 m, in dBm, of all but tlm; -18 if not given."),
    ])

  static let eddystoneUID = KeyTable(
    name: "eddystone-uid",
    keys: [
      .init(name: "namespace", type: .octets, summary: "Whose beacon it is: 10 octets.", isRequired: true),
      .init(name: "instance", type: .octets, summary: "Which of them: 6 octets.", isRequired: true),
    ])

  static let eddystoneTLM = KeyTable(
    name: "eddystone-tlm",
    keys: [
      .init(name: "battery", type: .value, summary: "The battery's voltage in mV; not-known if not given."),
      .init(name: "temperature", type: .value, summary: "The temperature in °C; not-known if not given."),
    ])

  static let eddystoneEID = KeyTable(
    name: "eddystone-eid",
    keys: [
      .init(name: "key", type: .octets, summary: "The identity key: 16 octets.", isRequired: true),
      .init(
        name: "rotation", type: .integer(0...15),
        summary: "It changes every so many seconds, as a power of two; 10, which is 17 min, if not given."),
      .init(
        name: "clock", type: .integer(0...4_294_967_295),
        summary: "The beacon's clock at the start, in seconds; 0 if not given."),
    ])

  static let rawStructure = KeyTable(
    name: "raw-structure",
    keys: [
      .init(name: "type", type: .integer(0...255), summary: "The AD type.", isRequired: true),
      .init(name: "data", type: .octets, summary: "The octets behind it.", isRequired: true),
    ])

  static let phase = KeyTable(
    name: "advertising-phase",
    keys: [
      .init(
        name: "interval", type: .duration, summary: "The advertising interval, 20 ms to 10.24 s.", isRequired: true),
      .init(
        name: "for", type: .duration, summary: "How long; for ever if not given, which only the last phase may be."),
    ])
}
