extension Language {
  package static let controlPointTables = [
    controlPoint, outcome, command, terminatedParameter, attributeParameter, attribute, recordsParameter, check,
    commandEffect,
    responsePart, authorization,
  ]

  static let controlPoint = KeyTable(
    name: "control-point",
    keys: [
      .init(
        name: "answer", type: .text,
        summary: "The characteristic that carries the responses (default: the control point itself)."),
      .init(
        name: "response", type: partsType,
        summary:
          "The response to commands that have none of their own, and to those that fail with a result (default: "
          + "none)."),
      .init(name: "success", type: .integer(0...255), summary: "The result of commands that succeed (default: 1)."),
      .init(
        name: "unknown", type: .mapping("outcome"), summary: "The outcome for unknown opcodes.",
        isRequired: true),
      .init(
        name: "malformed", type: .mapping("outcome"),
        summary: "The outcome for parameters that are too short, too long, or invalid in their format.",
        isRequired: true),
      .init(
        name: "busy", type: .mapping("outcome"),
        summary:
          "The outcome for commands that arrive before the client's previous one is answered (default: "
          + "responses are queued)."
      ),
      .init(
        name: "unsubscribed", type: .mapping("outcome"),
        summary:
          "The outcome for commands from clients that have not subscribed to responses (default: executed "
          + "without a response)."),
      .init(name: "commands", type: .list(.mapping("command")), summary: "The commands.", isRequired: true),
    ])

  static let outcome = KeyTable(
    name: "outcome",
    keys: [
      .init(name: "error", type: errorType, summary: "The error in response to the write."),
      .init(name: "result", type: .integer(0...255), summary: "The result in the response."),
    ])

  static let command = KeyTable(
    name: "command",
    keys: [
      .init(name: "opcode", type: .integer(0...255), summary: "The first octet.", isRequired: true),
      .init(
        name: "while-busy", type: .boolean,
        summary: "Whether clients may send it before their previous command is answered (default: false)."),
      .init(
        name: "parameters", type: .dictionary(.value),
        summary: "The parameters after the opcode: names and formats. Only the last may have no fixed size."),
      .init(
        name: "require", type: .list(.mapping("check")),
        summary: "Conditions, checked in this order; the first that fails decides."
      ),
      .init(
        name: "do",
        type: effects("command-effect", commandWords), summary: "The action; one action or a list."),
      .init(
        name: "response", type: partsType,
        summary: "A response on success that replaces the control point's; [] for none."),
    ])

  /// The effects of a command that consist of a single word.
  static let commandWords = effectWords + ["remove-row", "stop"]

  static let terminatedParameter = KeyTable(
    name: "terminated-parameter",
    keys: [.init(name: "terminated", type: .names(["utf8"]), summary: "Text up to an octet 0.", isRequired: true)])

  static let attributeParameter = KeyTable(
    name: "attribute-parameter",
    keys: [
      .init(
        name: "attributes", type: .list(.mapping("attribute")),
        summary: "Columns of the selected record, which clients request by number.", isRequired: true),
      .init(
        name: "else", type: .mapping("outcome"), summary: "The outcome for other numbers (default: that of malformed)."),
    ])

  static let attribute = KeyTable(
    name: "attribute",
    keys: [
      .init(name: "number", type: .integer(0...255), summary: "The number.", isRequired: true),
      .init(name: "column", type: .text, summary: "The column that provides the text.", isRequired: true),
      .init(
        name: "maximum", type: .boolean,
        summary: "Whether the maximum length follows the number, in two octets (default: false)."),
      .init(
        name: "size", type: .boolean,
        summary: "Whether the attribute is the length of the text, in decimal (default: false)."),
    ])

