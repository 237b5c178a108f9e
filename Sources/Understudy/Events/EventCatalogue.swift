import AccessoryProfile

/// All events in `--json`, on event streams and in docs/events.md.
public enum EventCatalogue {
  /// All events, in the order of the document.
  public static let all: [(title: String, events: [EventDescription])] = [
    ("The program", program), ("Programs of profiles", programs), ("The controller", controller),
    ("The virtual radio", radio),
    ("Advertising", advertising), ("Connections", connections), ("Security", security), ("Attributes", attributes),
    ("Questions", questions),
    ("L2CAP channels", channels), ("Servers of centrals", remotes), ("Scanning", scanning),
  ]

  /// The fields that every event can have in addition to its own.
  static let common: [EventDescription.Field] = [
    .number("time", "seconds since 1970-01-01 00:00 UTC; not in `http`, `lost` and the events of `understudy radio`")
      .optional,
    .text("accessory", "the accessory's name, if several run").optional,
  ]

  static let connection = EventDescription.Field.integer("connection", "the connection handle")
  static let characteristic: [EventDescription.Field] = [
    .text("characteristic", "its id in the profile"), .text("uuid", "its UUID"),
  ]
  static let value: [EventDescription.Field] = [
    .text("hex", "all octets of the value"),
    .value("value", "the same, decoded by the characteristic's format, as in `GET …/value`"),
  ]
  static let reason = EventDescription.Field.text("reason", "the reason, in words")

  private static let programs: [EventDescription] = [
    EventDescription(
      "program-started", "A program of the profile runs.", .text("program", "its id"),
      .integer("process", "the number of its process")),
    EventDescription(
      "program-ended", "A program of the profile has ended, or could not be run.", .text("program", "its id"), reason,
      .number("again_ms", "the delay before it is run again; absent after exit status 0").optional),
    EventDescription(
      "program-said", "A program of the profile has written a line to standard error.", .text("program", "its id"),
      .text("text", "the line")),
    EventDescription(
      "program-refused", "A program of the profile has written a line that cannot be carried out.",
      .text("program", "its id"), .text("text", "the line"), reason),
  ]

  private static let program: [EventDescription] = [
    EventDescription(
      "ready", "The accessory is on the air; or, with `understudy radio`, hosts can join.",
      .text("name", "the accessory's name").optional, .text("address", "its address").optional,
      .text("address_type", "`public` or `random`").optional,
      .text("controller", "the controller, as on the command line").optional,
      .integers("ports", "TCP ports where hosts can join the virtual radio"),
      .texts("joining", "all places where hosts can join it, as they would name them"),
      .texts("advertising", "the sets that are on the air").optional,
      .text("instructions", "the profile's instructions for people").optional),
    EventDescription(
      "http", "The control API accepts requests.", .text("host", "the address on which it listens"),
      .integer("port", "its TCP port"),
      .text("token_file", "the file with the generated token").optional),
    EventDescription("log", "A write for which the profile has the action `log`.", characteristic + value),
    EventDescription("state", "The profile has entered another state.", .text("state", "its name")),
    EventDescription("asleep", "The accessory has fallen asleep: it goes off the air and ends its connections."),
    EventDescription("awake", "The accessory has woken up, and goes on the air."),
    EventDescription(
      "rule-failed", "Something that the profile computes or does is impossible at the moment, and is skipped.",
      .text("place", "the value or expression"), reason),
    EventDescription(
      "write-gap", "A written value of a characteristic with `numbered` does not have the next number.",
      [
        connection, .integer("expected", "the number that was expected"), .integer("number", "the number in the value"),
        .integer("missing", "how many values are missing; absent if the number is from before").optional,
      ] + characteristic),
    EventDescription("capture-failed", "The capture file is incomplete; everything else continues.", reason),
    EventDescription(
      "ring-saved", "The last packets between host and controller were saved.", .text("path", "the file, pcapng"),
      .integer("packets", "the number of packets"),
      .text("occasion", "`wanted` (on request) or `failed` (because the accessory failed)")),
    EventDescription(
      "restored",
      "The state of the previous run has been restored. No other event comes before this one, except "
        + "`state-damaged`.",
      .text("folder", "the folder of its state"), .integer("bonds", "the number of bonds"),
      .texts("services", "the services that were added, replaced or removed"),
      .texts("values", "the characteristics whose values were restored"),
      .value("psms", "the PSMs of its channels, by their ids"),
      .texts("channels", "the channels that were published while it ran"),
      .value("advertising", "the sets that were started or stopped, and whether they are on"),
      .texts("omissions", "what the profile no longer has, and why")),
    EventDescription(
      "state-damaged", "A file of the stored state cannot be used, and is ignored.",
      .text("path", "the file"), reason, .text("aside", "its new name").optional,
      .text("remedy", "what is lost with it, and what to do")),
    EventDescription(
      "state-failed", "State cannot be stored. It will be retried; everything else continues.", reason),
    EventDescription(
      "reset", "The accessory has been reset to its initial state, by a request; `ready` follows.",
      .integer("links", "the number of connections that were ended"), .integer("bonds", "the number of remaining bonds")
    ),
    EventDescription(
      "lost", "The reader was too slow, so this many events were dropped here.",
      .integer("count", "the number of events")),
    EventDescription("failed", "The accessory could not start, or had to end.", reason),
    EventDescription("stopped", "The accessory has ended in an orderly way."),
    EventDescription(
      "fault",
      "Something did not follow the specification, and was handled; or an armed fault has fired.",
      .text(
        "fault",
        "which fault, such as `skipped-octets` or `malformed-acl`; `injected` for one that was armed, "
          + "`impossible` for one that this controller cannot produce"
      ),
      .text("done", "what was done about it; for an injected fault, what it did").optional, connection.optional,
      reason.optional,
      .integer("count", "the number of octets").optional, .integer("code", "the event code").optional,
      .integer("channel", "the channel").optional, .text("command", "the command").optional,
      .text("id", "the id of the publication, or of the fault").optional,
      .text("place", "the target of the bridge").optional,
      .text("characteristic", "the characteristic of an injected fault").optional,
      .text("uuid", "its UUID").optional),
  ]

