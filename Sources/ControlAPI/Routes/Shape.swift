import AccessoryProfile
import BLECore

/// The shape of a JSON value. Requests are validated against it, and it determines the JSON Schema (`schema`).
indirect enum Shape: Sendable {
  /// A field of an object.
  struct Field: Sendable {
    let name: String
    let shape: Shape
    /// What the field is for; empty if its name says so.
    var about = ""
    var isRequired = false
  }

  /// Any value.
  case any
  case null
  case truth
  case integer(ClosedRange<Int64>)
  case number(ClosedRange<Double>)
  /// A text with a minimum length, in characters.
  case text(atLeast: Int)
  /// One of these words.
  case words([String])
  /// Pairs of hexadecimal digits, optionally with separators between them.
  case hex
  /// A number with its unit: `5 s`.
  case duration
  case list(Shape, ClosedRange<Int>)
  /// An object with only these fields, unless it is open.
  case object([Field], isOpen: Bool)
  /// An object with any keys, and values of that shape.
  case map(Shape)
  /// One of several shapes, optionally described by one text.
  case either([Shape], words: String?)

  /// Any text.
  static let text = Shape.text(atLeast: 0)
  /// A number without limits.
  static let anyNumber = Shape.number(-Double.greatestFiniteMagnitude...Double.greatestFiniteMagnitude)
  /// A whole number that counts something.
  static let count = Shape.integer(0...Int64(Int32.max))
  /// A connection handle (Core 5.4 Vol 4 Part E 5.4.2), or another number of 16 bits.
  static let number16 = Shape.integer(0...0xFFFF)

  static func object(_ fields: Field...) -> Shape { .object(fields, isOpen: false) }

  /// Returns an object that may have further fields.
  static func open(_ fields: Field...) -> Shape { .object(fields, isOpen: true) }

  static func list(_ element: Shape) -> Shape { .list(element, 0...Int.max) }

  static func either(_ shapes: Shape...) -> Shape { .either(shapes, words: nil) }

  /// The shape, or null.
  var orNull: Shape { .either([self, .null], words: nil) }
}

extension Shape.Field {
  /// Returns a required field.
  static func needed(_ name: String, _ shape: Shape, _ about: String = "") -> Shape.Field {
    Shape.Field(name: name, shape: shape, about: about, isRequired: true)
  }

  /// Returns an optional field.
  static func optional(_ name: String, _ shape: Shape, _ about: String = "") -> Shape.Field {
    Shape.Field(name: name, shape: shape, about: about)
  }
}

extension Shape {
  /// Returns what is wrong with a value, as a sentence without its period; nil if the value fits. `place` is
  /// the name of the value; empty for a whole body.
  func fault(of value: ProfileValue, at place: String = "") -> String? {
    let subject = place.isEmpty ? "the body" : place
    switch (self, value) {
    case (.any, _), (.null, .null), (.truth, .bool): return nil
    case (.text(let least), .string(let text)): return text.unicodeScalars.count >= least ? nil : "\(subject) is empty"
    case (.integer(let range), .int(let number)) where range.contains(number): return nil
    case (.number(let range), _):
      if let number = value.number, range.contains(number) { return nil }
    case (.words(let known), .string(let word)) where known.contains(word): return nil
    case (.hex, .string(let digits)) where [UInt8](hexadecimal: digits) != nil: return nil
    case (.duration, .string(let text)) where Durations.parse(text) != nil: return nil
    case (.list(let element, let counts), .array(let elements)) where counts.contains(elements.count):
      return elements.enumerated().lazy.compactMap { index, value in
        element.fault(of: value, at: "\(place)[\(index)]")
      }.first
    case (.map(let element), .object(let fields)):
      return fields.sorted { $0.key < $1.key }.lazy.compactMap { name, value in
        element.fault(of: value, at: place.isEmpty ? name : "\(place).\(name)")
      }.first
    case (.object(let known, let isOpen), .object(let fields)):
      return Self.fault(of: fields, known, isOpen: isOpen, at: place)
    case (.either(let shapes, _), _):
      if shapes.contains(where: { $0.fault(of: value, at: place) == nil }) { return nil }
    default: break
    }
    return "\(subject) must be \(words)"
  }

  private static func fault(
    of fields: [String: ProfileValue], _ known: [Field], isOpen: Bool, at place: String
  ) -> String? {
    func full(_ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }
    if !isOpen, let name = fields.keys.sorted().first(where: { name in !known.contains { $0.name == name } }) {
      let names = known.map(\.name).joined(separator: ", ")
      return "unknown field \(full(name)) (known: \(names.isEmpty ? "none" : names))"
    }
    for field in known {
      if let value = fields[field.name] {
        if let fault = field.shape.fault(of: value, at: full(field.name)) { return fault }
      } else if field.isRequired {
        return "\(full(field.name)) is missing: it must be \(field.shape.words)"
      }
    }
    return nil
  }

  /// The shape as text: `a whole number from 1 to 255`.
  var words: String {
    switch self {
    case .any: "a value"
    case .null: "null"
    case .truth: "true or false"
    case .integer(let range):
      "a whole number\(Self.words("\(range.lowerBound)", "\(range.upperBound)", range.upperBound == .max))"
    case .number(let range):
      "a number\(Self.words(Self.short(range.lowerBound), Self.short(range.upperBound), range.upperBound > 1e300))"
    case .text: "a text"
    case .words(let known): known.count == 1 ? "\"\(known[0])\"" : "one of \(known.joined(separator: ", "))"
    case .hex: "a text of pairs of hexadecimal digits, as \"0102\""
    case .duration: "a time with its unit, as \"5 s\" or \"200 ms\""
    case .list(let element, let counts):
      counts.count == 1 ? "a list of \(counts.lowerBound)" : "a list\(Self.plural(of: element))"
    case .object(let fields, _):
      fields.isEmpty ? "an object" : "an object (known: \(fields.map(\.name).joined(separator: ", ")))"
    case .map: "an object"
    case .either(let shapes, let words): words ?? shapes.map(\.words).joined(separator: ", or ")
    }
  }

  private static func words(_ least: String, _ most: String, _ isUnbounded: Bool) -> String {
    isUnbounded ? "" : " from \(least) to \(most)"
  }

  private static func plural(of element: Shape) -> String {
    switch element {
    case .text: " of texts"
    case .integer, .number: " of numbers"
    default: ""
    }
  }

  private static func short(_ number: Double) -> String {
    Int64(exactly: number).map { "\($0)" } ?? "\(number)"
  }
}
