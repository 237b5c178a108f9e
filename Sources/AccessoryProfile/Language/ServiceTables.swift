import BLECore
import BLEGATT

extension Language {
  static let serviceTables = [
    service, include, characteristic, show, permissions, sending, readRule, writeRule, condition, effect, ruleEffect,
  ]

  static let accessNames = ["none", "encrypted", "authenticated", "secure-connections", "forbidden"]

  static let shippedServices = ShippedTexts.services

  /// The transports of a service or channel.
  static let transports = KeyTable.Key(
    name: "transports", type: .list(.names(LinkTransport.allCases.map(\.rawValue))),
    summary: "The transports over which a central finds it, of those of the accessory (default: all): [le] or [br-edr]."
  )

  static let service = KeyTable(
    name: "service",
    keys: [
      .init(name: "id", type: .text, summary: "Its name in the control API (default: the name of its UUID)."),
      .init(name: "uuid", type: .uuid, summary: "The type of the service.", isRequired: true),
      .init(name: "primary", type: .boolean, summary: "Whether it is a primary service (default: true)."),
      .init(name: "includes", type: .list(.text), summary: "The ids of included services."),
      .init(
        name: "handle", type: handleType, summary: "The handle of its declaration (default: assigned automatically)."),
      .init(
        name: "authorization", type: authorizationType,
        summary: "Whether clients may use it, if it needs authorization (default: it needs none)."),
      transports,
      .init(
        name: "characteristics", type: .list(.mapping("characteristic")),
        summary: "The characteristics, in the order of their handles."),
    ])

  static let include = KeyTable(
    name: "include",
    keys: [
      .init(
        name: "include", type: .choice([.names(shippedServices), .text]),
        summary: "A shipped service, or a file with one, relative to the profile: ./my-service.yaml.",
        isRequired: true),
      .init(
        name: "id", type: .text, summary: "Another id for the service, and a prefix for the ids of its characteristics."
      ),
      .init(
        name: "set", type: .dictionary(.any),
        summary:
          "Single keys of its characteristics, as NAME.KEY or deeper, and their new values: "
          + "measurement.value.bpm."
      ),
      .init(name: "omit", type: .list(.text), summary: "Characteristics to leave out."),
      .init(name: "primary", type: .boolean, summary: "Whether it is a primary service (default: true)."),
      .init(name: "includes", type: .list(.text), summary: "The ids of included services."),
      .init(
        name: "handle", type: handleType, summary: "The handle of its declaration (default: assigned automatically)."),
      .init(
        name: "authorization", type: authorizationType,
        summary: "Whether clients may use it, if it needs authorization."),
      transports,
      .init(
        name: "characteristics", type: .list(.mapping("characteristic")), summary: "Further characteristics."),
    ], allowsOthers: true)

