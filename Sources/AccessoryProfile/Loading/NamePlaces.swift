/// Where names stand in a list that only grows, so that each is found at once however long the list is.
struct NamePlaces {
  private var places: [String: Int] = [:]
  private var count = 0

  /// The first place of a name.
  subscript(name: String) -> Int? { places[name] }

  /// Takes in the names that have come since the last time; what is called nothing has none.
  mutating func extend(to newCount: Int, _ name: (Int) -> String) {
    while count < newCount {
      let name = name(count)
      if !name.isEmpty, places[name] == nil { places[name] = count }
      count += 1
    }
  }
}
