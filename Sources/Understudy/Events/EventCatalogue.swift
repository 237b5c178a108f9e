import AccessoryProfile

/// What an event means and what it holds: the one list from which docs/events.md and the JSON Schema of events are made.
public struct EventDescription: Hashable, Sendable {
  /// One field of an event.
  public struct Field: Hashable, Sendable {
    /// What kind of value it holds.
    enum Kind: String {
      case text, number, integer, truth, texts, integers, list, value
    }

    let name: String
    let kind: Kind
    let about: String
    var isOptional = false

    static func text(_ name: String, _ about: String) -> Field { Field(name: name, kind: .text, about: about) }
    static func number(_ name: String, _ about: String) -> Field { Field(name: name, kind: .number, about: about) }
    static func integer(_ name: String, _ about: String) -> Field { Field(name: name, kind: .integer, about: about) }
    static func truth(_ name: String, _ about: String) -> Field { Field(name: name, kind: .truth, about: about) }
    static func texts(_ name: String, _ about: String) -> Field { Field(name: name, kind: .texts, about: about) }
    static func integers(_ name: String, _ about: String) -> Field { Field(name: name, kind: .integers, about: about) }
    static func list(_ name: String, _ about: String) -> Field { Field(name: name, kind: .list, about: about) }
    static func value(_ name: String, _ about: String) -> Field { Field(name: name, kind: .value, about: about) }

    /// The same for events that have it sometimes.
    var optional: Field {
      var field = self
      field.isOptional = true
      return field
    }
  }

  /// What `event` says.
  public let name: String
  let about: String
  let fields: [Field]

  init(_ name: String, _ about: String, _ fields: Field...) { self.init(name, about, fields) }

  init(_ name: String, _ about: String, _ fields: [Field]) {
    (self.name, self.about, self.fields) = (name, about, fields)
  }
}

/// All events, as they stand in `--json`, on event streams and in docs/events.md.
public enum EventCatalogue {
  /// Every event, in the order of the document.
  public static let all: [(title: String, events: [EventDescription])] = [
    ("The program", program), ("Programs of profiles", programs), ("The controller", controller),
    ("The virtual radio", radio),
    ("Advertising", advertising), ("Connections", connections), ("Security", security), ("Attributes", attributes),
    ("Questions", questions),
    ("L2CAP channels", channels), ("Servers of centrals", remotes), ("Scanning", scanning),
  ]

  /// What every event may have beside its own fields.
  static let common: [EventDescription.Field] = [
    .number("time", "seconds since 1970-01-01 00:00 UTC; not in `http`, `lost` and the events of `understudy radio`")
      .optional,
    .text("accessory", "the accessory's name, where several run").optional,
  ]

  private static let connection = EventDescription.Field.integer("connection", "the connection handle")
  private static let characteristic: [EventDescription.Field] = [
    .text("characteristic", "its id in the profile"), .text("uuid", "its UUID"),
  ]
  private static let value: [EventDescription.Field] = [
    .text("hex", "all octets of the value"),
    .value("value", "the same as the characteristic's format reads it, as `GET …/value` has it"),
  ]
  private static let reason = EventDescription.Field.text("reason", "why, in words")

  private static let programs: [EventDescription] = [
    EventDescription(
      "program-started", "A program of the profile runs.", .text("program", "its id"),
      .integer("process", "the number of its process")),
    EventDescription(
      "program-ended", "A program of the profile has ended, or could not be run.", .text("program", "its id"), reason,
      .number("again_ms", "after how long it is run again; it is not after exit status 0").optional),
    EventDescription(
      "program-said", "A program of the profile has written a line to standard error.", .text("program", "its id"),
      .text("text", "the line")),
    EventDescription(
      "program-refused", "A program of the profile has written something that cannot be done.",
      .text("program", "its id"), .text("text", "the line"), reason),
  ]

