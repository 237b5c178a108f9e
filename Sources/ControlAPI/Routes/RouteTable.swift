/// All routes.
enum RouteTable {
  /// The routes by subject, in the order of the document.
  static let subjects: [(title: String, routes: [Route])] = [
    ("The accessory", accessory), ("Events", events), ("Values", characteristics), ("Connections", connections),
    ("Servers of centrals", remotes), ("Security", security), ("Bonds", bonds), ("Questions", questions),
    ("L2CAP channels", channels), ("Services", services), ("Notifications of a phone", notifications),
    ("Faults", faults), ("Snapshots", snapshots), ("The virtual radio", radio), ("The API itself", itself),
  ]

  static let all = subjects.flatMap(\.routes)

  /// Returns the routes that match a path, which may include a query, each with the values of its names. They differ in their methods.
  static func routes(at path: String) -> [(route: Route, names: [String: String])] {
    let segments = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
    guard segments.count > 2, segments[0].isEmpty, segments[1] == "v1" else { return [] }
    var path: [String] = []
    for segment in segments.dropFirst(2) {
      guard let text = PercentEncoding.decode(segment), !text.isEmpty else { return [] }
      path.append(text)
    }
    var found = routes(of: path) { _ in true }
    if found.isEmpty, path.count > 1, path[0] == "accessories" {
      // The path of an accessory itself is its state.
      let rest = path.count == 2 ? ["accessory"] : Array(path.dropFirst(2))
      found = routes(of: rest) { $0.scope != .program }
      for index in found.indices { found[index].names["accessory"] = path[1] }
    }
    let mostLiteral = found.map(\.route.literalCount).max()
    return found.filter { $0.route.literalCount == mostLiteral }
  }

  private static func routes(
    of path: [String], where isWanted: (Route) -> Bool
  ) -> [(route: Route, names: [String: String])] {
    all.compactMap { route in
      guard isWanted(route), let names = route.match(path) else { return nil }
      return (route, names)
    }
  }
}
