import AccessoryProfile

/// The text of a tree with one node per line, so that the line of a diagnostic identifies a node.
struct ProfileTreeText {
  private(set) var lines: [String] = []
  /// The path of each line's node: the index of each ancestor and of the node itself among its siblings.
  private(set) var paths: [[Int]] = []

  init(_ tree: ProfileTree) { write(tree, head: "", path: [], tail: "") }

  var text: String { lines.joined(separator: "\n") + "\n" }

  private mutating func put(_ line: String, _ path: [Int]) {
    lines.append(String(repeating: " ", count: path.count) + line)
    paths.append(path)
  }

  private mutating func write(_ tree: ProfileTree, head: String, path: [Int], tail: String) {
    switch tree {
    case .scalar(let text, let isQuoted): put(head + Self.scalar(text, isQuoted) + tail, path)
    case .list(let members):
      put(head + "[", path)
      for (place, member) in members.enumerated() {
        write(member, head: "", path: path + [place], tail: place + 1 < members.count ? "," : "")
      }
      put("]" + tail, path)
    case .mapping(let pairs):
      put(head + "{", path)
      for (place, pair) in pairs.enumerated() {
        write(
          pair.value, head: Self.scalar(pair.key, !Self.isPlain(pair.key)) + ": ", path: path + [place],
          tail: place + 1 < pairs.count ? "," : "")
      }
      put("}" + tail, path)
    }
  }

  /// Returns the text on one line, as for a fault on the command line.
  static func line(_ tree: ProfileTree) -> String {
    switch tree {
    case .scalar(let text, let isQuoted): scalar(text, isQuoted)
    case .list(let members): "[\(members.map { line($0) }.joined(separator: ", "))]"
    case .mapping(let pairs):
      "{ \(pairs.map { "\(scalar($0.key, !isPlain($0.key))): \(line($0.value))" }.joined(separator: ", ")) }"
    }
  }

  private static func scalar(_ text: String, _ isQuoted: Bool) -> String {
    guard isQuoted || !isPlain(text) else { return text }
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      default:
        if scalar.value < 0x20 || scalar.value == 0x7F {
          let digits = String(scalar.value, radix: 16)
          result += "\\x" + (digits.count < 2 ? "0" : "") + digits
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  /// Returns whether a text needs no quotes, even within braces and brackets.
  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, let last = text.utf8.last, first != UInt8(ascii: " "),
      last != UInt8(ascii: " "), last != UInt8(ascii: ":")
    else { return false }
    let isStart = first == UInt8(ascii: "-") ? text.utf8.count > 1 && !text.hasPrefix("- ") : isWordOctet(first)
    return isStart && !text.contains(": ")
      && text.utf8.allSatisfy { isWordOctet($0) || " -+:%/()".utf8.contains($0) }
  }

  private static func isWordOctet(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }
}

extension ProfileTree {
  /// The number of nodes in the tree.
  var size: Int {
    switch self {
    case .scalar: 1
    case .list(let members): members.reduce(1) { $0 + $1.size }
    case .mapping(let pairs): pairs.reduce(1) { $0 + $1.value.size }
    }
  }

  /// The children in order.
  var children: [ProfileTree] {
    switch self {
    case .scalar: []
    case .list(let members): members
    case .mapping(let pairs): pairs.map(\.value)
    }
  }

  /// Returns the value of a key; nil if there is none.
  subscript(key: String) -> ProfileTree? {
    guard case .mapping(let pairs) = self else { return nil }
    return pairs.first { $0.key == key }?.value
  }

  /// Returns the tree without the node at a path.
  func removing(_ path: ArraySlice<Int>) -> ProfileTree {
    guard let place = path.first else { return self }
    let rest = path.dropFirst()
    switch self {
    case .scalar: return self
    case .list(var members):
      guard members.indices.contains(place) else { return self }
      if rest.isEmpty { members.remove(at: place) } else { members[place] = members[place].removing(rest) }
      return .list(members)
    case .mapping(var pairs):
      guard pairs.indices.contains(place) else { return self }
      if rest.isEmpty { pairs.remove(at: place) } else { pairs[place].value = pairs[place].value.removing(rest) }
      return .mapping(pairs)
    }
  }

  static func word(_ text: String) -> ProfileTree { .scalar(text, isQuoted: false) }

  static func number(_ number: some BinaryInteger) -> ProfileTree { .scalar("\(number)", isQuoted: false) }
}