  private static let program: [EventDescription] = [
    EventDescription(
      "ready", "The accessory is on the air; or, of `understudy radio`, hosts can join.",
      .text("name", "the accessory's name").optional, .text("address", "its address").optional,
      .text("address_type", "`public` or `random`").optional,
      .text("controller", "the controller, as on the command line").optional,
      .integers("ports", "TCP ports where hosts can join the virtual radio"),
      .texts("joining", "all places where hosts can join it, as they would write them"),
      .texts("advertising", "the sets that are on the air").optional,
      .text("instructions", "how people use it, as its profile says").optional),
    EventDescription(
      "http", "The control API takes requests.", .text("host", "where it listens"), .integer("port", "its TCP port"),
      .text("token_file", "where the token is that was generated").optional),
    EventDescription("log", "A write that the profile wants logged.", characteristic + value),
    EventDescription("state", "The profile is in another of its states.", .text("state", "its name")),
    EventDescription("asleep", "The accessory has fallen asleep: it goes off the air and ends its connections."),
    EventDescription("awake", "The accessory has woken up, and goes on the air."),
    EventDescription(
      "rule-failed", "Something that the profile computes or does is impossible now; it is left out.",
      .text("place", "which value or expression"), reason),
    EventDescription("capture-failed", "The capture file is not whole; everything else goes on.", reason),
    EventDescription(
      "ring-saved", "The last packets between host and controller were saved.", .text("path", "the file, pcapng"),
      .integer("packets", "how many it has"), .text("occasion", "`wanted` or `failed`")),
    EventDescription(
      "restored", "The accessory is as it was when it last ran. Nothing else happens before that but `state-damaged`.",
      .text("folder", "where it keeps its state"), .integer("bonds", "how many bonds it has"),
      .texts("services", "the services that came, changed or went"),
      .texts("values", "the characteristics with a value of before"),
      .value("psms", "the PSMs of its channels, by their ids"),
      .texts("channels", "the channels that were published while it ran"),
      .value("advertising", "the sets that were switched, and whether they are on"),
      .texts("omissions", "what the profile has no place for any longer, and why")),
    EventDescription(
      "state-damaged", "A file of what the accessory has kept cannot be taken, and is left out.",
      .text("path", "the file"), reason, .text("aside", "the name that it has now").optional,
      .text("remedy", "what is lost with it, and what to do")),
    EventDescription(
      "state-failed", "What is to survive cannot be written. It is tried again; everything else goes on.", reason),
    EventDescription(
      "reset", "The accessory is as just started, because somebody wanted it; `ready` follows.",
      .integer("links", "how many connections were ended"), .integer("bonds", "how many bonds it has still")),
    EventDescription(
      "lost", "The reader was too slow for so many events, which stood here.", .integer("count", "how many")),
    EventDescription("failed", "The accessory could not start, or had to end.", reason),
    EventDescription("stopped", "The accessory has said goodbye and ended."),
    EventDescription(
      "fault",
      "Something was not as the specification wants it, and was dealt with; or a fault that was armed has happened.",
      .text(
        "fault",
        "which fault, such as `skipped-octets` or `malformed-acl`; `injected` of one that was armed, `impossible` of one that this controller cannot do"
      ),
      .text("done", "what was done about it; of an injected one, what it has done").optional, connection.optional,
      reason.optional,
      .integer("count", "how many octets").optional, .integer("code", "the event code").optional,
      .integer("channel", "the channel").optional, .text("command", "the command").optional,
      .text("id", "the id of what is published, or of the fault").optional,
      .text("place", "where a line leads to").optional,
      .text("characteristic", "the characteristic that an injected fault is about").optional,
      .text("uuid", "its UUID").optional),
  ]

  private static let controller: [EventDescription] = [
    EventDescription("awaiting-controller", "The controller may connect.", .text("place", "the port or path")),
    EventDescription("controller-missing", "The controller is not there, and waited for.", reason),
    EventDescription("controller-found", "The controller is there.", .text("controller", "its address")),
    EventDescription("controller-lost", "The controller was there and is gone; it is waited for.", reason),
    EventDescription("controller-failed", "The controller cannot be used.", reason),
    EventDescription(
      "identity-changed", "The accessory is another device from now on.", .text("address", "its new address")),
    EventDescription(
      "controller", "The controller is brought up.", .text("address", "the accessory's address"),
      .text("version", "the version of the Core Specification"), .text("manufacturer", "who made it"),
      .integer("acl_length", "octets in an ACL packet"), .integer("acl_count", "how many ACL packets it holds"),
      .integer("data_length", "the longest LL Data PDU"), .truth("extended_advertising", "whether it has that"),
      .integer("advertising_sets", "how many it carries"),
      .integer("advertising_data_length", "the most octets of advertising data")),
    EventDescription(
      "command-refused", "The controller refused a command.", .text("command", "which"), .text("status", "why")),
    EventDescription(
      "line-refused", "Who connected to a socket of ours does not speak H4; the connection is closed.",
      .text("place", "where"), reason, .text("controller", "the controller that it had on the virtual radio").optional),
  ]

