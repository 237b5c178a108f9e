/// What a path about the bonds of an accessory names.
enum BondResource: Hashable, Sendable {
  case bonds
  case bond(String)
  /// The keys of all bonds, or of one, for other programs.
  case export(of: String?)
  case alteration(of: String)

  init?(_ names: [String]) {
    guard names[0] == "bonds" else { return nil }
    switch (names.count, names.last) {
    case (1, _): self = .bonds
    case (2, "export"): self = .export(of: nil)
    case (2, _): self = .bond(names[1])
    case (3, "export"): self = .export(of: names[1])
    case (3, "alter"): self = .alteration(of: names[1])
    default: return nil
    }
  }

  var methods: [String] {
    switch self {
    case .bonds: ["GET", "POST"]
    case .bond: ["GET", "DELETE"]
    case .export: ["GET"]
    case .alteration: ["POST"]
    }
  }
}
