import BLECore

/// The JSON schemas of profiles, scenarios and fleets, for editors. They are derived from the same tables as the loaders.
package struct ProfileSchema {
  /// The identifier of the schema, which does not depend on where its file is.
  private let identifier: String
  private let title: String
  /// The table of the whole file, followed by those that it refers to.
  private let tables: [KeyTable]
  /// Whether `${NAME}` is allowed everywhere.
  private let hasParameters: Bool

  /// The schema of profiles.
  package static let profile = ProfileSchema(
    identifier: "urn:understudy:profile:\(Language.version)",
    title: "Understudy profile, version \(Language.version)", tables: Language.tables, hasParameters: false)
  /// The schema of scenarios.
  package static let scenario = ProfileSchema(
    identifier: "urn:understudy:scenario:1", title: "Understudy scenario",
    tables: Language.scenarioTables + Language.tables, hasParameters: true)

  /// The schema of fleets.
  package static let fleet = ProfileSchema(
    identifier: "urn:understudy:fleet:1", title: "Understudy fleet", tables: Language.fleetTables + Language.tables,
    hasParameters: false)

  /// The text of the schema (JSON Schema draft 7, which YAML editors support).
  package var json: String {
    let definitions = tables.dropFirst().map { ($0.name, JSONText.object(definition(of: $0))) }
    return JSONText.object(
      [
        ("$schema", .string("http://json-schema.org/draft-07/schema#")), ("$id", .string(identifier)),
        ("title", .string(title)),
      ]
        + definition(of: tables[0]) + [("definitions", .object(definitions + shared))]
    ).rendered() + "\n"
  }

  private func definition(of table: KeyTable) -> [(String, JSONText)] {
    var result: [(String, JSONText)] = [("type", .string("object"))]
    let required = table.keys.filter(\.isRequired).map { JSONText.string($0.name) }
    if !required.isEmpty { result.append(("required", .array(required))) }
    if let alternatives = Self.exclusive[table.name] {
      result.append(
        ("oneOf", .array(alternatives.map { .object([("required", .array([.string($0)]))]) })))
    }
    if table.name == Language.scenarioStep.name {
      // `value` is also a key of some actions.
      let actions = Language.scenarioActions.map { JSONText.object([("required", .array([.string($0)]))]) }
      result.append(("anyOf", .array(actions)))
    }
    if hasParameters { result.append(("patternProperties", .object([(Self.parameter, .object([]))]))) }
    // An include also accepts the keys of the included service.
    if !table.allowsOthers { result.append(("additionalProperties", .boolean(false))) }
    result.append(
      (
        "properties",
        .object(
          table.keys.map { key in
            (key.name, .object([("description", .string(description(of: key)))] + schema(of: key.type)))
          })
      ))
    return result
  }

  private func description(of key: KeyTable.Key) -> String {
    guard let (range, step) = key.type.durations else { return key.summary }
    return "\(key.summary) \(Durations.text(range, step))."
  }

  /// The mappings that have exactly one of certain keys.
  private static let exclusive = [
    "outcome": ["error", "result"], "condition": ["length", "first"], "packets": ["length", "end"],
    "sending": ["every", "change"], "trigger": Language.trigger.names.filter { $0 != "until" },
    "check": ["parameter", "row", "filled", "filled-by", "found", "subscribed", "channel", "value", "if"],
    "response-part": Language.responsePart.names, "client-step": Language.clientActions,
  ]

  /// The start of a parameter in a scenario.
  private static let parameter = #"\$\{"#
  /// A parameter of a profile, used instead of a value.
  private static let argument = #"^\$[a-z]"#

  private func schema(of type: ValueType) -> [(String, JSONText)] {
    let schema = bareSchema(of: type)
    guard hasParameters, !schema.isEmpty else { return schema }
    let parameter = JSONText.object([("type", .string("string")), ("pattern", .string(Self.parameter))])
    return [("anyOf", .array([.object(schema), parameter]))]
  }

  private func bareSchema(of type: ValueType) -> [(String, JSONText)] {
    switch type {
    case .text: [("type", types("string", "number", "boolean"))]
    case .boolean: orArgument("boolean")
    case .integer(let range):
      orArgument("integer")
        + (range.lowerBound == .min ? [] : [("minimum", .integer(range.lowerBound))])
        + (range.upperBound == .max ? [] : [("maximum", .integer(range.upperBound))])
    case .number: orArgument("number")
    // The limits are in the description, because no pattern can express them.
    case .duration: reference("duration")
    case .octets: reference("octets")
    case .scalar: [("type", types("string", "number", "boolean"))]
    case .any: []
    case .expression: [("type", types("string", "number", "boolean")), ("minLength", .integer(1))]
    case .uuid: reference("uuid")
    case .appearance: reference("appearance")
    case .names(let names):
      [
        (
          "anyOf",
          .array([.object([("enum", .array(names.map { .string($0) }))]), .object(reference("argument"))])
        )
      ]
    case .list(let member): [("type", .string("array")), ("items", .object(schema(of: member)))]
    case .mapping(let name): reference(name)
    case .dictionary(let member):
      [("type", .string("object")), ("additionalProperties", .object(schema(of: member)))]
    case .choice(let choices): [("anyOf", .array(choices.map { .object(schema(of: $0)) }))]
    case .value: reference("value")
    case .format: reference("format")
    }
  }

  /// Returns the type of a scalar, or of a parameter in its place. A pattern applies only to text.
  private func orArgument(_ type: String) -> [(String, JSONText)] {
    [("type", types(type, "string")), ("pattern", .string(Self.argument))]
  }

  private func types(_ names: String...) -> JSONText { .array(names.map { .string($0) }) }

  private func reference(_ name: String) -> [(String, JSONText)] {
    // In draft 7, everything next to a reference is ignored.
    [("allOf", .array([.object([("$ref", .string("#/definitions/\(name)"))])]))]
  }

  /// Definitions that several keys share.
  private var shared: [(String, JSONText)] {
    let units = Durations.units.map(\.name).joined(separator: "|")
    let generators = Language.generators.map { JSONText.object(reference($0.name)) }
    let formats = Language.formats.map { JSONText.object(reference($0.name)) }
    let simple = JSONText.object([("type", types("string", "number", "boolean", "array"))])
    // A field of a value may have the name of one of the other generators.
    let heads = ["constant", "wave", "ramp", "random", "pattern", "intervals", "compute", "replay"]
    let fields = JSONText.object([
      ("type", .string("object")),
      (
        "not",
        .object([("anyOf", .array(heads.map { .object([("required", .array([.string($0)]))]) }))])
      ),
    ])
    return [
      (
        "duration",
        .object([("type", .string("string")), ("pattern", .string("^([0-9]+(\\.[0-9]+)? ?(\(units))|\\$[a-z].*)$"))])
      ),
      ("argument", .object([("type", .string("string")), ("pattern", .string(Self.argument))])),
      ("octets", .object([("type", types("string", "integer", "array"))])),
      (
        "appearance",
        .object([
          (
            "anyOf",
            .array([
              .object([("enum", .array(Appearance.allNames.map { .string($0) }))]),
              .object(orArgument("integer")),
            ])
          )
        ])
      ),
      ("value", .object([("anyOf", .array(generators + [simple, fields]))])),
      (
        "uuid",
        .object([
          ("type", types("string", "number")),
          (
            "pattern",
            .string(
              "^(uuid: ?)?([0-9A-Fa-f]{4}|[0-9A-Fa-f]{8}|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|\\$?[a-z][a-z0-9-]*)$"
            )
          ),
        ])
      ),
      ("format", .object([("anyOf", .array([.object([("type", .string("string"))])] + formats))])),
    ]
  }
}
