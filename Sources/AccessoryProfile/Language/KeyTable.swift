/// The keys of one kind of mapping in the language. The loader, its messages and the JSON schema are all derived from these tables.
package struct KeyTable: Sendable {
  /// The name of the mapping in messages and in the schema.
  package var name: String
  package var keys: [Key]
  /// Whether the mapping has further keys that depend on its content.
  var allowsOthers = false

  package struct Key: Sendable {
    package var name: String
    package var type: ValueType
    var summary: String
    package var isRequired = false
    /// The keys that are allowed only beside certain actions of a step, this one among them; nil if this key is no action.
    var companions: [String]?
  }

  /// The names of the keys, for messages.
  var names: [String] { keys.map(\.name) }

  /// Returns the words that are valid as the value of a key.
  func words(of key: String) -> [String] { keys.first { $0.name == key }?.type.words ?? [] }

  /// Returns the type of a key's value.
  func type(of key: String) -> ValueType { keys.first { $0.name == key }?.type ?? .any }
}

/// The type of a key's value.
package indirect enum ValueType: Sendable {
  case text
  case boolean
  case integer(ClosedRange<Int>)
  case number
  /// A duration in a range, and in multiples of a step if there is one.
  case duration(ClosedRange<Duration>, step: Duration? = nil)
  case octets
  /// Text, a number, true or false.
  case scalar
  /// Anything.
  case any
  /// A computed value.
  case expression
  case uuid
  case appearance
  case names([String])
  case list(ValueType)
  case mapping(String)
  /// A mapping whose keys are chosen by the profile.
  case dictionary(ValueType)
  case choice([ValueType])
  /// A value of a characteristic, which depends on the format.
  case value
  /// A value format: a name or a definition.
  case format

  /// The permitted range of whole numbers.
  var wholeNumbers: ClosedRange<Int64>? {
    switch self {
    case .integer(let range): Int64(range.lowerBound)...Int64(range.upperBound)
    case .choice(let types): types.lazy.compactMap(\.wholeNumbers).first
    case .list(let type): type.wholeNumbers
    default: nil
    }
  }

  /// The permitted range of durations, and their step.
  var durations: (range: ClosedRange<Duration>, step: Duration?)? {
    switch self {
    case .duration(let range, let step): (range, step)
    case .choice(let types): types.lazy.compactMap(\.durations).first
    case .list(let type): type.durations
    default: nil
    }
  }

  /// The permitted words.
  var words: [String] {
    switch self {
    case .names(let names): names
    case .choice(let types): types.flatMap(\.words)
    case .list(let type): type.words
    default: []
    }
  }
}