  private static let controller: [EventDescription] = [
    EventDescription(
      "awaiting-controller", "The program waits for the controller to connect.", .text("place", "the port or path")),
    EventDescription("controller-missing", "The controller is missing, and the program waits for it.", reason),
    EventDescription("controller-found", "The controller is available.", .text("controller", "its address")),
    EventDescription("controller-lost", "The controller has disappeared, and the program waits for it.", reason),
    EventDescription("controller-failed", "The controller cannot be used.", reason),
    EventDescription(
      "identity-changed", "The accessory has a new identity from now on.", .text("address", "its new address")),
    EventDescription(
      "controller", "The controller has been initialized.", .text("address", "the accessory's address"),
      .text("version", "the version of the Core Specification"), .text("manufacturer", "the manufacturer"),
      .integer("acl_length", "the maximum octets in an ACL packet"),
      .integer("acl_count", "the number of its ACL buffers"),
      .integer("data_length", "the longest LL Data PDU"),
      .truth("extended_advertising", "whether it supports extended advertising"),
      .integer("advertising_sets", "the number of sets that it supports"),
      .integer("advertising_data_length", "the maximum octets of advertising data")),
    EventDescription(
      "command-refused", "The controller refused a command.", .text("command", "the command"),
      .text("status", "the error")),
    EventDescription(
      "line-refused", "A connection to a listening socket does not begin with H4, and is closed.",
      .text("place", "where"), reason, .text("controller", "its controller on the virtual radio").optional),
  ]

  private static let radio: [EventDescription] = [
    EventDescription(
      "joined", "A host has joined the virtual radio.", .text("controller", "its controller"), .text("place", "where")),
    EventDescription("left", "A host has left the virtual radio.", .text("controller", "its controller")),
    EventDescription(
      "turned-away", "A host could not join, because there are already 100 hosts on the radio.", .text("place", "where")
    ),
    EventDescription(
      "listening-paused", "Hosts cannot join there for now, because no file descriptors are left.",
      .text("place", "where")),
    EventDescription("listening-resumed", "Hosts can join there again.", .text("place", "where")),
  ]

  private static let set = EventDescription.Field.text("set", "the set's id")
  private static let advertising: [EventDescription] = [
    EventDescription(
      "advertising-ready", "All sets have been processed at the start.", .texts("sets", "those on the air")),
    EventDescription(
      "br-edr", "Over BR/EDR, devices can now find the accessory and connect to it, or not.",
      .truth("discoverable", "whether inquiries find it"), .truth("connectable", "whether it accepts connections")),
    EventDescription("advertising-started", "A set is on the air.", set, .number("interval_ms", "its interval")),
    EventDescription("advertising-stopped", "A set is off the air.", set),
    EventDescription(
      "advertising-limit-reached",
      "The controller has ended a set after its `max-events`; the set stays off the air until something starts it again.",
      set, .integer("events", "the number of advertising events")),
    EventDescription(
      "advertising-power",
      "The transmit power of a set was set with Zephyr's vendor command, because the profile asks for one.",
      set,
      .integer("power", "the transmit power in use, in dBm")),
    EventDescription(
      "advertising-refused", "The controller refused a command of a set.", set, .text("command", "the command"),
      .text("status", "the error")),
    EventDescription("advertising-unavailable", "The controller cannot support a set.", set, reason),
    EventDescription(
      "advertising-unfiltered",
      "The controller cannot restrict a set to bonded centrals: the host disconnects others, and scan "
        + "requests are answered.",
      set, reason),
  ]
}
