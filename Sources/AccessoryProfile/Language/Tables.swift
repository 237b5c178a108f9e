import BLEGAP
import BLEGATT

/// The profile language, version 1.
enum Language {
  static let version = 1

  /// All tables; the first is the file itself.
  static let tables: [KeyTable] =
    [profile, identity, sleep, connection, parameterRequest, parameterLimits, gatt] + securityTables + advertisingTables
    + serviceTables
    + descriptorTables
    + valueTables + formats + channelTables + recordTables + controlPointTables + clientTables + ruleTables
    + faultTables

  static let profile = KeyTable(
    name: "profile",
    keys: [
      .init(name: "understudy", type: .integer(1...1), summary: "The version of the language.", isRequired: true),
      .init(name: "name", type: .text, summary: "The accessory's name, 1 to 248 octets.", isRequired: true),
      .init(name: "about", type: .text, summary: "What the accessory is, for people."),
      .init(name: "group", type: .text, summary: "The heading under which lists of profiles have it."),
      .init(
        name: "instructions", type: .text, summary: "How people use it, which they are told when it starts."),
      .init(name: "sleep", type: .mapping("sleep"), summary: "When it is off the air, and when it wakes up."),
      .init(name: "identity", type: .mapping("identity"), summary: "Address and appearance."),
      .init(
        name: "advertising", type: .list(.mapping("advertising-set")),
        summary: "Advertising sets; without this key one legacy set with flags, services and name."),
      .init(
        name: "acts-as", type: .choice([.names(ActedVersion.allCases.map(\.rawValue)), .number]),
        summary: "The version of the Core Specification as whose device it behaves; the controller's own if not given."),
      .init(name: "connection", type: .mapping("connection"), summary: "What the accessory wants of connections."),
      .init(name: "security", type: .mapping("security"), summary: "Pairing and bonding."),
      .init(name: "gatt", type: .mapping("gatt"), summary: "Optional parts of the Generic Attribute service."),
      .init(
        name: "services", type: .list(.choice([.mapping("service"), .mapping("include")])),
        summary: "Services, in the order of their handles."),
      .init(
        name: "formats", type: .dictionary(.format), summary: "Formats of its own by their names, for the key format."),
      .init(name: "tables", type: .list(.mapping("table")), summary: "Records that control points find."),
      .init(
        name: "notifications", type: .mapping("notifications"),
        summary: "Notifications of a phone, for the includes ancs and ancs-twin."),
      .init(name: "l2cap", type: .list(.mapping("channel")), summary: "L2CAP channels that it publishes."),
      .init(
        name: "programs", type: .dictionary(.list(.text)),
        summary:
          "Programs with their arguments, by their ids, that set values and hear what happens; they run only with --allow-programs."
      ),
      .init(
        name: "parameters", type: .dictionary(.choice([.mapping("parameter"), .scalar, .list(.any)])),
        summary: "Values that stand elsewhere as $NAME, and that --set changes."),
      .init(
        name: "variables", type: .dictionary(.choice([.scalar, .mapping("variable")])),
        summary: "What its rules remember, and the values at the start."),
      .init(name: "rules", type: .list(.mapping("rule")), summary: "What it does by itself when something happens."),
      .init(
        name: "states", type: .dictionary(.list(.mapping("rule"))),
        summary: "The states that it can be in, each with its rules; it begins in the first."),
      .init(
        name: "client", type: .list(.mapping("client-step")),
        summary: "What it does by itself with the services of a central, as of a phone."),
      .init(name: "faults", type: .list(.mapping("fault")), summary: "What it does wrong on purpose."),
    ])

  static let sleep = KeyTable(
    name: "sleep",
    keys: [
      .init(
        name: "start", type: .names(["awake", "asleep"]), summary: "How it begins: awake if not given."),
      .init(
        name: "after", type: .duration,
        summary:
          "How long it is awake without a connection, 100 ms to 365 d; until a rule or somebody lets it sleep if not given."
      ),
      .init(
        name: "wakes-every", type: .duration,
        summary: "How often it wakes up by itself, counted from the start; never if not given."),
    ])

