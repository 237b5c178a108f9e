/// Converts a YAML text to syntax nodes, and reports syntax errors as diagnostics.
struct YAMLReader {
  private let source: SourceFile
  private let events: YAMLEventReader
  private(set) var diagnostics: [Diagnostic] = []
  /// The number of errors that were not kept, and the position of the last one.
  private var omitted = 0
  private var lastOmitted = YAMLPlace(line: 1, column: 1)
  /// A limit on the number of nodes, because aliases let a short text represent an unlimited tree.
  private var allowance = Allowance(.nodes)
  /// The maximum nesting depth of sequences and mappings.
  private static let depthLimit = 100
  /// The nodes with anchors.
  private var anchors: [String: Anchored] = [:]

  /// A node that may be used in several places, its number of nodes, and its nesting depth.
  private struct Anchored {
    var node: SyntaxNode
    var size: Int
    var height: Int
  }

  /// Reading has ended early, for a reason given in a diagnostic.
  private struct Stopped: Error {}

  private init(_ text: String, _ source: SourceFile) {
    self.source = source
    events = YAMLEventReader(text)
  }

  /// Parses a text. Returns the root node and all YAML errors.
  static func read(_ text: String, source: SourceFile) -> (root: SyntaxNode?, diagnostics: [Diagnostic]) {
    var reader = YAMLReader(text, source)
    let root = try? reader.document()
    let omitted = reader.omitted
    if omitted > 0 { reader.report(reader.lastOmitted, "up to here, there are \(omitted) more errors", always: true) }
    return (root, reader.diagnostics)
  }

  /// Keeps a diagnostic. Two places are reserved: for the error that ends reading, and for the number of errors that were not kept.
  private mutating func report(_ place: YAMLPlace, _ message: @autoclosure () -> String, always: Bool = false) {
    guard always || diagnostics.count < ProfileError.limit - 2 else {
      lastOmitted = place
      return omitted += 1
    }
    let message = message()
    diagnostics.append(source.diagnostic(line: place.line, column: place.column, .error, message))
  }

  private mutating func stop(_ place: YAMLPlace, _ message: String) -> Stopped {
    report(place, message, always: true)
    return Stopped()
  }

  private mutating func next() throws(Stopped) -> YAMLEvent {
    do throws(YAMLFault) { return try events.next() } catch {
      let context = error.context.map { " \($0.text) that begins in line \($0.place.line)" } ?? ""
      let place =
        switch error.place {
        case .mark(let mark): mark
        case .octet(let offset): position(ofOctet: offset)
        }
      // libyaml reports a colon in an unquoted text in this way, because it takes the colon for the end of a key.
      let isColon = error.problem == "mapping values are not allowed in this context"
      let hint =
        hasEmptyOctets(place.line)
        ? "; octets without digits are \"\"" : isColon ? "; a text with ': ' needs quotes" : ""
      throw stop(place, "this is not valid YAML: \(error.problem)\(context)\(hint)")
    }
  }

  /// Returns whether `hex:` without digits is in a line. YAML takes it for a key.
  private func hasEmptyOctets(_ line: Int) -> Bool {
    guard source.lines.indices.contains(line - 1) else { return false }
    let words = source.lines[line - 1].split { " ,[]{}".contains($0) }
    return words.contains("hex:")
  }

  /// Returns the position of an octet of the text, counted from 0.
  private func position(ofOctet offset: Int) -> YAMLPlace {
    var remaining = offset
    for (index, line) in source.lines.enumerated() {
      if remaining <= line.utf8.count {
        let before = String(decoding: Array(line.utf8.prefix(remaining)), as: UTF8.self)
        return YAMLPlace(line: index + 1, column: before.unicodeScalars.count + 1)
      }
      remaining -= line.utf8.count + 1
    }
    return YAMLPlace(line: source.lines.count, column: 1)
  }

  // MARK: Nodes

  /// Reads the only document of the text.
  private mutating func document() throws(Stopped) -> SyntaxNode {
    let start = YAMLPlace(line: 1, column: 1)
    guard case .documentStart = try next().kind else {
      throw stop(start, "the file is empty; a profile begins with 'understudy: 1'")
    }
    let root = try node(try next(), depth: 0)
    _ = try next()
    let behind = try next()
    guard case .streamEnd = behind.kind else {
      throw stop(behind.place, "a profile is one YAML document, and another document begins here")
    }
    return root.node
  }

