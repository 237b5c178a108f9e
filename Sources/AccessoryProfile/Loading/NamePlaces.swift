/// The positions of names in a list that only grows, for lookups in constant time.
struct NamePlaces {
  private var places: [String: Int] = [:]
  private var count = 0

  /// The first position of a name.
  subscript(name: String) -> Int? { places[name] }

  /// Adds the names that were appended since the last call. Empty names are skipped.
  mutating func extend(to newCount: Int, _ name: (Int) -> String) {
    while count < newCount {
      let name = name(count)
      if !name.isEmpty, places[name] == nil { places[name] = count }
      count += 1
    }
  }
}
