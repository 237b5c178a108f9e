/// An element of an XML text.
struct XMLElement: Hashable, Sendable {
  /// The name, without a namespace prefix.
  var name: String
  var attributes: [XMLAttribute] = []
  var children: [XMLElement] = []
  /// The text directly in the element.
  var text = ""
  /// The offset of the element's `<`.
  var offset: Int

  /// Returns the value of an attribute.
  subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

  /// The text without white space at its ends.
  var trimmedText: String { text.trimmingWhitespace }
}

/// An attribute of an element.
struct XMLAttribute: Hashable, Sendable {
  var name: String
  var value: String
  var offset: Int
}

/// Parses XML 1.0 without document type declarations. So only the five predefined entities exist, and nothing can grow.
struct XMLReader {
  private let source: ImportSource
  private var position = 0
  /// The maximum depth of nested elements. Descriptions of GATT servers need only a few levels.
  private static let depthLimit = 64

  /// Parses a file. Returns its root element.
  static func read(_ source: ImportSource) throws(ImportError) -> XMLElement {
    var reader = XMLReader(source: source)
    try reader.skipMisc()
    guard reader.next == UInt8(ascii: "<") else { throw reader.error("an element is expected here") }
    let root = try reader.element(depth: 1)
    try reader.skipMisc()
    guard reader.next == nil else { throw reader.error("the document ends before this; remove what follows") }
    return root
  }

  private init(source: ImportSource) { self.source = source }

  private var next: UInt8? { position < source.octets.count ? source.octets[position] : nil }

  private func error(_ message: String, at offset: Int? = nil) -> ImportError {
    source.error(offset ?? position, message)
  }

  private func starts(with text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard position + count <= source.octets.count else { return false }
    for index in 0..<count where source.octets[position + index] != text.utf8Start[index] { return false }
    return true
  }

  private mutating func skipSpace() {
    while let octet = next, [0x20, 0x09, 0x0A, 0x0D].contains(octet) { position += 1 }
  }

  /// Skips up to and including a text.
  private mutating func skip(past text: StaticString, of what: String) throws(ImportError) {
    let start = position
    while next != nil {
      if starts(with: text) { return position += text.utf8CodeUnitCount }
      position += 1
    }
    throw error("\(what) does not end; the file may be cut off", at: start)
  }

  /// Skips white space, comments and processing instructions outside the root element.
  private mutating func skipMisc() throws(ImportError) {
    while true {
      skipSpace()
      if starts(with: "<?") {
        try skip(past: "?>", of: "this processing instruction")
      } else if starts(with: "<!--") {
        try skip(past: "-->", of: "this comment")
      } else if starts(with: "<!DOCTYPE") {
        throw error("document type declarations are refused, because entities can grow without end; remove this one")
      } else {
        return
      }
    }
  }

  // MARK: Elements

  private mutating func element(depth: Int) throws(ImportError) -> XMLElement {
    guard depth <= Self.depthLimit else {
      throw error("this is nested too deeply; at most \(Self.depthLimit) levels are read")
    }
    let start = position
    position += 1
    var element = XMLElement(name: try name(), offset: start)
    while true {
      skipSpace()
      if starts(with: "/>") {
        position += 2
        return element
      }
      if next == UInt8(ascii: ">") {
        position += 1
        break
      }
      guard next != nil else {
        throw error("the tag '\(element.name)' does not end; the file may be cut off", at: start)
      }
      let attribute = try attribute()
      guard element[attribute.name] == nil else {
        throw error("the attribute '\(attribute.name)' is given twice", at: attribute.offset)
      }
      element.attributes.append(attribute)
    }
    try content(of: &element, depth: depth)
    return element
  }

