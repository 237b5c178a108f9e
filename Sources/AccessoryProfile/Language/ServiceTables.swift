import BLEGATT

extension Language {
  static let serviceTables = [
    service, include, characteristic, permissions, sending, readRule, writeRule, condition, effect, ruleEffect,
  ]

  static let accessNames = ["none", "encrypted", "authenticated", "secure-connections", "forbidden"]

  static let shippedServices = ShippedTexts.services.map(\.name)

  static let service = KeyTable(
    name: "service",
    keys: [
      .init(name: "id", type: .text, summary: "Its name in the control API; the name of its UUID if not given."),
      .init(name: "uuid", type: .uuid, summary: "What kind of service it is.", isRequired: true),
      .init(name: "primary", type: .boolean, summary: "Whether discovery finds it; true if not given."),
      .init(name: "includes", type: .list(.text), summary: "The ids of services that it refers to."),
      .init(name: "handle", type: handleType, summary: "The handle of its declaration; any if not given."),
      .init(
        name: "authorization", type: authorizationType,
        summary: "Whether clients may use it, where that has to be decided; always if not given."),
      .init(
        name: "characteristics", type: .list(.mapping("characteristic")), summary: "In the order of their handles."),
    ])

  static let include = KeyTable(
    name: "include",
    keys: [
      .init(
        name: "include", type: .choice([.names(shippedServices), .text]),
        summary: "A shipped service, or a file with one, from the profile's folder on: ./my-service.yaml.",
        isRequired: true),
      .init(name: "id", type: .text, summary: "Another id for the service, and before the ids of its characteristics."),
      .init(
        name: "set", type: .dictionary(.any),
        summary:
          "Single keys of its characteristics, as NAME.KEY or deeper, and what stands there: measurement.value.bpm."
      ),
      .init(name: "omit", type: .list(.text), summary: "Characteristics to leave out."),
      .init(name: "primary", type: .boolean, summary: "Whether discovery finds it; true if not given."),
      .init(name: "includes", type: .list(.text), summary: "The ids of services that it refers to."),
      .init(name: "handle", type: handleType, summary: "The handle of its declaration; any if not given."),
      .init(
        name: "authorization", type: authorizationType,
        summary: "Whether clients may use it, where that has to be decided."),
      .init(
        name: "characteristics", type: .list(.mapping("characteristic")), summary: "Further characteristics."),
    ], allowsOthers: true)

  static let characteristic = KeyTable(
    name: "characteristic",
    keys: [
      .init(name: "id", type: .text, summary: "Its name in the control API; the name of its UUID if not given."),
      .init(name: "uuid", type: .uuid, summary: "What kind of value it holds.", isRequired: true),
      .init(
        name: "properties",
        type: .list(.names(CharacteristicProperties.names.map(\.name) + ExtendedProperties.names.map(\.name))),
        summary: "What clients may do with it.", isRequired: true),
      .init(
        name: "handle", type: .integer(1...0xFFFE),
        summary: "The handle of its declaration, one before that of its value; any if not given."),
      .init(
        name: "permissions", type: .mapping("permissions"),
        summary: "What a client must be; what the properties say without security if not given."),
      .init(name: "value", type: .value, summary: "Its value, or what generates it."),
      .init(name: "format", type: .format, summary: "What its octets mean; known for many assigned characteristics."),
      .init(
        name: "persistent", type: .boolean,
        summary: "Whether a value that was written or set is there again at the next start; false if not given."),
      .init(name: "max-length", type: .integer(0...512), summary: "The longest value that may be written, in octets."),
      .init(name: "fixed-length", type: .boolean, summary: "Whether only values of the full length may be written."),
      .init(name: "description", type: .text, summary: "A Characteristic User Description."),
      .init(
        name: "presentation-format",
        type: .choice([.mapping("presentation-format"), .list(.mapping("presentation-format"))]),
        summary: "A Characteristic Presentation Format, or several."),
      .init(
        name: "aggregate-format", type: .choice([.boolean, .list(.text)]),
        summary:
          "A Characteristic Aggregate Format of its own presentation formats, there by itself where it has several; or of those of the characteristics with these ids."
      ),
      .init(name: "valid-range", type: .mapping("valid-range"), summary: "A Valid Range descriptor."),
      .init(name: "report-reference", type: .mapping("report-reference"), summary: "A Report Reference descriptor."),
      .init(
        name: "external-report-reference", type: .uuid,
        summary: "An External Report Reference: the characteristic of another service that a report map is about."),
      .init(name: "descriptors", type: .list(.mapping("descriptor")), summary: "Further descriptors."),
      .init(
        name: "notify", type: .choice([.names(["on-change", "on-demand"]), .mapping("sending")]),
        summary: "When subscribers are notified; on-change if not given."),
      .init(
        name: "indicate", type: .choice([.names(["on-change", "on-demand"]), .mapping("sending")]),
        summary: "When subscribers get indications; on-change if not given."),
      .init(
        name: "on-write", type: .list(.mapping("write-rule")), summary: "What writes cause; the first rule that fits."),
      .init(
        name: "rules", type: .list(.mapping("rule")),
        summary: "What happens by itself when it is used, or something else happens."),
      .init(
        name: "packets", type: .mapping("packets"),
        summary: "How writes become packets, which on-write and rules judge."),
      .init(
        name: "control-point", type: .mapping("control-point"),
        summary: "How writes are commands, in place of on-write."),
      .init(
        name: "announces", type: .names([NotificationTable.id]),
        summary: "Subscribers are told what comes, changes and goes, as by the Notification Source of ANCS."),
      .init(name: "on-read", type: .mapping("read-rule"), summary: "What reads cause."),
      .init(
        name: "authorization", type: authorizationType,
        summary: "Whether clients may use it, where that has to be decided; as its service says if not given."),
    ])