  static let identity = KeyTable(
    name: "identity",
    keys: [
      .init(
        name: "address", type: .choice([.names(["static", "public", "private"]), .text]),
        summary:
          "static (derived from the name), a random static address such as C4:12:34:56:78:9A, public, or private."),
      .init(
        name: "rotation", type: .duration,
        summary:
          "How long a private address is used, 1 s to 11.5 h (1 h where the controller makes it); 15 min if not given."),
      .init(
        name: "privacy", type: .names(PrivacyPolicy.Maker.allCases.map(\.rawValue)),
        summary:
          "Who makes private addresses: the host, if not given, which works with every controller; the controller by its resolving "
          + "list; or auto, the controller where it can."),
      .init(name: "appearance", type: .appearance, summary: "What the accessory looks like, by name or number."),
    ])

  static let connection = KeyTable(
    name: "connection",
    keys: [
      .init(
        name: "max-connections", type: .integer(1...64),
        summary: "How many centrals may be connected at once, 1 if not given; it advertises until that many are."),
      .init(name: "mtu", type: .integer(23...517), summary: "The server's receive MTU, 517 if not given."),
      .init(
        name: "data-length", type: .integer(27...251), summary: "The longest link-layer payload, 251 if not given."),
      .init(
        name: "phy", type: .names(["1M", "2M", "coded", "any"]),
        summary: "The PHY it asks for, 2M if not given; any leaves it to the central."),
      .init(
        name: "allowed-phys", type: .list(.names(["1M", "2M", "coded"])),
        summary: "The PHYs that it goes over to when a central asks; all that the controller has if not given."),
      .init(
        name: "parameter-requests",
        type: .choice([.names(["accept", "refuse", "ignore"]), .mapping("parameter-limits")]),
        summary: "What becomes of other connection parameters that a central asks for; accept if not given."),
      .init(
        name: "host-flow-control", type: .names(["auto", "off"]),
        summary:
          "Whether the controller may send only as much data as the host can hold; auto, where it can, if not given."
      ),
      .init(
        name: "request", type: .mapping("parameter-request"), summary: "Connection parameters it asks for."),
    ])

  static let parameterLimits = KeyTable(
    name: "parameter-limits",
    keys: [
      .init(
        name: "within", type: .choice([.duration, .list(.duration)]),
        summary: "Only intervals within these are accepted: the shortest and the longest.", isRequired: true)
    ])

  static let parameterRequest = KeyTable(
    name: "parameter-request",
    keys: [
      .init(
        name: "interval", type: .choice([.duration, .list(.duration)]),
        summary: "The connection interval, or the shortest and the longest, 7.5 ms to 4 s.", isRequired: true),
      .init(
        name: "latency", type: .integer(0...499), summary: "How many connection events it may skip, 0 if not given."),
      .init(name: "timeout", type: .duration, summary: "The supervision timeout, 100 ms to 32 s.", isRequired: true),
      .init(name: "after", type: .duration, summary: "How long after connecting it asks; 5 s if not given."),
    ])

  static let gatt = KeyTable(
    name: "gatt",
    keys: [
      .init(
        name: "service-changed", type: .names(["auto", "present", "absent"]),
        summary: "Whether there is a Service Changed characteristic; auto means only when the accessory can bond."),
      .init(
        name: "robust-caching", type: .boolean,
        summary: "Whether there are a Database Hash and Client Supported Features; false if not given."),
      .init(
        name: "order", type: .names(["by-uuid-size", "as-declared"]),
        summary:
          "Whether services with 16-bit UUIDs come first, so that they are found with fewer requests, as they do if not given."
      ),
      .init(
        name: "eatt", type: .integer(0...5),
        summary: "How many enhanced bearers a central may have on an encrypted link; 0 if not given."),
      .init(
        name: "opens-eatt", type: .boolean,
        summary: "Whether the accessory opens them once the central has said that it takes them; false if not given."),
    ])
}
