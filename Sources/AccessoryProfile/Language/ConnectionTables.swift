extension Language {
  static let connectionTables = [connection, parameterRequest, parameterLimits, mtuDelay, lateDataLength]

  static let connection = KeyTable(
    name: "connection",
    keys: [
      .init(
        name: "max-connections", type: .integer(1...64),
        summary: "How many centrals may be connected at once (default: 1); it advertises while there are fewer."),
      .init(name: "mtu", type: .integer(23...517), summary: "The server's receive MTU (default: 517)."),
      .init(
        name: "mtu-requests", type: .choice([.names(["accept", "refuse", "ignore"]), .mapping("mtu-delay")]),
        summary: "How it responds when a central exchanges the MTU (default: accept)."),
      .init(
        name: "data-length", type: .choice([dataLength, .mapping("late-data-length")]),
        summary: "The maximum link-layer payload that it sends, in octets (default: 251)."),
      .init(
        name: "phy", type: .names(["1M", "2M", "coded", "any"]),
        summary: "The PHY that it requests (default: 2M); any leaves it to the central."),
      .init(
        name: "allowed-phys", type: .list(.names(["1M", "2M", "coded"])),
        summary: "The PHYs that it accepts when a central requests a change (default: all that the controller "
          + "supports)."),
      .init(
        name: "parameter-requests",
        type: .choice([.names(["accept", "refuse", "ignore"]), .mapping("parameter-limits")]),
        summary: "How it responds when a central requests other connection parameters (default: accept)."),
      .init(
        name: "host-flow-control", type: .names(["auto", "off"]),
        summary:
          "Whether the controller may send only as much data as the host can hold (default: auto, if the "
          + "controller supports it)."
      ),
      .init(
        name: "request", type: .mapping("parameter-request"), summary: "Connection parameters that it requests."),
    ])

  static let parameterLimits = KeyTable(
    name: "parameter-limits",
    keys: [
      .init(
        name: "within", type: .choice([.connectionInterval, .list(.connectionInterval)]),
        summary: "The range of intervals that it accepts: the shortest and the longest (default: all)."),
      .init(name: "after", type: .wait, summary: "How long after the request it responds (default: at once)."),
    ])

  static let mtuDelay = KeyTable(
    name: "mtu-delay",
    keys: [
      .init(name: "after", type: .wait, summary: "How long after the request it responds.", isRequired: true)
    ])

  private static let dataLength = ValueType.integer(27...251)

  static let lateDataLength = KeyTable(
    name: "late-data-length",
    keys: [
      .init(name: "octets", type: dataLength, summary: "The maximum link-layer payload that it sends (default: 251)."),
      .init(
        name: "after", type: .wait, summary: "How long after connecting it offers that; until then, 27 octets.",
        isRequired: true),
    ])

  static let parameterRequest = KeyTable(
    name: "parameter-request",
    keys: [
      .init(
        name: "interval", type: .choice([.connectionInterval, .list(.connectionInterval)]),
        summary: "The connection interval, or the shortest and the longest one.", isRequired: true),
      .init(
        name: "latency", type: .integer(0...499), summary: "How many connection events it may skip (default: 0)."),
      .init(name: "timeout", type: .supervisionTimeout, summary: "The supervision timeout.", isRequired: true),
      .init(name: "after", type: .delay, summary: "The delay after connecting (default: 5 s)."),
    ])
}