  private static let radio: [EventDescription] = [
    EventDescription(
      "joined", "A host has joined the virtual radio.", .text("controller", "its controller"), .text("place", "where")),
    EventDescription("left", "A host has left it.", .text("controller", "its controller")),
    EventDescription("turned-away", "A host could not join: there are 100 controllers.", .text("place", "where")),
    EventDescription(
      "listening-paused", "Nobody can join there for now: no descriptors are left.", .text("place", "where")),
    EventDescription("listening-resumed", "Hosts can join there again.", .text("place", "where")),
  ]

  private static let set = EventDescription.Field.text("set", "the set's id")
  private static let advertising: [EventDescription] = [
    EventDescription("advertising-ready", "All sets were begun with.", .texts("sets", "those on the air")),
    EventDescription("advertising-started", "A set is on the air.", set, .number("interval_ms", "its interval")),
    EventDescription("advertising-stopped", "A set is off the air.", set),
    EventDescription(
      "advertising-refused", "The controller refused a command of a set.", set, .text("command", "which"),
      .text("status", "why")),
    EventDescription("advertising-unavailable", "The controller cannot carry a set.", set, reason),
    EventDescription(
      "advertising-unfiltered",
      "The controller cannot keep a set to bonded centrals: the host ends the connections of others, and scans are answered.",
      set, reason),
  ]

  private static let connections: [EventDescription] = [
    EventDescription(
      "connected", "A central has connected.", connection, .text("peer", "its address"),
      .text("peer_type", "`public` or `random`"), .number("interval_ms", "the connection interval"),
      .integer("latency", "the peripheral latency"), .number("timeout_ms", "the supervision timeout")),
    EventDescription(
      "central-turned-away",
      "A central without a bond has connected to a set for bonded ones, which the controller does not filter: its connection is "
        + "ended.", connection),
    EventDescription("connection-failed", "A connection did not come about.", reason),
    EventDescription(
      "disconnected", "A connection has ended.", connection, reason,
      .integer("code", "the reason's number (Core 5.4 Vol 1 Part F); see below")),
    EventDescription(
      "parameters", "The connection parameters have changed.", connection,
      .number("interval_ms", "the connection interval"), .integer("latency", "the peripheral latency"),
      .number("timeout_ms", "the supervision timeout")),
    EventDescription(
      "parameters-requested", "The peer has asked for other parameters.", connection,
      .number("shortest_interval_ms", "the shortest interval"), .number("longest_interval_ms", "the longest"),
      .integer("latency", "the peripheral latency"), .number("timeout_ms", "the supervision timeout"),
      .truth("accepted", "whether they were accepted")),
    EventDescription(
      "parameters-answered", "The central has answered our request for others.", connection,
      .truth("accepted", "whether it accepts")),
    EventDescription(
      "phy", "The PHYs have changed.", connection, .text("tx", "`1M`, `2M` or `coded`"), .text("rx", "likewise")),
    EventDescription(
      "data-length", "The data length has changed.", connection,
      .integer("tx", "octets of an LL Data PDU that we send"),
      .integer("rx", "and of one that we receive")),
    EventDescription(
      "mtu", "The ATT_MTU was exchanged.", connection, .integer("client", "the central's"),
      .integer("mtu", "that of the bearer")),
  ]

  private static let protection: [EventDescription.Field] = [
    .text("protection", "`none`, `encrypted`, `authenticated` or `secure-connections`"),
    .integer("key_size", "octets of the encryption key; 0 without encryption"),
  ]
  private static let security: [EventDescription] = [
    EventDescription(
      "security", "How a connection is protected has changed.",
      [connection] + protection + [.truth("bonded", "whether there is a key of that central")]),
    EventDescription(
      "pairing", "A pairing has begun.", connection,
      .text("model", "`just-works`, `numeric-comparison`, `passkey-entry` or `out-of-band`"),
      .text("typist", "who types the passkey: `accessory`, `central` or `both`").optional,
      .truth("secure_connections", "whether by LE Secure Connections; else legacy pairing")),
    EventDescription(
      "paired", "A pairing has ended well. The keys are not shown.", connection, .text("peer", "its identity address"),
      .text("peer_type", "`public` or `random`"), .truth("authenticated", "whether a man in the middle was kept out"),
      .truth("secure_connections", "whether by LE Secure Connections"),
      .integer("key_size", "octets of the encryption key"), .truth("bonded", "whether the keys are kept")),
    EventDescription(
      "pairing-failed", "A pairing has failed.", connection,
      .text("reason", "that of Pairing Failed, such as `confirm-value-failed`; or `timed-out`, `disconnected`"),
      .integer("code", "the reason's number (Core 5.4 Vol 3 Part H 3.5.5)").optional,
      .truth("by_peer", "whether the central says so")),
    EventDescription(
      "key-missing", "A connection could not be encrypted with the bond's key: most likely the peer has lost it.",
      connection),
    EventDescription(
      "encryption-failed", "A connection could not be encrypted.", connection, reason,
      .integer("code", "the reason's number (Core 5.4 Vol 1 Part F): 0x06 where a side has no key")),
    EventDescription(
      "authenticated-payload-timeout", "An encrypted connection went too long without an authenticated packet.",
      connection),
    EventDescription(
      "bond-changed", "There is a bond, or something of it that is kept has changed.",
      .text("peer", "its identity address")),
    EventDescription("bond-removed", "There is no bond any longer.", .text("peer", "its identity address")),
    EventDescription(
      "keypress", "A key was pressed where the central's user types the passkey.", connection,
      .text("key", "`started`, `entered`, `erased`, `cleared` or `completed`")),
    EventDescription(
      "pairing-question", "What a pairing asks a central, which has no questions as an accessory has them.", connection,
      .text("kind", "`consent`, `comparison`, `passkey` or `display`"), .text("digits", "the six digits").optional),
    EventDescription("pairing-question-ended", "It needs no answer any longer.", connection),
    EventDescription(
      "security-requested", "A peripheral asks for security.", connection, .truth("bonding", "to keep the keys"),
      .truth("mitm", "to keep a man in the middle out"), .truth("secure_connections", "by LE Secure Connections"),
      .truth("keypress", "with keypress notifications")),
  ]