  /// Reads the node that starts with an event.
  private mutating func node(_ event: YAMLEvent, depth: Int) throws(Stopped) -> Anchored {
    guard depth < Self.depthLimit else { throw stop(event.place, "this is nested too deeply") }
    let before = allowance.left
    try spend(1, at: event.place)
    let content: SyntaxNode.Content
    var height = 0
    switch event.kind {
    case .alias(let name): return try aliased(name, at: event.place, depth: depth)
    case .sequenceStart: content = .sequence(try sequence(depth: depth, height: &height))
    case .mappingStart: content = .mapping(try mapping(depth: depth, height: &height))
    case .scalar(let text, let isQuoted): content = .scalar(text, isQuoted: isQuoted)
    // The parser never reports these events where a node begins.
    case .end, .documentStart, .documentEnd, .streamEnd: content = .scalar("", isQuoted: false)
    }
    let node = SyntaxNode(source: source, line: event.place.line, column: event.place.column, content: content)
    let whole = Anchored(node: node, size: before - allowance.left, height: height)
    if let anchor = event.anchor { anchors[anchor] = whole }
    return whole
  }

  private mutating func spend(_ nodes: Int, at place: YAMLPlace) throws(Stopped) {
    guard allowance.take(nodes) else {
      throw stop(place, "this \(Budget.nodes.excess), perhaps because of aliases")
    }
  }

  /// Returns the node that an alias refers to, with its original position.
  private mutating func aliased(_ name: String, at place: YAMLPlace, depth: Int) throws(Stopped) -> Anchored {
    guard let anchored = anchors[name] else { throw stop(place, "this is not valid YAML: found undefined alias") }
    guard depth + anchored.height < Self.depthLimit else { throw stop(place, "this is nested too deeply") }
    // One node is already counted.
    try spend(anchored.size - 1, at: place)
    return anchored
  }

  private mutating func sequence(depth: Int, height: inout Int) throws(Stopped) -> [SyntaxNode] {
    var elements: [SyntaxNode] = []
    while true {
      let event = try next()
      if case .end = event.kind { return elements }
      let element = try node(event, depth: depth + 1)
      height = max(height, element.height + 1)
      elements.append(element.node)
    }
  }

  private mutating func mapping(depth: Int, height: inout Int) throws(Stopped) -> [SyntaxPair] {
    var pairs: [SyntaxPair] = []
    var merged: [(place: Int, pairs: [SyntaxPair])] = []
    var lines: [String: Int] = [:]
    while true {
      let event = try next()
      if case .end = event.kind { return Self.merging(merged, into: pairs) }
      let key = try node(event, depth: depth + 1)
      let value = try node(try next(), depth: depth + 1)
      height = max(height, key.height + 1, value.height + 1)
      guard let name = key.node.text else {
        report(event.place, "a key must be a scalar")
        continue
      }
      if let line = lines[name] {
        report(event.place, "the key '\(name)' is a duplicate; it is already in line \(line)")
        continue
      }
      lines[name] = event.place.line
      if key.node.plainText == "<<" {
        merged.append((pairs.count, mergedPairs(value.node)))
      } else {
        pairs.append(SyntaxPair(key: key.node, value: value.node))
      }
    }
  }

  // MARK: Merge keys

  /// Returns the pairs of a merge key (YAML 1.1, Merge Key Language-Independent Type): those of one mapping, or of several, where the first
  /// one with a key applies.
  private mutating func mergedPairs(_ node: SyntaxNode) -> [SyntaxPair] {
    var pairs: [SyntaxPair] = []
    var names: Set<String> = []
    for element in node.elements ?? [node] {
      guard let more = element.pairs else {
        report(
          YAMLPlace(line: element.line, column: element.column),
          "'<<' takes a mapping such as *name, or a list of these, not \(element.kindName)"
        )
        continue
      }
      pairs += more.filter { names.insert($0.name).inserted }
    }
    return pairs
  }

  /// Inserts merged pairs into a mapping at the positions of their merge keys. The mapping's own keys have priority.
  private static func merging(
    _ merged: [(place: Int, pairs: [SyntaxPair])], into own: [SyntaxPair]
  ) -> [SyntaxPair] {
    guard !merged.isEmpty else { return own }
    let names = Set(own.map(\.name))
    var pairs = own
    for (place, brought) in merged.reversed() {
      pairs.insert(contentsOf: brought.filter { !names.contains($0.name) }, at: place)
    }
    return pairs
  }
}
