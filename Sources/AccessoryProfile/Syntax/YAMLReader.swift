import Yams

/// Turns YAML text into syntax nodes, and what keeps it from being YAML into diagnostics.
struct YAMLReader {
  private let source: SourceFile
  private(set) var diagnostics: [Diagnostic] = []
  /// Aliases let a short text stand for a tree without end; no profile needs more nodes than this.
  private var remainingNodes = 2_000_000
  /// Keys found to stand twice in one mapping, and the line of the first; the second's first letter has been replaced
  /// by the letter of the private use area that has the same number.
  private var duplicates: [(name: String, firstLine: Int)] = []
  private static let firstMarker: UInt32 = 0xE000

  private init(_ source: SourceFile) { self.source = source }

  /// The root node of a text, and all that is wrong with it as YAML.
  static func read(_ text: String, source: SourceFile) -> (root: SyntaxNode?, diagnostics: [Diagnostic]) {
    var reader = YAMLReader(source)
    let root = reader.compose(text)
    return (root, reader.diagnostics)
  }

  /// Scalars are read here and not by Yams, whose rules guess their types by regular expressions: without them a program starts
  /// faster and takes less memory.
  private static let resolver = Resolver.basic

  private mutating func compose(_ original: String) -> SyntaxNode? {
    var text = original
    // Each turn but the last finds one key that stands twice, makes it another, and goes on.
    for _ in 0..<64 {
      do {
        guard let node = try Yams.compose(yaml: text, Self.resolver) else {
          report(1, 1, "the file is empty; a profile begins with 'understudy: 1'")
          return nil
        }
        return convert(node, depth: 0)
      } catch let YamlError.duplicatedKeysInMapping(names, context) {
        guard let replaced = separate(names, firstMark: context.mark, in: text) else {
          report(
            context.mark.line, context.mark.column,
            "the key \(names.map { "'\($0)'" }.joined(separator: ", ")) stands twice here")
          return nil
        }
        text = replaced
      } catch {
        report(error)
        return nil
      }
    }
    return nil
  }

  private mutating func report(_ line: Int, _ column: Int, _ message: String) {
    diagnostics.append(source.diagnostic(line: line, column: column, .error, message))
  }

  private mutating func report(_ error: any Error) {
    switch error {
    case YamlError.scanner(let context, let problem, let mark, _),
      YamlError.parser(let context, let problem, let mark, _),
      YamlError.composer(let context, let problem, let mark, _):
      let place = context.map { " \($0.text) that begins in line \($0.mark.line)" } ?? ""
      report(mark.line, mark.column, "this is not YAML: \(problem)\(place)")
    case YamlError.reader(let problem, let offset, _, _):
      let place = position(ofOctet: offset ?? 0)
      report(place.line, place.column, "this is not YAML: \(problem)")
    default: report(1, 1, "this is not YAML: \(error)")
    }
  }

  /// The place of an octet of the text, counted from 0.
  private func position(ofOctet offset: Int) -> (line: Int, column: Int) {
    var remaining = offset
    for (index, line) in source.lines.enumerated() {
      if remaining <= line.utf8.count {
        let before = String(decoding: Array(line.utf8.prefix(remaining)), as: UTF8.self)
        return (index + 1, before.unicodeScalars.count + 1)
      }
      remaining -= line.utf8.count + 1
    }
    return (source.lines.count, 1)
  }