  private mutating func content(of element: inout XMLElement, depth: Int) throws(ImportError) {
    var text: [UInt8] = []
    while let octet = next {
      if starts(with: "</") {
        let place = position
        position += 2
        let name = try name()
        guard name == element.name else {
          throw error("'</\(name)>' does not match the open element '\(element.name)'", at: place)
        }
        skipSpace()
        guard next == UInt8(ascii: ">") else { throw error("'>' is expected here") }
        position += 1
        element.text = String(decoding: text, as: UTF8.self)
        return
      } else if starts(with: "<!--") {
        try skip(past: "-->", of: "this comment")
      } else if starts(with: "<![CDATA[") {
        let start = position + 9
        try skip(past: "]]>", of: "this CDATA section")
        text += source.octets[start..<(position - 3)]
      } else if starts(with: "<?") {
        try skip(past: "?>", of: "this processing instruction")
      } else if starts(with: "<!") {
        throw error("declarations are refused; remove this one")
      } else if octet == UInt8(ascii: "<") {
        element.children.append(try self.element(depth: depth + 1))
      } else if octet == UInt8(ascii: "&") {
        text += String(try reference()).utf8
      } else {
        text.append(octet)
        position += 1
      }
    }
    throw error("the element '\(element.name)' does not end; the file may be cut off", at: element.offset)
  }

  private mutating func attribute() throws(ImportError) -> XMLAttribute {
    let start = position
    let name = try name()
    skipSpace()
    guard next == UInt8(ascii: "=") else { throw error("'=' is expected after the attribute '\(name)'") }
    position += 1
    skipSpace()
    guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw error("the value of '\(name)' needs quotes")
    }
    position += 1
    var value: [UInt8] = []
    while let octet = next, octet != quote {
      if octet == UInt8(ascii: "<") { throw error("a value cannot contain '<'; a quotation mark may be missing") }
      if octet == UInt8(ascii: "&") {
        value += String(try reference()).utf8
      } else {
        value.append([0x09, 0x0A, 0x0D].contains(octet) ? 0x20 : octet)
        position += 1
      }
    }
    guard next != nil else { throw error("the value of '\(name)' does not end; the file may be cut off", at: start) }
    position += 1
    return XMLAttribute(name: name, value: String(decoding: value, as: UTF8.self), offset: start)
  }

  /// Parses a name, and drops its namespace prefix.
  private mutating func name() throws(ImportError) -> String {
    let start = position
    while let octet = next, Self.isNameOctet(octet) { position += 1 }
    guard position > start, !Self.isDigitOrSign(source.octets[start]) else {
      throw error("a name is expected here", at: start)
    }
    let name = String(decoding: source.octets[start..<position], as: UTF8.self)
    return name.split(separator: ":").last.map { String($0) } ?? name
  }

  private static func isNameOctet(_ octet: UInt8) -> Bool {
    switch octet {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
      UInt8(ascii: ":"), 0x80...:
      true
    default: false
    }
  }

  private static func isDigitOrSign(_ octet: UInt8) -> Bool {
    "0123456789-.".utf8.contains(octet)
  }

  /// Parses a reference to a character or to one of the five predefined entities.
  private mutating func reference() throws(ImportError) -> Unicode.Scalar {
    let start = position
    let end = source.octets[position...].prefix(12).firstIndex(of: UInt8(ascii: ";"))
    guard let end else { throw error("'&' begins a reference that does not end; write &amp; for the sign itself") }
    let name = String(decoding: source.octets[(position + 1)..<end], as: UTF8.self)
    position = end + 1
    if name.hasPrefix("#") {
      let digits = name.dropFirst()
      let isHexadecimal = digits.hasPrefix("x")
      if let number = UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10), number > 0,
        let scalar = Unicode.Scalar(number)
      {
        return scalar
      }
      throw error("'&\(name);' is not a character", at: start)
    }
    let known: [String: Unicode.Scalar] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
    guard let scalar = known[name] else {
      throw error("the entity '&\(name);' is not known; only &amp; &lt; &gt; &quot; &apos; are", at: start)
    }
    return scalar
  }
}

extension String {
  /// The text without white space at its ends.
  var trimmingWhitespace: String {
    var rest = self[...]
    while let first = rest.first, first.isWhitespace { rest.removeFirst() }
    while let last = rest.last, last.isWhitespace { rest.removeLast() }
    return String(rest)
  }
}