  private static let attributes: [EventDescription] = [
    EventDescription(
      "subscribed", "A central has subscribed, or changed what to.",
      [connection] + characteristic + [
        .truth("notify", "to notifications"), .truth("indicate", "to indications"),
      ]),
    EventDescription(
      "unsubscribed", "A central has unsubscribed, or its connection has ended with the subscription.",
      [connection] + characteristic + [
        .truth("notify", "false"), .truth("indicate", "false"),
      ]),
    EventDescription("read", "A central has read a value (on request).", [connection] + characteristic + value),
    EventDescription("write", "A central has written a value (on request).", [connection] + characteristic + value),
    EventDescription("notified", "A notification was sent (on request).", [connection] + characteristic + value),
    EventDescription(
      "notification-dropped",
      "A notification or an indication was not sent: the link is full, or the central has to read the services anew.",
      [connection] + characteristic),
    EventDescription("indicated", "An indication was sent (on request).", [connection] + characteristic + value),
    EventDescription(
      "confirmed", "An indication was confirmed (on request).", connection, .integer("handle", "the attribute")),
    EventDescription(
      "broadcast", "A central has switched broadcasts.", connection, .truth("on", "whether they are on")),
    EventDescription(
      "client-features", "A central has said what it can.", connection,
      .integer("features", "Client Supported Features")),
    EventDescription(
      "refused", "A request was refused (on request), other than by the answer with which every discovery ends.",
      connection, .text("request", "which"),
      .integer("handle", "the attribute"), .text("error", "the error")),
    EventDescription(
      "early-request", "A request came before the answer to the one before.", connection, .text("request", "which"),
      .truth("kept", "whether it is answered later")),
    EventDescription(
      "database-changed", "Services have come, changed or gone.", .integer("first_handle", "of the affected range"),
      .integer("last_handle", "of the affected range"), .text("hash", "the new Database Hash")),
  ]

  private static let ticket = EventDescription.Field.integer("ticket", "names the question")
  private static let asked: [EventDescription.Field] = [
    ticket, connection,
    .text(
      "kind",
      "`read`, `write`, `authorization`, `channels`, or of a pairing `consent`, `comparison`, `passkey` or `display`"),
    .text("characteristic", "the characteristic's id").optional, .text("uuid", "its UUID").optional,
    .text("hex", "what is to be written").optional, .value("value", "the same, as its format reads it").optional,
    .text("operation", "`read` or `write`, of an authorization").optional, .integer("psm", "of channels").optional,
    .integer("channels", "how many").optional,
    .text("digits", "the six digits to compare, or of the passkey that is shown").optional,
  ]
  private static let questions: [EventDescription] = [
    EventDescription(
      "question", "Somebody is asked.",
      asked + [.number("deadline", "when it is answered by itself, in seconds since 1970")]),
    EventDescription(
      "question-ended", "Somebody is not asked any longer.",
      asked + [
        .text(
          "end",
          "`answered`, `timed-out`, `client-gone`, `abandoned`, or `over` where a pairing needs no answer any longer"),
        .text("answer", "the octets of an answer").optional,
        .truth("accepted", "whether it was accepted").optional,
        .text("error", "the error that the central got").optional,
      ]),
    EventDescription(
      "answer-awaited", "A request waits for an answer (on request).", connection, ticket, .text("request", "which"),
      .integer("handle", "the attribute")),
    EventDescription("answer-overdue", "The answer must come soon.", connection, ticket),
    EventDescription("answer-cancelled", "The answer is not wanted any longer.", connection, ticket),
  ]

