import AccessoryProfile

/// The meaning and fields of an event. docs/events.md and the JSON Schema of events are generated from these descriptions.
public struct EventDescription: Hashable, Sendable {
  /// One field of an event.
  public struct Field: Hashable, Sendable {
    /// The type of the field's value.
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

    /// The same field, but present only in some cases.
    var optional: Field {
      var field = self
      field.isOptional = true
      return field
    }
  }

  /// The event's name.
  public let name: String
  let about: String
  let fields: [Field]

  init(_ name: String, _ about: String, _ fields: Field...) { self.init(name, about, fields) }

  init(_ name: String, _ about: String, _ fields: [Field]) {
    (self.name, self.about, self.fields) = (name, about, fields)
  }
}
