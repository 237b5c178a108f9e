/// The keys of one kind of mapping in the language. The loader, its messages and the JSON schema all follow from these
/// tables.
package struct KeyTable: Sendable {
  /// What the mapping is, as messages and the schema call it.
  package var name: String
  package var keys: [Key]
  /// Whether a mapping has further keys that depend on its content.
  var allowsOthers = false

  package struct Key: Sendable {
    package var name: String
    package var type: ValueType
    var summary: String
    package var isRequired = false
    /// Of an action of a step: the keys that say more of it; nil for every other key.
    var companions: [String]?
  }

  /// The names of the keys, as messages list them.
  var names: [String] { keys.map(\.name) }

  /// The words that may stand behind a key.
  func words(of key: String) -> [String] { keys.first { $0.name == key }?.type.words ?? [] }

  /// What may stand behind a key.
  func type(of key: String) -> ValueType { keys.first { $0.name == key }?.type ?? .any }
}

/// What may stand behind a key.
package indirect enum ValueType: Sendable {
  case text
  case boolean
  case integer(ClosedRange<Int>)
  case number
  /// A duration within a range, of so many steps where it has any.
  case duration(ClosedRange<Duration>, step: Duration? = nil)
  case octets
  /// Text, a number, true or false.
  case scalar
  /// Anything.
  case any
  /// Something that is computed.
  case expression
  case uuid
  case appearance
  case names([String])
  case list(ValueType)
  case mapping(String)
  /// A mapping whose keys the profile chooses.
  case dictionary(ValueType)
  case choice([ValueType])
  /// A value of a characteristic: what is possible depends on its format.
  case value
  /// A format of values: a name, or one that is put together.
  case format

  /// The range of the whole numbers among what is possible.
  var wholeNumbers: ClosedRange<Int64>? {
    switch self {
    case .integer(let range): Int64(range.lowerBound)...Int64(range.upperBound)
    case .choice(let types): types.lazy.compactMap(\.wholeNumbers).first
    case .list(let type): type.wholeNumbers
    default: nil
    }
  }

  /// The range of the durations among what is possible, and their steps.
  var durations: (range: ClosedRange<Duration>, step: Duration?)? {
    switch self {
    case .duration(let range, let step): (range, step)
    case .choice(let types): types.lazy.compactMap(\.durations).first
    case .list(let type): type.durations
    default: nil
    }
  }

  /// The words among what is possible.
  var words: [String] {
    switch self {
    case .names(let names): names
    case .choice(let types): types.flatMap(\.words)
    case .list(let type): type.words
    default: []
    }
  }
}
