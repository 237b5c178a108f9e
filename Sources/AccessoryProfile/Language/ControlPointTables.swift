extension Language {
  static let controlPointTables = [
    controlPoint, outcome, command, terminatedParameter, attributeParameter, attribute, recordsParameter, check,
    commandEffect,
    responsePart, authorization,
  ]

  static let controlPoint = KeyTable(
    name: "control-point",
    keys: [
      .init(
        name: "answer", type: .text,
        summary: "The characteristic that carries the responses; the control point itself if not given."),
      .init(
        name: "response", type: partsType,
        summary:
          "The response to commands without one of their own, and of what fails with a result; none if not given."),
      .init(name: "success", type: .integer(0...255), summary: "The result of what succeeds; 1 if not given."),
      .init(
        name: "unknown", type: .mapping("outcome"), summary: "What becomes of opcodes without a command.",
        isRequired: true),
      .init(
        name: "malformed", type: .mapping("outcome"),
        summary: "What becomes of parameters that are too short, too long, or none of their format.", isRequired: true),
      .init(
        name: "busy", type: .mapping("outcome"),
        summary:
          "What becomes of commands while the client's last one is not answered; if not given, answers wait in line."
      ),
      .init(
        name: "unsubscribed", type: .mapping("outcome"),
        summary:
          "What becomes of commands of clients that do not take responses; if not given, they are done in silence."),
      .init(name: "commands", type: .list(.mapping("command")), summary: "The commands.", isRequired: true),
    ])

  static let outcome = KeyTable(
    name: "outcome",
    keys: [
      .init(name: "error", type: errorType, summary: "The error that the write is answered with."),
      .init(name: "result", type: .integer(0...255), summary: "The result that the response says."),
    ])

  static let command = KeyTable(
    name: "command",
    keys: [
      .init(name: "opcode", type: .integer(0...255), summary: "The first octet.", isRequired: true),
      .init(
        name: "while-busy", type: .boolean,
        summary: "Whether clients may give it while their last one is not answered; false if not given."),
      .init(
        name: "parameters", type: .dictionary(.value),
        summary: "What follows it: names and formats. Only the last may have no fixed size."),
      .init(
        name: "require", type: .list(.mapping("check")), summary: "What must hold, in this order; the first that fails."
      ),
      .init(
        name: "do",
        type: effects("command-effect", commandWords), summary: "What is done then; one thing or a list."),
      .init(
        name: "response", type: partsType,
        summary: "Another response than the control point's when it succeeds; [] for none."),
    ])

  /// What a command can do that is one word.
  static let commandWords = effectWords + ["remove-row", "stop"]

  static let terminatedParameter = KeyTable(
    name: "terminated-parameter",
    keys: [.init(name: "terminated", type: .names(["utf8"]), summary: "Text up to an octet 0.", isRequired: true)])

  static let attributeParameter = KeyTable(
    name: "attribute-parameter",
    keys: [
      .init(
        name: "attributes", type: .list(.mapping("attribute")),
        summary: "Columns of the record that was found, which clients ask for by number.", isRequired: true),
      .init(
        name: "else", type: .mapping("outcome"), summary: "What becomes of other numbers; as malformed if not given."),
    ])

  static let attribute = KeyTable(
    name: "attribute",
    keys: [
      .init(name: "number", type: .integer(0...255), summary: "The number.", isRequired: true),
      .init(name: "column", type: .text, summary: "The column whose text is the answer.", isRequired: true),
      .init(
        name: "maximum", type: .boolean,
        summary: "Whether the longest length follows the number, in two octets; false if not given."),
      .init(
        name: "size", type: .boolean,
        summary: "Whether the answer is the length of the text, in decimal; false if not given."),
    ])

  static let recordsParameter = KeyTable(
    name: "records-parameter",
    keys: [
      .init(
        name: "records", type: .text,
        summary: "A table of which an operator and its operand choose records, as in the Record Access Control Point.",
        isRequired: true),
      .init(
        name: "filters", type: .dictionary(.text),
        summary: "Numbers of filter types, and the columns that they look at; none if not given."),
      .init(
        name: "invalid-operator", type: .mapping("outcome"),
        summary: "What becomes of an operator that is none; as malformed if not given, like those below."),
      .init(
        name: "unsupported-operator", type: .mapping("outcome"), summary: "What becomes of an operator above 6."),
      .init(
        name: "invalid-operand", type: .mapping("outcome"),
        summary: "What becomes of an operand that does not belong to its operator."),
      .init(
        name: "unsupported-operand", type: .mapping("outcome"), summary: "What becomes of other filter types."),
    ])

  static let check = KeyTable(
    name: "check",
    keys: [
      .init(name: "parameter", type: .text, summary: "A parameter, which 'in' or 'from' and 'to' are about."),
      .init(name: "in", type: .list(.value), summary: "The values that it may have."),
      .init(name: "from", type: .number, summary: "The smallest number that it may be."),
      .init(name: "to", type: .number, summary: "The largest number that it may be."),
      .init(name: "row", type: .text, summary: "A table in which there is a record with the key."),
      .init(name: "key", type: .text, summary: "The parameter that is the key."),
      .init(name: "filled", type: .text, summary: "A column of the record whose text is not empty."),
      .init(name: "filled-by", type: .text, summary: "A parameter that names such a column."),
      .init(name: "found", type: .text, summary: "A parameter that chooses one record at least."),
      .init(name: "subscribed", type: .text, summary: "A characteristic that the client has subscribed to."),
      .init(name: "channel", type: .text, summary: "A channel with the handler rules that the client has open."),
      .init(name: "value", type: .text, summary: "A characteristic whose value 'is' is about."),
      .init(name: "is", type: .value, summary: "The value that it has."),
      .init(name: "if", type: .expression, summary: "A condition on parameters and anything else."),
      .init(
        name: "else", type: .mapping("outcome"),
        summary: "What becomes of the command otherwise; as malformed if not given."
      ),
    ])

  static let commandEffect = KeyTable(
    name: "command-effect",
    keys: effect.keys.filter { $0.name != "error" } + [
      .init(
        name: "assign", type: .dictionary(.text),
        summary: "Characteristics, or fields as ID.FIELD, and the parameters whose values they get."),
      .init(
        name: "clear", type: .text,
        summary: "A table that loses its records, or a parameter that chooses those that go."),
      .init(
        name: "send", type: .dictionary(.text),
        summary:
          "Tables, or parameters that choose records, and the characteristics by whose notifications the client gets them."
      ),
    ])

  static let responsePart = KeyTable(
    name: "response-part",
    keys: [
      .init(name: "value", type: .text, summary: "A characteristic whose value stands here."),
      .init(name: "compute", type: .expression, summary: "Octets that are computed."),
      .init(name: "column", type: .text, summary: "A column of the record that was found."),
      .init(
        name: "count", type: .text,
        summary: "A table, or a parameter that chooses records; how many there are, in two octets."),
    ])

  static let authorization = KeyTable(
    name: "authorization",
    keys: [
      .init(
        name: "state", type: .names(AuthorizationState.allCases.map(\.rawValue)),
        summary: "Whether clients may at the start.", isRequired: true),
      .init(
        name: "error", type: errorType,
        summary: "The answer while they may not; insufficient-authorization if not given."),
      .init(
        name: "within", type: .duration,
        summary: "How long somebody has who is asked, before the answer is that; 25 s if not given."),
    ])

  /// What stands behind `authorization` of a service or a characteristic.
  static let authorizationType = ValueType.choice([
    .names(AuthorizationState.allCases.map(\.rawValue)), .mapping("authorization"),
  ])

  private static let partsType = ValueType.list(.choice([.octets, .text, .mapping("response-part")]))
}
