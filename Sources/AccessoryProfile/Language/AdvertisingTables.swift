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
        summary: "The kind of advertising PDUs (default: legacy); directed means legacy directed advertising to one "
          + "bonded central."),
      .init(
        name: "to", type: .choice([.names(["bonded"]), .text]),
        summary:
          "The target of a directed or extended set: the bonded central that connected last (bonded, the "
          + "default of directed sets), or the one with this identity address."),
      .init(
        name: "duty", type: .names(["high", "low"]),
        summary:
          "Whether a directed set uses high duty cycle advertising for 1.28 s (high, the default), or its own "
          + "intervals (low)."),
      .init(
        name: "accept", type: .choice([.names(audiences), .mapping("audience")]),
        summary: "Who may connect, and whose scan requests are answered: all centrals (default), or only bonded ones."),
      .init(
        name: "address", type: .names(AdvertisingSetDefinition.AddressKind.allCases.map(\.rawValue)),
        summary:
          "Its address: the accessory's (host, the default), or non-resolvable private addresses, for sets that "
          + "are not connectable."),
      .init(name: "connectable", type: .boolean, summary: "Whether centrals may connect (default: true)."),
      .init(
        name: "scannable", type: .boolean,
        summary:
          "Whether there is a scan response (default: true for legacy sets). Not possible for connectable "
          + "extended sets."),
      .init(name: "data", type: .choice([.mapping("advertising-data"), .octets]), summary: "The advertising data."),
      .init(
        name: "scan-response", type: .choice([.mapping("advertising-data"), .octets]),
        summary: "The scan response data."),
      .init(
        name: "ibeacon", type: .mapping("ibeacon"),
        summary:
          "An iBeacon, instead of data; by default not connectable, with an interval of 100 ms."),
      .init(
        name: "eddystone", type: .mapping("eddystone"),
        summary: "An Eddystone frame, instead of data; by default not connectable, with an interval of 100 ms."),
      .init(
        name: "refresh", type: .duration(.milliseconds(100)...(.seconds(3600))),
        summary: "The shortest time between changes of data that is derived from values (default: 1 s)."),
      .init(
        name: "schedule", type: .list(.mapping("advertising-phase")),
        summary: "Intervals, one after another (default: 20 ms for 30 s, then 152.5 ms)."),
      .init(
        name: "interval", type: .advertisingInterval,
        summary: "One interval without a time limit, instead of a schedule."),
      .init(
        name: "max-events", type: .integer(1...255),
        summary:
          "The number of advertising events after which the controller ends an extended set, each time that the set "
          + "starts (default: no limit). The set needs an interval."),
      .init(
        name: "secondary-phy", type: .names(["1M", "2M", "coded"]),
        summary: "The secondary PHY of an extended set (default: 2M)."),
      .init(
        name: "tx-power", type: .integer(-127...20),
        summary: "The transmit power in dBm (default: the controller's)."),
      .init(
        name: "start", type: .names(["auto", "manual"]),
        summary: "Whether it starts automatically, and again after disconnections (default: auto)."),
    ])

  private static let audiences = AdvertisingSetDefinition.Audience.allCases.map(\.rawValue)

  static let audience = KeyTable(
    name: "audience",
    keys: [
      .init(name: "connections", type: .names(audiences), summary: "Who may connect (default: all)."),
      .init(name: "scans", type: .names(audiences), summary: "Whose scan requests are answered (default: all)."),
    ])

  static let advertisingData = KeyTable(
    name: "advertising-data",
    keys: [
      .init(
        name: "flags", type: .choice([.list(.names(["general", "limited", "br-edr"])), .integer(0...255)]),
        summary: "Discoverability flags. \"BR/EDR not supported\" is added, unless br-edr is in the list."),
      .init(
        name: "name", type: .choice([.names(["complete"]), .mapping("local-name")]), summary: "The accessory's name."),
      .init(name: "services", type: .list(.uuid), summary: "Service UUIDs: a complete list for each UUID size."),
      .init(name: "incomplete-services", type: .list(.uuid), summary: "Service UUIDs, in incomplete lists."),
      .init(
        name: "tx-power", type: .choice([.boolean, .integer(-127...127)]),
        summary: "The transmit power in dBm; true for that of the set."),
      .init(
        name: "appearance", type: .choice([.boolean, .appearance]), summary: "An appearance; true for that in identity."
      ),
      .init(
        name: "manufacturer-data",
        type: .choice([.mapping("manufacturer-data"), .list(.mapping("manufacturer-data"))]),
        summary: "Manufacturer specific data."),
      .init(
        name: "service-data", type: .choice([.mapping("service-data"), .list(.mapping("service-data"))]),
        summary: "Service data."),
      .init(
        name: "solicitation", type: .list(.uuid),
        summary: "UUIDs of services that the accessory looks for in a central."),
      .init(
        name: "connection-intervals", type: .list(.connectionInterval),
        summary: "The shortest and the longest connection interval that it prefers."),
      .init(
        name: "raw", type: .choice([.octets, .list(.mapping("raw-structure"))]),
        summary: "Further AD structures: octets including their lengths and types, or a list of structures."),
    ])

  static let localName = KeyTable(
    name: "local-name",
    keys: [
      .init(name: "complete", type: .text, summary: "A complete name that differs from the profile's."),
      .init(name: "shortened", type: .text, summary: "A shortened name."),
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
        summary: "The data after the company identifier: octets, the value of a characteristic, or a generator.",
        isRequired: true),
      .init(name: "format", type: .format, summary: "What the data means (default: octets)."),
      .init(
        name: "max-length", type: .integer(1...1650),
        summary: "The maximum length of data that changes, if its format has no maximum."),
    ])

  static let serviceData = KeyTable(
    name: "service-data",
    keys: [
      .init(name: "service", type: .uuid, summary: "The service.", isRequired: true),
      .init(
        name: "data", type: .choice([.octets, .mapping("advertised-value"), .value]),
        summary: "The data after the UUID: octets, the value of a characteristic, or a generator.",
        isRequired: true),
      .init(name: "format", type: .format, summary: "What the data means (default: octets)."),
      .init(
        name: "max-length", type: .integer(1...1650),
        summary: "The maximum length of data that changes, if its format has no maximum."),
    ])

  static let advertisedValue = KeyTable(
    name: "advertised-value",
    keys: [.init(name: "value", type: .text, summary: "The characteristic that provides the octets.", isRequired: true)]
  )

  static let iBeacon = KeyTable(
    name: "ibeacon",
    keys: [
      .init(name: "uuid", type: .text, summary: "The proximity UUID, 36 characters.", isRequired: true),
      .init(name: "major", type: .value, summary: "The major number (default: 0)."),
      .init(name: "minor", type: .value, summary: "The minor number (default: 0)."),
      .init(
        name: "measured-power", type: .value,
        summary: "The received power at 1 m, in dBm (default: -59)."),
    ])

  /// The keys that determine the frame.
  static let eddystoneFrames = ["url", "uid", "tlm", "eid"]

  static let eddystone = KeyTable(
    name: "eddystone",
    keys: [
      .init(name: "url", type: .text, summary: "A URL, at most 18 octets when encoded."),
      .init(name: "uid", type: .mapping("eddystone-uid"), summary: "A static identifier (Eddystone-UID)."),
      .init(name: "tlm", type: .mapping("eddystone-tlm"), summary: "Telemetry, with counters (Eddystone-TLM)."),
      .init(
        name: "eid", type: .mapping("eddystone-eid"),
        summary: "An ephemeral identifier, for those who have its key (Eddystone-EID)."),
      .init(
        name: "measured-power", type: .value,
        summary: "The received power at 0 m, in dBm, for all frames but tlm (default: -18)."),
    ])

  static let eddystoneUID = KeyTable(
    name: "eddystone-uid",
    keys: [
      .init(name: "namespace", type: .octets, summary: "The namespace, 10 octets.", isRequired: true),
      .init(name: "instance", type: .octets, summary: "The instance within the namespace, 6 octets.", isRequired: true),
    ])

  static let eddystoneTLM = KeyTable(
    name: "eddystone-tlm",
    keys: [
      .init(name: "battery", type: .value, summary: "The battery voltage in mV (default: not-known)."),
      .init(name: "temperature", type: .value, summary: "The temperature in °C (default: not-known)."),
    ])

  static let eddystoneEID = KeyTable(
    name: "eddystone-eid",
    keys: [
      .init(name: "key", type: .octets, summary: "The identity key, 16 octets.", isRequired: true),
      .init(
        name: "rotation", type: .integer(0...15),
        summary: "The rotation period, as an exponent: it changes every 2^rotation seconds (default: 10, which is 17 "
          + "min)."),
      .init(
        name: "clock", type: .integer(0...4_294_967_295),
        summary: "The beacon's clock at the start, in seconds (default: 0)."),
    ])

  static let rawStructure = KeyTable(
    name: "raw-structure",
    keys: [
      .init(name: "type", type: .integer(0...255), summary: "The AD type.", isRequired: true),
      .init(name: "data", type: .octets, summary: "The octets after the type.", isRequired: true),
    ])

  static let phase = KeyTable(
    name: "advertising-phase",
    keys: [
      .init(
        name: "interval", type: .advertisingInterval, summary: "The advertising interval.", isRequired: true),
      .init(
        name: "for", type: .duration(.milliseconds(10)...(.seconds(86_400))),
        summary: "The duration; only the last phase may omit it, and is then unlimited."),
    ])
}
