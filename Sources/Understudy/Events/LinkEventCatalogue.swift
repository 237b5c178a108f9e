import AccessoryProfile

/// The events of connections and their contents.
extension EventCatalogue {
  static let connections: [EventDescription] = [
    EventDescription(
      "connected", "A central has connected.", connection, .text("peer", "its address"),
      .text("transport", "`le` or `br-edr`"), .text("peer_type", "`public` or `random`"),
      .number("interval_ms", "the connection interval; 0 over BR/EDR"),
      .integer("latency", "the peripheral latency"), .number("timeout_ms", "the supervision timeout")),
    EventDescription(
      "central-turned-away",
      "A central without a bond has connected to a set for bonded centrals, which the controller does not "
        + "filter; the host disconnects it.", connection),
    EventDescription(
      "connection-failed", "A connection could not be established.", reason,
      .integer("code", "the error code (Core 5.4 Vol 1 Part F); see below")),
    EventDescription(
      "disconnected", "A connection has ended.", connection, reason,
      .integer("code", "the error code (Core 5.4 Vol 1 Part F); see below")),
    EventDescription(
      "parameters", "The connection parameters have changed.", connection,
      .number("interval_ms", "the connection interval"), .integer("latency", "the peripheral latency"),
      .number("timeout_ms", "the supervision timeout")),
    EventDescription(
      "parameters-requested", "The peer has requested other parameters.", connection,
      .number("shortest_interval_ms", "the shortest interval"), .number("longest_interval_ms", "the longest interval"),
      .integer("latency", "the peripheral latency"), .number("timeout_ms", "the supervision timeout"),
      .truth("accepted", "whether they were accepted")),
    EventDescription(
      "parameters-answered", "The central has responded to a request for other parameters.", connection,
      .truth("accepted", "whether it accepted")),
    EventDescription(
      "phy", "The PHYs have changed.", connection, .text("tx", "`1M`, `2M` or `coded`"),
      .text("rx", "the PHY for receiving, likewise")),
    EventDescription(
      "data-length", "The data length has changed.", connection,
      .integer("tx", "the maximum octets in an LL Data PDU that the accessory sends"),
      .integer("rx", "the maximum octets in one that it receives")),
    EventDescription(
      "mtu", "The ATT_MTU has been exchanged.", connection, .integer("client", "the central's receive MTU"),
      .integer("mtu", "the MTU of the bearer")),
  ]

  private static let protection: [EventDescription.Field] = [
    .text("protection", "`none`, `encrypted`, `authenticated` or `secure-connections`"),
    .integer("key_size", "the encryption key size in octets; 0 without encryption"),
  ]
  static let security: [EventDescription] = [
    EventDescription(
      "security", "The security of a connection has changed.",
      [connection] + protection + [.truth("bonded", "whether there is a bond with that central")]),
    EventDescription(
      "pairing", "Pairing has started.", connection,
      .text("model", "`just-works`, `numeric-comparison`, `passkey-entry` or `out-of-band`"),
      .text("typist", "who enters the passkey: `accessory`, `central` or `both`").optional,
      .truth("secure_connections", "whether it is LE Secure Connections; otherwise it is legacy pairing")),
    EventDescription(
      "paired", "Pairing has succeeded. The keys are not shown.", connection, .text("peer", "its identity address"),
      .text("peer_type", "`public` or `random`"),
      .truth("authenticated", "whether it was protected against a man in the middle"),
      .truth("secure_connections", "whether it was LE Secure Connections"),
      .integer("key_size", "the encryption key size in octets"), .truth("bonded", "whether the keys are stored")),
    EventDescription(
      "pairing-failed", "Pairing has failed.", connection,
      .text("reason", "the reason in Pairing Failed, such as `confirm-value-failed`; or `timed-out`, `disconnected`"),
      .integer("code", "the code of the reason (Core 5.4 Vol 3 Part H 3.5.5)").optional,
      .truth("by_peer", "whether the central reported it")),
    EventDescription(
      "key-missing", "A connection could not be encrypted with the bond's key: most likely, the peer has lost it.",
      connection),
    EventDescription(
      "encryption-failed", "A connection could not be encrypted.", connection, reason,
      .integer("code", "the error code (Core 5.4 Vol 1 Part F): 0x06 if a side has no key")),
    EventDescription(
      "authenticated-payload-timeout", "An encrypted connection had no authenticated packet for too long.",
      connection),
    EventDescription(
      "bond-changed", "A bond was added, or its stored data has changed.",
      .text("peer", "its identity address")),
    EventDescription("bond-removed", "A bond was removed.", .text("peer", "its identity address")),
    EventDescription(
      "keypress", "A key was pressed on the central while its user enters the passkey.", connection,
      .text("key", "`started`, `entered`, `erased`, `cleared` or `completed`")),
    EventDescription(
      "pairing-question", "The pairing of a central needs an answer. (An accessory reports `question` instead.)",
      connection,
      .text("kind", "`consent`, `comparison`, `passkey` or `display`"), .text("digits", "the six digits").optional),
    EventDescription("pairing-question-ended", "The question no longer needs an answer.", connection),
    EventDescription(
      "security-requested", "A peripheral has sent a Security Request.", connection,
      .truth("bonding", "whether it requests bonding"),
      .truth("mitm", "whether it requests protection against a man in the middle"),
      .truth("secure_connections", "whether it requests LE Secure Connections"),
      .truth("keypress", "whether it requests keypress notifications")),
  ]