  static let characteristic = KeyTable(
    name: "characteristic",
    keys: [
      .init(name: "id", type: .text, summary: "Its name in the control API (default: the name of its UUID)."),
      .init(name: "uuid", type: .uuid, summary: "The type of the characteristic.", isRequired: true),
      .init(
        name: "properties",
        type: .list(.names(CharacteristicProperties.names.map(\.name) + ExtendedProperties.names.map(\.name))),
        summary: "The characteristic properties.", isRequired: true),
      .init(
        name: "handle", type: .integer(1...0xFFFE),
        summary: "The handle of its declaration, one before that of its value (default: assigned automatically)."),
      .init(
        name: "permissions", type: .mapping("permissions"),
        summary: "The security that clients need (default: none, for what the properties permit)."),
      .init(name: "value", type: .value, summary: "Its value, or a generator."),
      .init(
        name: "format", type: .format,
        summary: "What its octets mean (default: the assigned format, for many assigned characteristics)."),
      .init(
        name: "show", type: showType,
        summary: "How the dashboard shows its value (default: as its format suggests); centrals notice nothing."),
      .init(
        name: "persistent", type: .boolean,
        summary: "Whether a value that was written or set is kept for the next start (default: false)."),
      .init(
        name: "per", type: .names(owners),
        summary:
          "Whether each connection, or each bonded central, has its own value, initially that of the accessory."),
      .init(name: "max-length", type: .integer(0...512), summary: "The maximum length of a written value, in octets."),
      .init(name: "fixed-length", type: .boolean, summary: "Whether only values of the full length may be written."),
      .init(name: "description", type: .text, summary: "A Characteristic User Description."),
      .init(
        name: "presentation-format",
        type: .choice([.mapping("presentation-format"), .list(.mapping("presentation-format"))]),
        summary: "A Characteristic Presentation Format, or several."),
      .init(
        name: "aggregate-format", type: .choice([.boolean, .list(.text)]),
        summary:
          "A Characteristic Aggregate Format with its own presentation formats, which is the default if there "
          + "are several; or with those of the characteristics with these ids."
      ),
      .init(
        name: "valid-range", type: .mapping("valid-range"),
        summary: "A Valid Range descriptor. It tells centrals what to write; no write is refused because of it."),
      .init(name: "report-reference", type: .mapping("report-reference"), summary: "A Report Reference descriptor."),
      .init(
        name: "external-report-reference", type: .uuid,
        summary: "An External Report Reference: the characteristic of another service to which the report map refers."),
      .init(name: "descriptors", type: .list(.mapping("descriptor")), summary: "Further descriptors."),
      .init(
        name: "notify", type: .choice([.names(["on-change", "on-demand"]), .mapping("sending")]),
        summary: "When subscribers are notified (default: on-change)."),
      .init(
        name: "indicate", type: .choice([.names(["on-change", "on-demand"]), .mapping("sending")]),
        summary: "When subscribers get indications (default: on-change)."),
      .init(
        name: "on-write", type: .list(.mapping("write-rule")),
        summary: "What writes do; the first rule that matches applies."),
      .init(
        name: "rules", type: .list(.mapping("rule")),
        summary: "What the accessory does when it is used, or something else happens."),
      .init(
        name: "packets", type: .mapping("packets"),
        summary: "How writes are assembled into packets, which on-write and rules then see."),
      .init(
        name: "numbered", type: .mapping("numbering"),
        summary: "The number that each written value contains; gaps are reported as the event write-gap."),
      .init(
        name: "control-point", type: .mapping("control-point"),
        summary: "Commands that clients write, instead of on-write."),
      .init(
        name: "announces", type: .names([NotificationTable.id]),
        summary: "Subscribers learn which notifications are added, modified and removed, as with the Notification "
          + "Source of ANCS."),
      .init(name: "on-read", type: .mapping("read-rule"), summary: "How reads are answered."),
      .init(
        name: "authorization", type: authorizationType,
        summary: "Whether clients may use it, if it needs authorization (default: as for its service)."),
    ])

  static let permissions = KeyTable(
    name: "permissions",
    keys: [
      .init(name: "read", type: .names(accessNames), summary: "The security that a reader's link needs."),
      .init(name: "write", type: .names(accessNames), summary: "The security that a writer's link needs."),
      .init(
        name: "subscribe", type: .names(accessNames),
        summary: "The security needed to write its Client or Server Characteristic Configuration."),
      keySize,
    ])

  /// The minimum key size of links that must be encrypted.
  static let keySize = KeyTable.Key(
    name: "key-size", type: .integer(7...16),
    summary: "The minimum encryption key size in octets, if encryption is required (default: any).")

  static let sending = KeyTable(
    name: "sending",
    keys: [
      .init(
        name: "every", type: .choice([.withinDay, .names(["buffer"])]),
        summary: "The interval; or buffer, whenever a controller buffer is free."),
      .init(
        name: "change", type: .number,
        summary: "Instead of every: how far the number must differ from the one sent last."),
      .init(name: "of", type: .text, summary: "The field that 'change' compares, for a value with fields."),
    ])

