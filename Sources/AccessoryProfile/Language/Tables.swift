import BLEGAP
import BLEGATT

/// The profile language, version 1.
package enum Language {
  static let version = 1

  /// All tables. The first is that of the file itself.
  package static let tables: [KeyTable] =
    [profile, identity, sleep] + classicTables + connectionTables + [gatt] + securityTables + advertisingTables
    + serviceTables
    + descriptorTables
    + valueTables + formats + channelTables + recordTables + controlPointTables + clientTables + ruleTables
    + faultTables + [lint]

  /// The tables of profiles, fleets and scenarios.
  static let everyTable = tables + fleetTables + scenarioTables

  package static let profile = KeyTable(
    name: "profile",
    keys: [
      .init(name: "understudy", type: .integer(1...1), summary: "The version of the language.", isRequired: true),
      .init(name: "name", type: .text, summary: "The accessory's name, 1 to 248 octets.", isRequired: true),
      .init(name: "about", type: .text, summary: "A description of the accessory, for people."),
      .init(name: "group", type: .text, summary: "The heading under which `understudy profiles` lists it."),
      .init(
        name: "instructions", type: .text, summary: "Instructions for people, printed at the start."),
      .init(name: "sleep", type: .mapping("sleep"), summary: "When it is off the air, and when it wakes."),
      .init(name: "identity", type: .mapping("identity"), summary: "Address and appearance."),
      .init(
        name: "transports", type: .list(.names(["le", "br-edr", "br-edr?"])),
        summary:
          "The transports over which it can be reached (default: [le]); br-edr? is BR/EDR where the controller supports it."
      ),
      .init(name: "classic", type: .mapping("classic"), summary: "How it presents itself over BR/EDR."),
      .init(
        name: "advertising", type: .list(.mapping("advertising-set")),
        summary: "Advertising sets (default: one legacy set with flags, services and name)."),
      .init(
        name: "acts-as", type: .choice([.names(ActedVersion.allCases.map(\.rawValue)), .number]),
        summary: "The version of the Core Specification that it imitates (default: the controller's own)."),
      .init(name: "connection", type: .mapping("connection"), summary: "Connection settings."),
      .init(name: "security", type: .mapping("security"), summary: "Pairing and bonding."),
      .init(name: "gatt", type: .mapping("gatt"), summary: "Optional parts of the Generic Attribute service."),
      .init(
        name: "services", type: .list(.choice([.mapping("service"), .mapping("include")])),
        summary: "Services, in the order of their handles."),
      .init(
        name: "formats", type: .dictionary(.format), summary: "The profile's own formats by name, for the key format."),
      .init(name: "tables", type: .list(.mapping("table")), summary: "Records for control points."),
      .init(
        name: "notifications", type: .mapping("notifications"),
        summary: "Phone notifications, for the includes ancs and ancs-twin."),
      .init(name: "l2cap", type: .list(.mapping("channel")), summary: "L2CAP channels that it publishes."),
      .init(
        name: "programs", type: .dictionary(.list(.text)),
        summary:
          "Programs with their arguments, by id, that set values and receive events; they run only with --allow-programs."
      ),
      .init(
        name: "parameters", type: .dictionary(.choice([.mapping("parameter"), .scalar, .list(.any)])),
        summary: "Values that replace $NAME, and that --set changes."),
      .init(
        name: "variables", type: .dictionary(.choice([.scalar, .mapping("variable")])),
        summary: "The variables of its rules, with initial values."),
      .init(name: "rules", type: .list(.mapping("rule")), summary: "What it does when something happens."),
      .init(
        name: "states", type: .dictionary(.list(.mapping("rule"))),
        summary: "The states that it can be in, each with its rules; it starts in the first."),
      .init(
        name: "client", type: .list(.mapping("client-step")),
        summary: "How it uses the services of a central, such as a phone."),
      .init(name: "faults", type: .list(.mapping("fault")), summary: "Faults that it injects."),
      .init(
        name: "lint", type: .mapping("lint"), summary: "What `understudy lint` should know; nothing else uses it."),
    ])

  static let sleep = KeyTable(
    name: "sleep",
    keys: [
      .init(
        name: "start", type: .names(["awake", "asleep"]), summary: "The initial state (default: awake)."),
      .init(
        name: "after", type: .sleepTime,
        summary:
          "How long it stays awake without a connection (default: until a rule or a request "
          + "makes it sleep)."
      ),
      .init(
        name: "wakes-every", type: .sleepTime,
        summary: "How often it wakes by itself, counted from the start (default: never)."),
    ])

  static let identity = KeyTable(
    name: "identity",
    keys: [
      .init(
        name: "address", type: .choice([.names(["static", "public", "private"]), .text]),
        summary:
          "static (derived from the name), a random static address such as C4:12:34:56:78:9A, public, or private."),
      .init(
        name: "rotation", type: .duration(.seconds(1)...(.seconds(41_400))),
        summary:
          "How long a private address is used, at most 1 h where the controller generates it "
          + "(default: 15 min)."),
      .init(
        name: "privacy", type: .names(PrivacyPolicy.Maker.allCases.map(\.rawValue)),
        summary:
          "What generates private addresses: the host (default), which works with every controller; the "
          + "controller, with its resolving list; or auto, the controller if it can."),
      .init(name: "appearance", type: .appearance, summary: "The appearance, by name or number."),
    ])

  static let gatt = KeyTable(
    name: "gatt",
    keys: [
      .init(
        name: "service-changed", type: .names(["auto", "present", "absent"]),
        summary: "Whether there is a Service Changed characteristic; auto means only when the accessory can bond, "
          + "because clients may cache the services of a bonded server until it indicates a change. Without bonds, Apple's "
          + "devices discover everything again at every connection if it is present, and cache the services if it is absent."
      ),
      .init(
        name: "robust-caching", type: .boolean,
        summary: "Whether there are Database Hash and Client Supported Features characteristics (default: false)."),
      .init(
        name: "order", type: .names(["by-uuid-size", "as-declared"]),
        summary:
          "Whether services with 16-bit UUIDs come first, which lets clients find them with fewer requests "
          + "(by-uuid-size, the default)."
      ),
      .init(
        name: "eatt", type: .integer(0...5),
        summary: "How many Enhanced ATT bearers a central may have on an encrypted link (default: 0)."),
      .init(
        name: "opens-eatt", type: .boolean,
        summary: "Whether the accessory opens the bearers once the central has declared support (default: false)."),
    ])
}
