import AccessoryProfile

extension Shape {
  /// The shape as JSON Schema (draft 2020-12).
  var schema: ProfileValue { .object(keywords) }

  private var keywords: [String: ProfileValue] {
    switch self {
    case .any: [:]
    case .null: ["type": .string("null")]
    case .truth: ["type": .string("boolean")]
    case .integer(let range):
      ["type": .string("integer"), "minimum": .int(range.lowerBound), "maximum": .int(range.upperBound)]
    case .number(let range):
      range.upperBound > 1e300
        ? ["type": .string("number")]
        : ["type": .string("number"), "minimum": .double(range.lowerBound), "maximum": .double(range.upperBound)]
    case .text(let least):
      least == 0 ? ["type": .string("string")] : ["type": .string("string"), "minLength": .int(Int64(least))]
    case .words(let known): ["type": .string("string"), "enum": .array(known.map { .string($0) })]
    case .hex: ["type": .string("string"), "pattern": .string("^([ :_-]*[0-9A-Fa-f]{2})*[ :_-]*$")]
    case .duration:
      ["type": .string("string"), "pattern": .string("^[0-9]{1,4}(\\.[0-9]{1,3})? ?(us|ms|s|min|h|d)$")]
    case .list(let element, let counts): Self.keywords(element, counts)
    case .map(let element): ["type": .string("object"), "additionalProperties": element.schema]
    case .object(let fields, let isOpen): Self.keywords(fields, isOpen)
    case .either(let shapes, _): ["anyOf": .array(shapes.map(\.schema))]
    }
  }

  private static func keywords(_ element: Shape, _ counts: ClosedRange<Int>) -> [String: ProfileValue] {
    var keywords: [String: ProfileValue] = ["type": .string("array"), "items": element.schema]
    if counts.lowerBound > 0 { keywords["minItems"] = .int(Int64(counts.lowerBound)) }
    if counts.upperBound < .max { keywords["maxItems"] = .int(Int64(counts.upperBound)) }
    return keywords
  }

  private static func keywords(_ fields: [Field], _ isOpen: Bool) -> [String: ProfileValue] {
    var keywords: [String: ProfileValue] = [
      "type": .string("object"),
      "properties": .object(
        Dictionary(fields.map { ($0.name, $0.schema) }, uniquingKeysWith: { first, _ in first })),
    ]
    let required = fields.filter(\.isRequired).map { ProfileValue.string($0.name) }
    if !required.isEmpty { keywords["required"] = .array(required) }
    if !isOpen { keywords["additionalProperties"] = .bool(false) }
    return keywords
  }
}

extension Shape.Field {
  fileprivate var schema: ProfileValue {
    guard !about.isEmpty, case .object(var keywords) = shape.schema else { return shape.schema }
    keywords["description"] = .string(about)
    return .object(keywords)
  }
}