  static let attributes: [EventDescription] = [
    EventDescription(
      "subscribed", "A central has subscribed, or changed its subscription.",
      [connection] + characteristic + [
        .truth("notify", "whether it has subscribed to notifications"),
        .truth("indicate", "whether it has subscribed to indications"),
      ]),
    EventDescription(
      "unsubscribed", "A central has unsubscribed, or its subscription has ended with the connection.",
      [connection] + characteristic + [
        .truth("notify", "false"), .truth("indicate", "false"),
      ]),
    EventDescription("read", "A central has read a value (on request).", [connection] + characteristic + value),
    EventDescription("write", "A central has written a value (on request).", [connection] + characteristic + value),
    EventDescription(
      "value-changed", "A rule, the control API or a program has changed a value (on request).", characteristic + value),
    EventDescription("notified", "A notification was sent (on request).", [connection] + characteristic + value),
    EventDescription(
      "notification-dropped",
      "A notification or an indication was not sent, because the link is full or the central must discover "
        + "the services again.",
      [connection] + characteristic),
    EventDescription("indicated", "An indication was sent (on request).", [connection] + characteristic + value),
    EventDescription(
      "confirmed", "An indication was confirmed (on request).", connection, .integer("handle", "the attribute's handle")
    ),
    EventDescription(
      "broadcast", "A central has switched broadcasts on or off.", connection, .truth("on", "whether they are on")),
    EventDescription(
      "client-features", "A central has written its Client Supported Features.", connection,
      .integer("features", "Client Supported Features")),
    EventDescription(
      "refused", "A request was refused (on request). The error that ends every discovery is not reported.",
      connection, .text("request", "the request"),
      .integer("handle", "the attribute's handle"), .text("error", "the error")),
    EventDescription(
      "early-request", "A request arrived before the previous one was answered.", connection,
      .text("request", "the request"),
      .truth("kept", "whether it will be answered later")),
    EventDescription(
      "database-changed", "Services were added, changed or removed.",
      .integer("first_handle", "the affected range of handles"),
      .integer("last_handle", "the affected range of handles"), .text("hash", "the new Database Hash")),
  ]

  private static let ticket = EventDescription.Field.integer("ticket", "identifies the question")
  private static let asked: [EventDescription.Field] = [
    ticket, connection,
    .text(
      "kind",
      "`read`, `write`, `authorization`, `channels`, or, during pairing, `consent`, `comparison`, `passkey` "
        + "or `display`"),
    .text("characteristic", "the characteristic's id").optional, .text("uuid", "its UUID").optional,
    .text("hex", "the octets to be written").optional, .value("value", "the same, decoded by its format").optional,
    .text("operation", "`read` or `write`, for an authorization").optional,
    .integer("psm", "the PSM of the channels").optional,
    .integer("channels", "the number of channels requested").optional,
    .text("digits", "the six digits to compare, or the displayed passkey").optional,
  ]
  static let questions: [EventDescription] = [
    EventDescription(
      "question", "A question waits for an answer.",
      asked + [.number("deadline", "when it ends without an answer, in seconds since 1970")]),
    EventDescription(
      "question-ended", "A question no longer waits for an answer.",
      asked + [
        .text(
          "end",
          "`answered`, `timed-out`, `client-gone`, `abandoned`, or `over` if pairing no longer needs an answer"),
        .text("answer", "the octets of the answer").optional,
        .truth("accepted", "whether it was accepted").optional,
        .text("error", "the error that the central got").optional,
      ]),
    EventDescription(
      "answer-awaited", "A request waits for an answer (on request).", connection, ticket,
      .text("request", "the request"),
      .integer("handle", "the attribute's handle")),
    EventDescription("answer-overdue", "The answer is due soon.", connection, ticket),
    EventDescription("answer-cancelled", "The answer is no longer needed.", connection, ticket),
  ]

