import AccessoryProfile

/// What can be typed in a console: a request of the control API, in words. The words are the path's; `set`, `delete` and `add` tell requests
/// of one path apart. So every request that answers with JSON has a verb, and a new route is a new verb.
package struct ConsoleVerb: Sendable {
  /// One word of it.
  package enum Word: Hashable, Sendable {
    /// A word as it is.
    case word(String)
    /// What stands for the name, such as the id of a characteristic.
    case name(String)
  }

  /// Its words in their order.
  package let words: [Word]
  /// What it does, as docs/http.md says it.
  package let summary: String
  let route: Route

  /// The fields of the request's body; empty for one that is a single value, or has none.
  package var fields: [String] { bodyFields.map(\.name) }

  /// Whether something can follow the words.
  package var takesValue: Bool {
    guard let body = route.body else { return false }
    if case .object(let fields, isOpen: false) = body.shape { return !fields.isEmpty }
    return true
  }

  /// The words that a field of the body may be; empty where there are others.
  package func choices(of field: String) -> [String] {
    guard let shape = bodyFields.first(where: { $0.name == field })?.shape else { return [] }
    return switch shape {
    case .words(let words): words
    case .truth: ["true", "false"]
    default: []
    }
  }

  /// How it is typed, such as `characteristics CHARACTERISTIC notify [value=…] [hex=…]`.
  package var usage: String {
    var parts = words.map { word in
      switch word {
      case .word(let text): text
      case .name(let name): name.uppercased()
      }
    }
    if takesValue, bodyFields.isEmpty, let body = route.body { parts.append(body.isRequired ? "VALUE" : "[VALUE]") }
    parts += bodyFields.map { $0.isRequired ? "\($0.name)=…" : "[\($0.name)=…]" }
    return parts.joined(separator: " ")
  }

  private var bodyFields: [Shape.Field] {
    if case .object(let fields, _)? = route.body?.shape { fields } else { [] }
  }

  // MARK: The table

  /// Short forms of what is typed most: the word, and the request that it is.
  private static let short: [(word: String, method: Route.Method, path: String)] = [
    ("state", .get, "accessory"), ("read", .get, "characteristics/{characteristic}/value"),
    ("set", .put, "characteristics/{characteristic}/value"),
    ("notify", .post, "characteristics/{characteristic}/notify"),
    ("indicate", .post, "characteristics/{characteristic}/indicate"), ("press", .post, "buttons/{button}"),
    ("answer", .post, "questions/{question}/answer"), ("fault", .post, "faults"), ("disarm", .delete, "faults/{fault}"),
    ("disconnect", .post, "connections/{connection}/disconnect"), ("start", .post, "advertising/{set}/start"),
    ("stop", .post, "advertising/{set}/stop"), ("air", .get, "radio"),
  ]

  /// All verbs, the short ones first.
  package static let all: [ConsoleVerb] = {
    let routes = RouteTable.all.filter { route in if case .json = route.content { true } else { false } }
    let shorts = short.compactMap { row -> ConsoleVerb? in
      guard let route = routes.first(where: { $0.method == row.method && $0.path == row.path }) else { return nil }
      return ConsoleVerb(words: [.word(row.word)] + names(of: route), route)
    }
    return shorts + routes.map { ConsoleVerb(words: words(of: $0, among: routes), $0) }
  }()

  private init(words: [Word], _ route: Route) {
    self.words = words
    self.route = route
    summary = route.summary
  }

  private static func names(of route: Route) -> [Word] {
    route.segments.compactMap { if case .name(let name) = $0 { .name(name) } else { nil } }
  }

  private static func words(of route: Route, among routes: [Route]) -> [Word] {
    let words: [Word] = route.segments.map { segment in
      switch segment {
      case .literal(let text): .word(text)
      case .name(let name): .name(name)
      }
    }
    switch route.method {
    case .get: return words
    case .put: return words + [.word("set")]
    case .delete: return words + [.word("delete")]
    case .post:
      // A path of which there is nothing else needs no further word.
      return routes.contains { $0.path == route.path && $0.method == .get } ? words + [.word("add")] : words
    }
  }
}
