/// A type that JSON can be parsed into.
protocol JSONNode {
  /// Whether it uses the path of its field, such as `characteristics[0].uuid`, for messages.
  static var keepsField: Bool { get }
  static func object(_ pairs: [(name: String, value: Self)], field: String) -> Self
  static func array(_ elements: [Self], field: String) -> Self
  static func string(_ text: String, field: String) -> Self
  /// Creates a number, true, false or null.
  static func word(_ text: String, field: String) -> Self
}

/// Parses JSON (RFC 8259).
struct JSONReader<Node: JSONNode> {
  private let octets: [UInt8]
  private var position = 0
  private var depth = 0
  /// The maximum nesting depth, which no service exceeds.
  private static var maximumDepth: Int { 100 }

  /// Parses a text, and returns the root node.
  static func read(_ octets: [UInt8]) throws(ProfileValueError) -> Node {
    var reader = JSONReader(octets: octets)
    do throws(JSONFault) {
      let root = try reader.value("")
      reader.skipSpace()
      guard reader.position == octets.count else { throw JSONFault() }
      return root
    } catch {
      if let key = error.duplicate {
        throw ProfileValueError("the key '\(key)' is a duplicate, before octet \(reader.position)")
      }
      throw ProfileValueError("the text is not JSON from octet \(reader.position) on")
    }
  }

  private init(octets: [UInt8]) { self.octets = octets }

  private var next: UInt8? { position < octets.count ? octets[position] : nil }

  private mutating func skipSpace() {
    while let octet = next, [0x20, 0x09, 0x0A, 0x0D].contains(octet) { position += 1 }
  }

  /// Skips a character. Returns false if the next one is another.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func value(_ field: String) throws(JSONFault) -> Node {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { throw JSONFault() }
    if take("{") { return .object(try pairs(field), field: field) }
    if take("[") { return .array(try elements(field), field: field) }
    if take("\"") { return .string(try string(), field: field) }
    return .word(try word(), field: field)
  }

  private mutating func pairs(_ field: String) throws(JSONFault) -> [(name: String, value: Node)] {
    var pairs: [(name: String, value: Node)] = []
    var names: Set<String> = []
    guard !take("}") else { return pairs }
    repeat {
      guard take("\"") else { throw JSONFault() }
      let name = try string()
      guard take(":") else { throw JSONFault() }
      let path = Node.keepsField && !field.isEmpty ? "\(field).\(name)" : name
      // An error, as in YAML: a key with two values is a mistake (RFC 8259 4).
      guard names.insert(name).inserted else { throw JSONFault(duplicate: name) }
      pairs.append((name: name, value: try value(path)))
    } while take(",")
    guard take("}") else { throw JSONFault() }
    return pairs
  }

  private mutating func elements(_ field: String) throws(JSONFault) -> [Node] {
    var elements: [Node] = []
    guard !take("]") else { return elements }
    repeat { elements.append(try value(Node.keepsField ? "\(field)[\(elements.count)]" : "")) } while take(",")
    guard take("]") else { throw JSONFault() }
    return elements
  }

  /// Parses a number, true, false or null.
  private mutating func word() throws(JSONFault) -> String {
    let start = position
    while let octet = next, Self.isWordOctet(octet) { position += 1 }
    let text = String(decoding: octets[start..<position], as: UTF8.self)
    let isNumber = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } && Double(text) != nil
    guard isNumber || ["true", "false", "null"].contains(text) else { throw JSONFault() }
    return text
  }

  private static func isWordOctet(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "E"),
      UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  // MARK: Texts

  /// Parses the rest of a string, after the first quotation mark.
  private mutating func string() throws(JSONFault) -> String {
    var text: [UInt8] = []
    while let octet = next {
      position += 1
      switch octet {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else { throw JSONFault() }
        return string
      case UInt8(ascii: "\\"): text += String(try escaped()).utf8
      case 0..<0x20: throw JSONFault()
      default: text.append(octet)
      }
    }
    throw JSONFault()
  }

  private mutating func escaped() throws(JSONFault) -> Unicode.Scalar {
    guard let octet = next else { throw JSONFault() }
    position += 1
    switch octet {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(octet)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let high = try unit()
      guard (0xD800...0xDBFF).contains(high) else { return try scalar(high) }
      // The second half of a surrogate pair follows.
      guard position + 1 < octets.count, octets[position...].starts(with: "\\u".utf8) else { throw JSONFault() }
      position += 2
      let low = try unit()
      guard (0xDC00...0xDFFF).contains(low) else { throw JSONFault() }
      return try scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    default: throw JSONFault()
    }
  }

  private func scalar(_ number: UInt32) throws(JSONFault) -> Unicode.Scalar {
    guard let scalar = Unicode.Scalar(number) else { throw JSONFault() }
    return scalar
  }

  /// Parses four hexadecimal digits.
  private mutating func unit() throws(JSONFault) -> UInt32 {
    let digits = octets[position...].prefix(4)
    guard digits.count == 4, !digits.contains(UInt8(ascii: "+")), !digits.contains(UInt8(ascii: "-")),
      let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw JSONFault() }
    position += 4
    return number
  }
}

/// The text is not JSON, or an object has a duplicate key.
private struct JSONFault: Error {
  var duplicate: String?
}
