import AccessoryProfile
import Testing
import Understudy

/// Checks events against the schema that is generated from their list.
enum EventSchema {
  private static let schemas = EventCatalogue.schema["oneOf"]?.elements ?? []

  /// Returns the mistakes in an event according to the JSON Schema.
  static func mistakes(in event: ProfileValue) -> [String] {
    guard let name = event["event"], let schema = schemas.first(where: { $0["title"] == name }) else {
      return ["\(event) is not in the list"]
    }
    let required = schema["required"]?.elements ?? []
    let missing = required.filter { field in
      if case .string(let field) = field { event[field] == nil } else { true }
    }
    var mistakes = missing.map { "\(name) lacks \($0)" }
    for field in event.fieldNames {
      guard let value = event[field] else { continue }
      guard let expected = schema["properties"]?[field] else {
        mistakes.append("\(name) has \(field)")
        continue
      }
      if !fits(value, expected) { mistakes.append("\(field) of \(name) is \(value)") }
    }
    return mistakes
  }

  private static func fits(_ value: ProfileValue, _ schema: ProfileValue) -> Bool {
    switch (schema["type"], value) {
    case (nil, _), (.string("string")?, .string), (.string("boolean")?, .bool), (.string("object")?, .object): true
    case (.string("integer")?, .int), (.string("integer")?, .unsigned): true
    case (.string("number")?, _): value.number != nil
    case (.string("array")?, .array(let elements)):
      schema["items"].map { items in elements.allSatisfy { fits($0, items) } } ?? true
    default: false
    }
  }
}

extension AccessoryEvent {
  /// Returns the event, which must match the schema.
  func checked() -> AccessoryEvent {
    #expect(EventSchema.mistakes(in: json) == [])
    return self
  }
}
