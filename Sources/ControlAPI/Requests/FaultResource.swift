/// What a path about faults names.
enum FaultResource: Hashable, Sendable {
  /// All that are armed.
  case all
  case fault(String)

  init?(_ names: [String]) {
    guard names.first == "faults" else { return nil }
    switch names.count {
    case 1: self = .all
    case 2: self = .fault(names[1])
    default: return nil
    }
  }

  var methods: [String] {
    switch self {
    case .all: ["GET", "POST", "DELETE"]
    case .fault: ["GET", "DELETE"]
    }
  }
}