  static let readRule = KeyTable(
    name: "read-rule",
    keys: [
      .init(
        name: "if", type: .expression,
        summary: "Which reads it applies to; the others get the value at once (default: all)."),
      .init(name: "error", type: errorType, summary: "The error in response to reads."),
    ] + answering)

  /// The keys that determine when an access is answered.
  private static let answering: [KeyTable.Key] = [
    .init(name: "after", type: .wait, summary: "The delay of the answer (default: none)."),
    .init(
      name: "ask", type: .boolean,
      summary: "Whether the answer comes from a question in the control API (default: false)."),
    .init(name: "within", type: .wait, summary: "The time to answer the question (default: 25 s)."),
    .init(
      name: "else", type: errorType, summary: "The error if there is no answer (default: unlikely-error)."),
  ]

  static let writeRule = KeyTable(
    name: "write-rule",
    keys: [
      .init(
        name: "when", type: .choice([.octets, .mapping("condition")]),
        summary: "What is written by the writes that it applies to."),
      .init(name: "if", type: .expression, summary: "A condition that must also be true."),
      .init(name: "do", type: effectsType, summary: "The action; one action or a list."),
      .init(name: "error", type: errorType, summary: "The error in response to them, instead of do."),
      .init(
        name: "otherwise", type: effectsType, summary: "The action for all other writes, instead of when and do."),
    ] + answering)

  static let condition = KeyTable(
    name: "condition",
    keys: [
      .init(
        name: "length", type: .choice([.integer(0...512), .list(.integer(0...512))]),
        summary: "The number of octets, or the minimum and the maximum."),
      .init(name: "first", type: .integer(0...255), summary: "The first octet."),
    ])

  static let effect = KeyTable(
    name: "effect",
    keys: [
      .init(
        name: "reset", type: .text, summary: "A characteristic, or a field as ID.FIELD, whose generators are restarted."
      ),
      .init(name: "set", type: .dictionary(.value), summary: "Characteristics and variables, and their new values."),
      .init(name: "copy", type: .text, summary: "A characteristic to which the written value is copied."),
      .init(name: "notify", type: .text, summary: "A characteristic whose subscribers are notified."),
      .init(name: "indicate", type: .text, summary: "A characteristic whose subscribers get an indication."),
      .init(
        name: "reply", type: .dictionary(.value),
        summary: "Characteristics, and values that are sent to the client in as many notifications as they take."),
      .init(
        name: "transmit", type: .dictionary(.value),
        summary: "Channels with the handler rules, and the octets that the client gets on them."),
      .init(
        name: "add", type: .dictionary(.dictionary(.value)),
        summary: "Tables, and records to add to them; above 1,000 the oldest is removed."),
      .init(name: "enter", type: .text, summary: "The state to enter."),
      .init(name: "advertise", type: .text, summary: "An advertising set to start."),
      .init(name: "stop-advertising", type: .text, summary: "An advertising set to stop."),
      .init(name: "publish", type: .text, summary: "A channel of the profile to publish again."),
      .init(name: "withdraw", type: .text, summary: "A channel to withdraw."),
      .init(name: "add-service", type: .text, summary: "A service of the profile to add again."),
      .init(name: "remove-service", type: .text, summary: "A service of the profile to remove."),
      .init(
        name: "discoverable", type: discoverability,
        summary: "Whether inquiries find it from now on: general, no, or for how long, in limited discoverable mode."),
      .init(
        name: "connectable", type: .boolean, summary: "Whether it accepts connections over BR/EDR from now on."),
      .init(
        name: "forget-bonds", type: .names(["client", "others", "all"]),
        summary: "The bonds to delete: the client's, all others, or all."),
      .init(
        name: "error", type: errorType,
        summary: "The error in response to the write, whose value is then not stored. Other actions are performed."),
    ])

  /// The effects of rules, where there is no write that could be refused.
  static let ruleEffect = KeyTable(name: "rule-effect", keys: effect.keys.filter { $0.name != "error" })

  static let errorType = ValueType.choice([.integer(1...255), .names(ErrorNames.all.map(\.name))])
}
