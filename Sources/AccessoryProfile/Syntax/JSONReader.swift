/// Reads JSON (RFC 8259) as the syntax of profiles, in which the order of the keys means something: that of the fields of a
/// struct, for one. Messages name the field that is meant: `characteristics[0].uuid`.
struct JSONReader {
  private let octets: [UInt8]
  private var position = 0
  private var depth = 0
  /// No service is nested more deeply.
  private static let maximumDepth = 100

  /// A text that is not JSON.
  struct Fault: Error {}

  /// The root node of a text.
  static func read(_ octets: [UInt8]) throws(ProfileValueError) -> SyntaxNode {
    var reader = JSONReader(octets: octets)
    do throws(Fault) {
      let root = try reader.value("")
      reader.skipSpace()
      guard reader.position == octets.count else { throw Fault() }
      return root
    } catch {
      throw ProfileValueError("the octet \(reader.position) of the text is not JSON any longer")
    }
  }

  private init(octets: [UInt8]) { self.octets = octets }

  private var next: UInt8? { position < octets.count ? octets[position] : nil }

  private mutating func skipSpace() {
    while let octet = next, [0x20, 0x09, 0x0A, 0x0D].contains(octet) { position += 1 }
  }

  /// Goes past a character; false where another one stands.
  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func value(_ field: String) throws(Fault) -> SyntaxNode {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else { throw Fault() }
    if take("{") { return SyntaxNode(.mapping(try pairs(field)), field: field) }
    if take("[") { return SyntaxNode(.sequence(try elements(field)), field: field) }
    if take("\"") { return SyntaxNode(text: try string(), field: field) }
    return SyntaxNode(.scalar(try word(), isQuoted: false), field: field)
  }

  private mutating func pairs(_ field: String) throws(Fault) -> [SyntaxPair] {
    var pairs: [SyntaxPair] = []
    var places: [String: Int] = [:]
    guard !take("}") else { return pairs }
    repeat {
      guard take("\"") else { throw Fault() }
      let name = try string()
      guard take(":") else { throw Fault() }
      let key = SyntaxNode(.scalar(name, isQuoted: false), field: field)
      let pair = SyntaxPair(key: key, value: try value(field.isEmpty ? name : "\(field).\(name)"))
      // As with any other reader of JSON, the last of two equal keys counts.
      if let place = places[name] {
        pairs[place] = pair
      } else {
        places[name] = pairs.count
        pairs.append(pair)
      }
    } while take(",")
    guard take("}") else { throw Fault() }
    return pairs
  }

  private mutating func elements(_ field: String) throws(Fault) -> [SyntaxNode] {
    var elements: [SyntaxNode] = []
    guard !take("]") else { return elements }
    repeat { elements.append(try value("\(field)[\(elements.count)]")) } while take(",")
    guard take("]") else { throw Fault() }
    return elements
  }

  /// A number, true, false or null.
  private mutating func word() throws(Fault) -> String {
    let start = position
    while let octet = next, Self.isWordOctet(octet) { position += 1 }
    let text = String(decoding: octets[start..<position], as: UTF8.self)
    let isNumber = text.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) } && Double(text) != nil
    guard isNumber || ["true", "false", "null"].contains(text) else { throw Fault() }
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

  /// The rest of a text whose first quotation mark has been taken.
  private mutating func string() throws(Fault) -> String {
    var text: [UInt8] = []
    while let octet = next {
      position += 1
      switch octet {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else { throw Fault() }
        return string
      case UInt8(ascii: "\\"): text += String(try escaped()).utf8
      case 0..<0x20: throw Fault()
      default: text.append(octet)
      }
    }
    throw Fault()
  }

  private mutating func escaped() throws(Fault) -> Unicode.Scalar {
    guard let octet = next else { throw Fault() }
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
      guard position + 1 < octets.count, octets[position...].starts(with: "\\u".utf8) else { throw Fault() }
      position += 2
      let low = try unit()
      guard (0xDC00...0xDFFF).contains(low) else { throw Fault() }
      return try scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    default: throw Fault()
    }
  }

  private func scalar(_ number: UInt32) throws(Fault) -> Unicode.Scalar {
    guard let scalar = Unicode.Scalar(number) else { throw Fault() }
    return scalar
  }

  /// Four hexadecimal digits.
  private mutating func unit() throws(Fault) -> UInt32 {
    let digits = octets[position...].prefix(4)
    guard digits.count == 4, !digits.contains(UInt8(ascii: "+")), !digits.contains(UInt8(ascii: "-")),
      let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw Fault() }
    position += 4
    return number
  }
}
