import AccessoryProfile

/// A value of a JSON text, with its position in the file.
struct PlacedJSON: Sendable {
  var content: Content
  /// The offset of its first octet.
  var offset: Int

  indirect enum Content: Sendable {
    /// A number, true, false or null.
    case word(String)
    case string(String)
    case array([PlacedJSON])
    case object([(key: String, value: PlacedJSON)])
  }

  /// Returns the value of a key of an object.
  subscript(key: String) -> PlacedJSON? {
    guard case .object(let pairs) = content else { return nil }
    return pairs.first { $0.key == key }?.value
  }

  /// The members of an array.
  var elements: [PlacedJSON]? {
    guard case .array(let elements) = content else { return nil }
    return elements
  }

  /// The pairs of an object.
  var pairs: [(key: String, value: PlacedJSON)]? {
    guard case .object(let pairs) = content else { return nil }
    return pairs
  }

  /// The text of a string.
  var string: String? {
    guard case .string(let text) = content else { return nil }
    return text
  }

  /// A number.
  var number: Double? {
    guard case .word(let text) = content, !["true", "false", "null"].contains(text) else { return nil }
    return Double(text)
  }

  /// A whole number that fits.
  var integer: Int? { number.flatMap { Int(exactly: $0) } }

  /// True or false.
  var boolean: Bool? {
    guard case .word(let text) = content else { return nil }
    return text == "true" ? true : text == "false" ? false : nil
  }
}

/// Parses JSON (RFC 8259), and keeps the positions for messages.
struct PlacedJSONReader {
  private let source: ImportSource
  private var position = 0
  private static let depthLimit = 100

  /// Parses a file. Returns its root value.
  static func read(_ source: ImportSource) throws(ImportError) -> PlacedJSON {
    var reader = PlacedJSONReader(source: source)
    let root = try reader.value(depth: 1)
    reader.skipSpace()
    guard reader.next == nil else {
      throw source.error(reader.position, "the JSON value ends before this; remove what follows")
    }
    return root
  }

  private init(source: ImportSource) { self.source = source }

  private var next: UInt8? { position < source.octets.count ? source.octets[position] : nil }

  private mutating func skipSpace() {
    while let octet = next, [0x20, 0x09, 0x0A, 0x0D].contains(octet) { position += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    skipSpace()
    guard next == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private func unexpected(_ what: String) -> ImportError {
    let end = next == nil ? "; the file may be cut off" : ""
    return source.error(position, "this is not JSON: \(what) is expected\(end)")
  }

  private mutating func value(depth: Int) throws(ImportError) -> PlacedJSON {
    guard depth <= Self.depthLimit else {
      throw source.error(position, "this is nested too deeply; at most \(Self.depthLimit) levels are read")
    }
    skipSpace()
    let start = position
    if take("{") { return PlacedJSON(content: .object(try pairs(depth)), offset: start) }
    if take("[") { return PlacedJSON(content: .array(try elements(depth)), offset: start) }
    if next == UInt8(ascii: "\"") { return PlacedJSON(content: .string(try string()), offset: start) }
    while let octet = next, Self.isWordOctet(octet) { position += 1 }
    let text = String(decoding: source.octets[start..<position], as: UTF8.self)
    let isNumber = text.utf8.first.map { "-0123456789".utf8.contains($0) } == true && Double(text) != nil
    guard isNumber || ["true", "false", "null"].contains(text) else {
      position = start
      throw unexpected("a value")
    }
    return PlacedJSON(content: .word(text), offset: start)
  }

  private static func isWordOctet(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "E"): true
    default: "+-.".utf8.contains(octet)
    }
  }

  private mutating func pairs(_ depth: Int) throws(ImportError) -> [(key: String, value: PlacedJSON)] {
    var pairs: [(key: String, value: PlacedJSON)] = []
    var names: Set<String> = []
    guard !take("}") else { return pairs }
    repeat {
      skipSpace()
      let start = position
      guard next == UInt8(ascii: "\"") else { throw unexpected("a key in quotes") }
      let key = try string()
      guard names.insert(key).inserted else { throw source.error(start, "the key '\(key)' is a duplicate") }
      guard take(":") else { throw unexpected("':'") }
      pairs.append((key, try value(depth: depth + 1)))
    } while take(",")
    guard take("}") else { throw unexpected("',' or '}'") }
    return pairs
  }

  private mutating func elements(_ depth: Int) throws(ImportError) -> [PlacedJSON] {
    var elements: [PlacedJSON] = []
    guard !take("]") else { return elements }
    repeat { elements.append(try value(depth: depth + 1)) } while take(",")
    guard take("]") else { throw unexpected("',' or ']'") }
    return elements
  }

  /// Parses a string: finds its end, and lets the profile language's parser decode it.
  private mutating func string() throws(ImportError) -> String {
    let start = position
    position += 1
    while let octet = next, octet != UInt8(ascii: "\"") { position += octet == UInt8(ascii: "\\") ? 2 : 1 }
    guard next != nil else {
      throw source.error(start, "the string does not end; the file may be cut off")
    }
    position += 1
    guard case .string(let text) = try? ProfileValue(json: Array(source.octets[start..<position])) else {
      throw source.error(start, "the string has a character or an escape that JSON does not allow")
    }
    return text
  }
}