  static let recordsParameter = KeyTable(
    name: "records-parameter",
    keys: [
      .init(
        name: "records", type: .text,
        summary: "A table from which an operator and its operand select records, as in the Record Access Control "
          + "Point.",
        isRequired: true),
      .init(
        name: "filters", type: .dictionary(.text),
        summary: "Filter type numbers, and the columns that they compare (default: none)."),
      .init(
        name: "invalid-operator", type: .mapping("outcome"),
        summary: "The outcome for a missing or zero operator (default: that of malformed; the same for the keys "
          + "below)."),
      .init(
        name: "unsupported-operator", type: .mapping("outcome"), summary: "The outcome for an operator above 6."),
      .init(
        name: "invalid-operand", type: .mapping("outcome"),
        summary: "The outcome for an operand that does not fit its operator."),
      .init(
        name: "unsupported-operand", type: .mapping("outcome"), summary: "The outcome for other filter types."),
    ])

  static let check = KeyTable(
    name: "check",
    keys: [
      .init(name: "parameter", type: .text, summary: "A parameter, to compare with 'in', or with 'from' and 'to'."),
      .init(name: "in", type: .list(.value), summary: "The values that the parameter may have."),
      .init(name: "from", type: .number, summary: "The smallest permitted number."),
      .init(name: "to", type: .number, summary: "The largest permitted number."),
      .init(name: "row", type: .text, summary: "A table that must have a record with the key."),
      .init(name: "key", type: .text, summary: "The parameter that contains the key."),
      .init(name: "filled", type: .text, summary: "A column of the record, whose text must not be empty."),
      .init(name: "filled-by", type: .text, summary: "A parameter that names such a column."),
      .init(name: "found", type: .text, summary: "A parameter that must select at least one record."),
      .init(name: "subscribed", type: .text, summary: "A characteristic to which the client must have subscribed."),
      .init(
        name: "channel", type: .text, summary: "A channel with the handler rules, which the client must have open."),
      .init(name: "value", type: .text, summary: "A characteristic whose value is compared with 'is'."),
      .init(name: "is", type: .value, summary: "The value that it must have."),
      .init(name: "if", type: .expression, summary: "A condition, which may refer to the parameters."),
      .init(
        name: "else", type: .mapping("outcome"),
        summary: "The outcome if the check fails (default: that of malformed)."
      ),
    ])

  static let commandEffect = KeyTable(
    name: "command-effect",
    keys: effect.keys.filter { $0.name != "error" } + [
      .init(
        name: "assign", type: .dictionary(.text),
        summary: "Characteristics, or fields as ID.FIELD, and the parameters whose values they are set to."),
      .init(
        name: "clear", type: .text,
        summary: "A table whose records are all removed, or a parameter that selects those to remove."),
      .init(
        name: "send", type: .dictionary(.text),
        summary:
          "Tables, or parameters that select records, and the characteristics whose notifications carry the "
          + "records to the client."
      ),
    ])

  static let responsePart = KeyTable(
    name: "response-part",
    keys: [
      .init(name: "value", type: .text, summary: "A characteristic whose value is inserted."),
      .init(name: "compute", type: .expression, summary: "Computed octets."),
      .init(name: "column", type: .text, summary: "A column of the selected record."),
      .init(
        name: "count", type: .text,
        summary: "A table, or a parameter that selects records, whose number is inserted in two octets."),
    ])

  static let authorization = KeyTable(
    name: "authorization",
    keys: [
      .init(
        name: "state", type: .names(AuthorizationState.allCases.map(\.rawValue)),
        summary: "The authorization at the start.", isRequired: true),
      .init(
        name: "error", type: errorType,
        summary: "The error without authorization (default: insufficient-authorization)."),
      .init(
        name: "within", type: .wait,
        summary: "The time to answer a question before the client gets the error (default: 25 s)."),
    ])

  /// The type of the key `authorization` of a service or a characteristic.
  static let authorizationType = ValueType.choice([
    .names(AuthorizationState.allCases.map(\.rawValue)), .mapping("authorization"),
  ])

  private static let partsType = ValueType.list(.choice([.octets, .text, .mapping("response-part")]))
}