  private static let channel = EventDescription.Field.integer("channel", "the CID on this side")
  private static let psm = EventDescription.Field.integer("psm", "the PSM")
  static let channels: [EventDescription] = [
    EventDescription(
      "channel-opened", "A channel is open.", connection, channel, .integer("remote", "the CID on the other side"), psm,
      .truth("incoming", "whether the central opened it"), .truth("open", "true"),
      .integer("mtu", "the longest SDU that the accessory receives"),
      .integer("mps", "the longest payload of a K-frame that it receives"),
      .integer("peer_mtu", "the longest SDU that the central receives"),
      .integer("peer_mps", "the longest payload of a K-frame that the central receives"),
      .integer("credits", "the credits that the central has"),
      .integer("peer_credits", "the credits that the accessory has"),
      .integer("queued", "queued octets"), .value("sent", "`sdus`, `frames` and `octets` so far"),
      .value("received", "likewise")),
    EventDescription(
      "channel-closed", "A channel has been closed.", connection, channel, psm, reason,
      .integer("unsent", "octets that were not sent"),
      .value("sink", "what its sink has received: `sdus`, `octets`, and `sha256` (null if it is not computed)").optional
    ),
    EventDescription("channel-may-send", "A channel accepts SDUs from its owner again.", connection, channel),
    EventDescription(
      "channel-reconfigured", "The central has reconfigured channels.", connection, channel,
      .integer("mtu", "its new MTU"),
      .integer("mps", "its new MPS")),
    EventDescription(
      "channel-reconfiguration-answered", "The central has responded to our reconfiguration.", connection,
      .integers("channels", "the CIDs of these channels"), .value("result", "the result; null without a response")),
    EventDescription(
      "channel-authorization-asked", "A central requests channels, and waits for authorization.", connection, psm,
      .integer("channels", "the number of channels requested")),
    EventDescription(
      "channel-refused", "A central's request for channels was refused.", connection, psm,
      .integer("result", "the result"),
      .integer("channels", "the number of channels requested")),
    EventDescription(
      "channel-bridged", "A channel has been bridged.", connection, channel, .text("id", "what was opened"),
      .text("place", "the target of the bridge")),
    EventDescription(
      "sdu", "An SDU has arrived on a channel that the accessory opened.", connection, channel,
      .text("hex", "its octets")),
    EventDescription(
      "frame", "A frame has arrived on a fixed channel.", connection, channel, .text("hex", "its octets")),
    EventDescription("ready-for-more", "A link accepts more data.", connection),
  ]

  private static let operation = EventDescription.Field.integer("operation", "the operation's number")
  private static let handle = EventDescription.Field.integer("handle", "the attribute's handle")
  static let remotes: [EventDescription] = [
    EventDescription(
      "remote-began", "An operation on a central's server has started (on request).", connection, operation,
      .text("request", "which"), handle.optional),
    EventDescription(
      "remote-ended", "The operation has succeeded.", connection, operation, .integer("mtu", "the ATT_MTU").optional,
      .integer("services", "the number found").optional, .integer("includes", "likewise").optional,
      .integer("characteristics", "likewise").optional, .integer("descriptors", "likewise").optional,
      .text("hex", "the octets").optional, .list("values", "`handle` and `hex` of each").optional),
    EventDescription("remote-failed", "The operation has failed.", connection, operation, reason),
    EventDescription(
      "remote-notification", "A central's server has sent a notification.", connection, handle,
      .text("hex", "the octets")),
    EventDescription(
      "remote-indication", "A central's server has sent an indication.", connection, handle, .text("hex", "the octets")),
    EventDescription(
      "remote-services-changed", "A central's services have changed.", connection,
      .integer("first_handle", "the affected range of handles"),
      .integer("last_handle", "the affected range of handles")),
    EventDescription("remote-out-of-sync", "The stored database of a central is out of date.", connection),
    EventDescription("remote-violation", "A central's server violated the protocol.", connection, reason),
    EventDescription(
      "remote-step", "A step of the profile's `client`, or the subscription that it made, has ended.", connection,
      .text("step", "the step"),
      .text("hex", "the octets").optional, reason.optional, .truth("retry", "whether it will be retried").optional),
  ]

  static let scanning: [EventDescription] = [
    EventDescription(
      "inquiring", "A central has started or ended an inquiry over BR/EDR.", .truth("on", "whether it inquires")),
    EventDescription(
      "found", "A central's inquiry has found a device.", .text("address", "the device's address"),
      .integer("class_of_device", "the class of device, 24 bits"),
      .text("kind", "what that means"), .text("data", "its Extended Inquiry Response"),
      .text("name", "its name").optional, .integer("rssi", "the signal strength in dBm").optional),
    EventDescription(
      "remote-name", "A device has told a central its name over BR/EDR, or not.",
      .text("address", "the device's address"), .text("name", "its name").optional, reason.optional),
    EventDescription(
      "attribute-channel", "The ATT bearer that a central has opened over BR/EDR is open, or has ended.", connection,
      .truth("open", "whether it is open")),
    EventDescription(
      "service-records", "A central's search of service records has ended.", connection,
      .value("records", "the classes, names and PSMs of the services").optional,
      .value("handles", "their handles").optional, reason.optional),
    EventDescription("scanning", "A central has started or stopped scanning.", .truth("on", "whether it scans")),
    EventDescription(
      "advertisement", "A central has received advertising.", .text("address", "the advertiser's address"),
      .text("data", "its advertising data")),
  ]
}
