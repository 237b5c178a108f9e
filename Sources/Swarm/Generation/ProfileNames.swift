import AccessoryProfile

/// The kind of a characteristic's value.
enum ValueKind: String, CaseIterable {
  case number, text, octets

  /// The name of the format.
  var format: String {
    switch self {
    case .number: "u16"
    case .text: "utf8"
    case .octets: "hex"
    }
  }

  /// Returns a value of this kind.
  func value(_ values: inout ValueDrawing) -> ProfileTree {
    switch self {
    case .number: .number(values.below(100))
    case .text: .scalar(values.one(of: ["one", "two", "", "a longer text"]) ?? "one", isQuoted: true)
    case .octets: values.octets(1 + values.below(30))
    }
  }
}

/// The names in a profile. They are chosen before the profile is drawn.
struct ProfileNames {
  var kinds: [ValueKind]
  var states = ["idle", "busy"]
  var sets = ["main", "set1"]
  var channels = ["channel0", "channel1"]
  var tables = ["table0", "table1"]
  var variables = ["count", "mode"]

  var characteristics: [String] { kinds.indices.map { "c\($0)" } }
  var numbers: [String] { kinds.indices.filter { kinds[$0] == .number }.map { "c\($0)" } }
  var services: [String] { ["s0", "s1", "s2"] }

  /// The tables whose mappings have exactly one key.
  static let exclusive: Set<String> = [
    "trigger", "effect", "rule-effect", "command-effect", "client-trigger", "eddystone", "response-part", "outcome",
  ]

  init(_ values: inout ValueDrawing) {
    kinds = []
    for _ in 0..<48 {
      let draw = values.below(10)
      kinds.append(draw < 6 ? .number : draw < 8 ? .octets : .text)
    }
  }

  /// Returns the kind of the characteristic with this number.
  func next(_ place: Int) -> ValueKind { kinds[place % kinds.count] }
}
