/// A key of a YAML mapping with its value.
struct YAMLEntry: Hashable, Sendable {
  var key: String
  var value: YAMLContent
  /// Lines above the key.
  var comments: [String] = []
  /// Whether the mapping makes no sense without it.
  var isRequired = false

  init(_ key: String, _ value: YAMLContent, comments: [String] = [], isRequired: Bool = false) {
    (self.key, self.value, self.comments, self.isRequired) = (key, value, comments, isRequired)
  }

  init(_ key: String, _ text: String, comments: [String] = [], isRequired: Bool = false) {
    self.init(key, .ready(text), comments: comments, isRequired: isRequired)
  }

  init(_ key: ImportedKey) { self.init(key.name, .ready(key.yaml), comments: key.comments) }
}

/// The value of a key.
indirect enum YAMLContent: Hashable, Sendable {
  /// Ready text: one line, or the lines of a block.
  case ready(String)
  case mapping([YAMLEntry])
  /// A mapping that is on one line if it fits.
  case shortMapping([YAMLEntry])
  case list([YAMLItem])
}

/// A mapping in a list.
struct YAMLItem: Hashable, Sendable {
  var entries: [YAMLEntry]
  /// Lines above the item.
  var comments: [String] = []
  /// Whether it is on one line if it fits.
  var isShort = false
  /// Where the source describes it.
  var place: SourcePlace?
  /// Its title for messages, such as `characteristic 2A37`.
  var title = ""
}

/// The path to a part of a tree: the number of an entry, of an item in its list, of an entry of that item, and so on.
typealias YAMLPath = [Int]

/// A line of a YAML text, with the path to the innermost part of the tree that contains it.
struct YAMLLine: Hashable, Sendable {
  var text: String
  var path: YAMLPath
}

/// Turns a tree into lines.
struct YAMLRendering {
  /// The maximum length of a line.
  static let width = 120
  private(set) var lines: [YAMLLine] = []

  /// Returns the lines of a mapping that is the whole document.
  static func lines(of entries: [YAMLEntry]) -> [YAMLLine] {
    var rendering = YAMLRendering()
    for (number, entry) in entries.enumerated() {
      // An empty line separates a block from its neighbours, as in the shipped profiles.
      let isBlock = !entry.comments.isEmpty || !Self.isOneLine(entry.value)
      let follows = number > 0 && !Self.isOneLine(entries[number - 1].value)
      if number > 0, isBlock || follows { rendering.add("", [number]) }
      rendering.entry(entry, indent: 0, path: [number], lead: "")
    }
    return rendering.lines
  }

  private static func isOneLine(_ content: YAMLContent) -> Bool {
    switch content {
    case .ready(let text): !text.contains("\n")
    case .shortMapping: true
    case .mapping, .list: false
    }
  }

  private mutating func add(_ text: String, _ path: YAMLPath) { lines.append(YAMLLine(text: text, path: path)) }

  private mutating func comment(_ comments: [String], indent: Int, path: YAMLPath) {
    let space = String(repeating: " ", count: indent)
    for line in YAMLScalar.commentLines(comments, width: Self.width - indent) {
      add("\(space)#\(line.isEmpty ? "" : " ")\(line)", path)
    }
  }

  /// Renders a key. `lead` replaces the last characters of the indentation: `- ` for the first key of an item.
  private mutating func entry(_ entry: YAMLEntry, indent: Int, path: YAMLPath, lead: String) {
    if lead.isEmpty { comment(entry.comments, indent: indent, path: path) }
    let space = String(repeating: " ", count: indent - lead.utf8.count) + lead
    switch entry.value {
    case .ready(let text):
      let parts = text.split(separator: "\n", omittingEmptySubsequences: false)
      guard parts.count > 1 else { return add("\(space)\(entry.key): \(text)", path) }
      add("\(space)\(entry.key):", path)
      for part in parts { add(String(repeating: " ", count: indent + 2) + part, path) }
    case .mapping(let entries):
      add("\(space)\(entry.key):", path)
      for (number, inner) in entries.enumerated() {
        self.entry(inner, indent: indent + 2, path: path + [number], lead: "")
      }
    case .shortMapping(let entries):
      if let flow = Self.flow(entries), indent + entry.key.count + flow.count + 2 <= Self.width {
        add("\(space)\(entry.key): \(flow)", path)
      } else {
        self.entry(YAMLEntry(entry.key, .mapping(entries)), indent: indent, path: path, lead: lead)
      }
    case .list(let items):
      guard !items.isEmpty else { return add("\(space)\(entry.key): []", path) }
      add("\(space)\(entry.key):", path)
      for (number, item) in items.enumerated() { self.item(item, indent: indent + 2, path: path + [number]) }
    }
  }

  private mutating func item(_ item: YAMLItem, indent: Int, path: YAMLPath) {
    comment(item.comments + (item.entries.first?.comments ?? []), indent: indent, path: path)
    let space = String(repeating: " ", count: indent)
    if item.isShort, let flow = Self.flow(item.entries), indent + 2 + flow.count <= Self.width {
      return add("\(space)- \(flow)", path)
    }
    for (number, entry) in item.entries.enumerated() {
      self.entry(entry, indent: indent + 2, path: path + [number], lead: number == 0 ? "- " : "")
    }
  }

  /// Returns a mapping on one line; nil if it has comments, blocks or lists.
  private static func flow(_ entries: [YAMLEntry]) -> String? {
    var parts: [String] = []
    for entry in entries {
      guard entry.comments.isEmpty else { return nil }
      switch entry.value {
      case .ready(let text):
        guard !text.contains("\n") else { return nil }
        parts.append("\(entry.key): \(text)")
      case .shortMapping(let inner):
        guard let text = flow(inner) else { return nil }
        parts.append("\(entry.key): \(text)")
      case .mapping, .list: return nil
      }
    }
    return parts.isEmpty ? "{}" : "{ \(parts.joined(separator: ", ")) }"
  }
}