  private static let channel = EventDescription.Field.integer("channel", "its end on this side")
  private static let psm = EventDescription.Field.integer("psm", "the PSM")
  private static let channels: [EventDescription] = [
    EventDescription(
      "channel-opened", "A channel is open.", connection, channel, .integer("remote", "its end on the other side"), psm,
      .truth("incoming", "whether the central opened it"), .truth("open", "true"),
      .integer("mtu", "the longest SDU that we take"), .integer("mps", "and the longest payload of a K-frame"),
      .integer("peer_mtu", "the longest SDU that the central takes"), .integer("peer_mps", "and payload"),
      .integer("credits", "that the central has"), .integer("peer_credits", "that we have"),
      .integer("queued", "octets that wait"), .value("sent", "`sdus`, `frames` and `octets` so far"),
      .value("received", "likewise")),
    EventDescription(
      "channel-closed", "A channel has ended.", connection, channel, psm, reason,
      .integer("unsent", "octets that were not sent"),
      .value("sink", "what its sink has taken: `sdus`, `octets`, and `sha256` (null where it is not wanted)").optional),
    EventDescription("channel-may-send", "A channel that its owner fills takes SDUs again.", connection, channel),
    EventDescription(
      "channel-reconfigured", "The central takes other lengths.", connection, channel, .integer("mtu", "of an SDU"),
      .integer("mps", "of a payload")),
    EventDescription(
      "channel-reconfiguration-answered", "The central has answered our reconfiguration.", connection,
      .integers("channels", "of these channels"), .value("result", "the result; null without an answer")),
    EventDescription(
      "channel-authorization-asked", "A central waits to be let in.", connection, psm,
      .integer("channels", "how many it wants")),
    EventDescription(
      "channel-refused", "A central was refused channels.", connection, psm, .integer("result", "the result"),
      .integer("channels", "how many it wanted")),
    EventDescription(
      "channel-bridged", "A line stands behind a channel.", connection, channel, .text("id", "what was opened"),
      .text("place", "where the line leads to")),
    EventDescription(
      "sdu", "An SDU has come over a channel that the accessory opened.", connection, channel,
      .text("hex", "its octets")),
    EventDescription(
      "frame", "A frame has come over a fixed channel.", connection, channel, .text("hex", "its octets")),
    EventDescription("ready-for-more", "A link takes more.", connection),
  ]

  private static let operation = EventDescription.Field.integer("operation", "the operation's number")
  private static let handle = EventDescription.Field.integer("handle", "the attribute")
  private static let remotes: [EventDescription] = [
    EventDescription(
      "remote-began", "An operation on a central's server has begun (on request).", connection, operation,
      .text("request", "which"), handle.optional),
    EventDescription(
      "remote-ended", "It has ended well.", connection, operation, .integer("mtu", "the ATT_MTU").optional,
      .integer("services", "how many were found").optional, .integer("includes", "likewise").optional,
      .integer("characteristics", "likewise").optional, .integer("descriptors", "likewise").optional,
      .text("hex", "the octets").optional, .list("values", "`handle` and `hex` of each").optional),
    EventDescription("remote-failed", "It has failed.", connection, operation, reason),
    EventDescription(
      "remote-notification", "A central's server has notified.", connection, handle, .text("hex", "the octets")),
    EventDescription(
      "remote-indication", "A central's server has indicated.", connection, handle, .text("hex", "the octets")),
    EventDescription(
      "remote-services-changed", "A central's services have changed.", connection,
      .integer("first_handle", "of the affected range"), .integer("last_handle", "of the affected range")),
    EventDescription("remote-out-of-sync", "What is known of a central's services is out of date.", connection),
    EventDescription("remote-violation", "A central's server broke the protocol.", connection, reason),
    EventDescription(
      "remote-step", "A step of the profile's `client` is over.", connection, .text("step", "which"),
      .text("hex", "the octets").optional, reason.optional, .truth("retry", "whether it is tried again").optional),
  ]

  private static let scanning: [EventDescription] = [
    EventDescription("scanning", "A central has begun or ended to scan.", .truth("on", "whether it scans")),
    EventDescription(
      "advertisement", "A central has heard an advertiser.", .text("address", "whose"),
      .text("data", "its advertising data")),
  ]
}