  static let permissions = KeyTable(
    name: "permissions",
    keys: [
      .init(name: "read", type: .names(accessNames), summary: "What a reader's link must be."),
      .init(name: "write", type: .names(accessNames), summary: "What a writer's link must be."),
      .init(
        name: "subscribe", type: .names(accessNames),
        summary: "What the link must be of who writes its Client or Server Characteristic Configuration."),
      keySize,
    ])

  /// The shortest key of links that have to be encrypted.
  static let keySize = KeyTable.Key(
    name: "key-size", type: .integer(7...16),
    summary: "The shortest encryption key, in octets, where the link has to be encrypted; any if not given.")

  static let sending = KeyTable(
    name: "sending",
    keys: [
      .init(
        name: "every", type: .choice([.duration, .names(["buffer"])]),
        summary: "The interval, or buffer for whenever a controller buffer is free."),
      .init(
        name: "change", type: .number,
        summary: "How far the number must be from the one that was sent last, in place of every."),
      .init(name: "of", type: .text, summary: "The field that 'change' is about, of a value with fields."),
    ])

  static let readRule = KeyTable(
    name: "read-rule",
    keys: [
      .init(
        name: "if", type: .expression,
        summary: "Which reads it is for, the others get the value at once; all if not given."),
      .init(name: "error", type: errorType, summary: "The error that reads are answered with."),
    ] + answering)

  /// When an access is answered.
  private static let answering: [KeyTable.Key] = [
    .init(name: "after", type: .duration, summary: "How long it takes until the answer; at once if not given."),
    .init(
      name: "ask", type: .boolean,
      summary: "Whether somebody is asked for the answer, over the control API; false if not given."),
    .init(name: "within", type: .duration, summary: "How long somebody has who is asked; 25 s if not given."),
    .init(
      name: "else", type: errorType, summary: "The answer when nobody has given one; unlikely-error if not given."),
  ]

  static let writeRule = KeyTable(
    name: "write-rule",
    keys: [
      .init(
        name: "when", type: .choice([.names(["any"]), .octets, .mapping("condition")]),
        summary: "Which writes it is for."),
      .init(name: "if", type: .expression, summary: "What must hold besides, of what is written or of anything else."),
      .init(name: "do", type: effectsType, summary: "What is done; one thing or a list."),
      .init(name: "error", type: errorType, summary: "The error that they are answered with, in place of do."),
      .init(
        name: "otherwise", type: effectsType, summary: "What is done with all other writes, in place of when and do."),
    ] + answering)

  static let condition = KeyTable(
    name: "condition",
    keys: [
      .init(
        name: "length", type: .choice([.integer(0...512), .list(.integer(0...512))]),
        summary: "How many octets, or the fewest and the most."),
      .init(name: "first", type: .integer(0...255), summary: "The first octet."),
    ])

  static let effect = KeyTable(
    name: "effect",
    keys: [
      .init(
        name: "reset", type: .text, summary: "A characteristic, or a field as ID.FIELD, whose generators begin again."),
      .init(name: "set", type: .dictionary(.value), summary: "Characteristics and variables, and the values they get."),
      .init(name: "copy", type: .text, summary: "A characteristic that gets what was written."),
      .init(name: "notify", type: .text, summary: "A characteristic whose subscribers are notified."),
      .init(name: "indicate", type: .text, summary: "A characteristic whose subscribers get an indication."),
      .init(
        name: "reply", type: .dictionary(.value),
        summary: "Characteristics, and values that the client gets by as many notifications as they take."),
      .init(
        name: "transmit", type: .dictionary(.value),
        summary: "Channels with the handler rules, and the octets that the client gets on them."),
      .init(
        name: "add", type: .dictionary(.dictionary(.value)),
        summary: "Tables, and records that come to them; beyond 1,000 the oldest goes."),
      .init(name: "enter", type: .text, summary: "The state that begins."),
      .init(name: "advertise", type: .text, summary: "An advertising set that goes on the air."),
      .init(name: "stop-advertising", type: .text, summary: "An advertising set that goes off the air."),
      .init(name: "publish", type: .text, summary: "A channel of the profile that is published again."),
      .init(name: "withdraw", type: .text, summary: "A channel that is published no longer."),
      .init(name: "add-service", type: .text, summary: "A service of the profile that comes back."),
      .init(name: "remove-service", type: .text, summary: "A service of the profile that goes."),
      .init(
        name: "forget-bonds", type: .names(["client", "others", "all"]),
        summary: "The bonds that are forgotten: that with the client, those with others, or all."),
      .init(name: "error", type: errorType, summary: "The error that the write is answered with."),
    ])

  /// What is done when nothing was written that could be refused.
  static let ruleEffect = KeyTable(name: "rule-effect", keys: effect.keys.filter { $0.name != "error" })

  static let errorType = ValueType.choice([.integer(1...255), .names(ErrorNames.all.map(\.name))])
}