  private mutating func convert(_ node: Node, depth: Int) -> SyntaxNode? {
    let mark = (line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
    remainingNodes -= 1
    guard remainingNodes >= 0, depth < 100 else {
      if diagnostics.isEmpty {
        report(
          mark.line, mark.column,
          depth < 100
            ? "this has too many parts, perhaps by aliases that stand for others" : "this is nested too deeply")
      }
      return nil
    }
    func located(_ content: SyntaxNode.Content) -> SyntaxNode {
      SyntaxNode(source: source, line: mark.line, column: mark.column, content: content)
    }
    switch node {
    case .scalar(let scalar):
      return located(.scalar(scalar.string, isQuoted: scalar.style != .plain && scalar.style != .any))
    case .sequence(let sequence):
      var elements: [SyntaxNode] = []
      for element in sequence { if let element = convert(element, depth: depth + 1) { elements.append(element) } }
      return located(.sequence(elements))
    case .mapping(let mapping):
      var pairs: [SyntaxPair] = []
      var merged: [(place: Int, pairs: [SyntaxPair])] = []
      for (key, value) in mapping {
        guard let key = convert(key, depth: depth + 1) else { continue }
        if reportDuplicate(key) { continue }
        guard key.text != nil else {
          report(key.line, key.column, "a key must be a word")
          continue
        }
        guard let value = convert(value, depth: depth + 1) else { continue }
        if key.plainText == "<<" {
          merged.append((pairs.count, mergedPairs(value)))
        } else {
          pairs.append(SyntaxPair(key: key, value: value))
        }
      }
      return located(.mapping(Self.merging(merged, into: pairs)))
    case .alias: return nil
    }
  }

  // MARK: Merge keys

  /// The pairs that a merge key (YAML 1.1, Merge Key Language-Independent Type) brings: those of a mapping, or of several, of which
  /// the first counts.
  private mutating func mergedPairs(_ node: SyntaxNode) -> [SyntaxPair] {
    var pairs: [SyntaxPair] = []
    for element in node.elements ?? [node] {
      guard let more = element.pairs else {
        report(
          element.line, element.column,
          "'<<' brings in the keys of a mapping: one such as *name, or a list of such, is wanted, not \(element.kindName)"
        )
        continue
      }
      pairs += more.filter { pair in !pairs.contains { $0.name == pair.name } }
    }
    return pairs
  }

  /// The pairs of a mapping with those that it brings in, where they stand; its own keys count.
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

  // MARK: Keys that stand twice

  /// Whether this is the second of two equal keys; reports it.
  private mutating func reportDuplicate(_ key: SyntaxNode) -> Bool {
    guard let letter = key.text?.unicodeScalars.first?.value, letter >= Self.firstMarker,
      Int(letter - Self.firstMarker) < duplicates.count
    else { return false }
    let found = duplicates[Int(letter - Self.firstMarker)]
    report(key.line, key.column, "the key '\(found.name)' stands twice here; it is already in line \(found.firstLine)")
    return true
  }

  /// Yams stops at the first mapping with equal keys and names the first of them only. This finds the second: the
  /// occurrence behind the first one that, when its first letter is changed, makes the complaint go away.
  private mutating func separate(_ names: [String], firstMark: Mark, in text: String) -> String? {
    guard let name = names.first, !name.isEmpty else { return nil }
    var lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map {
      Array($0.unicodeScalars)
    }
    let word = Array(name.unicodeScalars)
    guard let marker = Unicode.Scalar(Self.firstMarker + UInt32(duplicates.count)) else { return nil }
    for (line, column) in Self.occurrences(of: word, behind: firstMark, in: lines) {
      let letter = lines[line][column]
      lines[line][column] = marker
      let candidate = lines.map { String(String.UnicodeScalarView($0)) }.joined(separator: "\n")
      if !Self.complains(about: name, at: firstMark, in: candidate) {
        duplicates.append((name: name, firstLine: firstMark.line))
        return candidate
      }
      lines[line][column] = letter
    }
    return nil
  }

  /// Where a word stands behind a mark, those in the mark's own column first: keys of one mapping mostly stand in one.
  private static func occurrences(
    of word: [Unicode.Scalar], behind mark: Mark, in lines: [[Unicode.Scalar]]
  ) -> [(line: Int, column: Int)] {
    var found: [(line: Int, column: Int)] = []
    for line in lines.indices where line >= mark.line - 1 {
      var column = line == mark.line - 1 ? mark.column - 1 + word.count : 0
      while column + word.count <= lines[line].count {
        if lines[line][column..<(column + word.count)].elementsEqual(word) { found.append((line, column)) }
        column += 1
      }
    }
    let aligned = found.filter { $0.column == mark.column - 1 }
    let others = found.filter { $0.column != mark.column - 1 }
    return Array((aligned + others).prefix(48))
  }

  private static func complains(about name: String, at mark: Mark, in text: String) -> Bool {
    do {
      _ = try Yams.compose(yaml: text, resolver)
      return false
    } catch let YamlError.duplicatedKeysInMapping(names, context) {
      return names.contains(name) && context.mark.line == mark.line && context.mark.column == mark.column
    } catch {
      return false
    }
  }
}
