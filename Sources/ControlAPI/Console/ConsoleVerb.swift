import AccessoryProfile

/// A command of the console: a request of the control API, in words. The words are those of the path; `set`, `delete` and `add`
/// distinguish requests with the same path. So every request that answers with JSON has a command, and new routes get one automatically.
package struct ConsoleVerb: Sendable {
  /// A word of a command.
  package enum Word: Hashable, Sendable {
    /// A literal word.
    case word(String)
    /// A placeholder, such as for the id of a characteristic.
    case name(String)
  }

  /// Its words in order.
  package let words: [Word]
  /// Its effect, in the words of docs/http.md.
  package let summary: String
  let route: Route

  /// The fields of the request's body; empty if the body is a single value, or if there is none.
  package var fields: [String] { bodyFields.map(\.name) }

  /// Whether a value can follow the words.
  package var takesValue: Bool {
    guard let body = route.body else { return false }
    if case .object(let fields, isOpen: false) = body.shape { return !fields.isEmpty }
    return true
  }

  /// Returns the words that a field of the body may have as its value; empty if other values are possible.
  package func choices(of field: String) -> [String] {
    guard let shape = bodyFields.first(where: { $0.name == field })?.shape else { return [] }
    return switch shape {
    case .words(let words): words
    case .truth: ["true", "false"]
    default: []
    }
  }

  /// Its syntax, such as `characteristics CHARACTERISTIC notify [value=…] [hex=…]`.
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

  /// Short forms of frequent commands: the word, and its request.
  private static let short: [(word: String, method: Route.Method, path: String)] = [
    ("state", .get, "accessory"), ("read", .get, "characteristics/{characteristic}/value"),
    ("set", .put, "characteristics/{characteristic}/value"),
    ("notify", .post, "characteristics/{characteristic}/notify"),
    ("indicate", .post, "characteristics/{characteristic}/indicate"), ("press", .post, "buttons/{button}"),
    ("answer", .post, "questions/{question}/answer"), ("fault", .post, "faults"), ("disarm", .delete, "faults/{fault}"),
    ("disconnect", .post, "connections/{connection}/disconnect"), ("start", .post, "advertising/{set}/start"),
    ("stop", .post, "advertising/{set}/stop"), ("air", .get, "radio"),
  ]

  /// All commands, the short forms first.
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
      // If the path has no other request, no additional word is needed.
      return routes.contains { $0.path == route.path && $0.method == .get } ? words + [.word("add")] : words
    }
  }
}
