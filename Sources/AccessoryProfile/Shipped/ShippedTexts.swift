/// The texts of what comes with the program.
enum ShippedTexts {
  /// The names of the profiles.
  static let profiles = EmbeddedFiles.shipped.names(in: "Profiles")
  /// The names of the services that profiles include.
  static let services = EmbeddedFiles.shipped.names(in: "Profiles/services")
  /// The names of the scenarios.
  static let scenarios = EmbeddedFiles.shipped.names(in: "Scenarios")
  /// The formats of characteristics, and of parts of them.
  static let formats = ShippedFormatTexts()

  /// The text of a profile; nil where there is none of that name.
  static func profile(_ name: String) -> String? { EmbeddedFiles.shipped.text(at: "Profiles/\(name).yaml") }

  /// The text of a service that profiles include; nil where there is none of that name.
  static func service(_ name: String) -> String? { EmbeddedFiles.shipped.text(at: "Profiles/services/\(name).yaml") }

  /// The text of a scenario or one of its accessories, by its path from Scenarios; nil where there is none.
  static func scenario(at path: String) -> String? { EmbeddedFiles.shipped.text(at: "Scenarios/\(path)") }
}

/// The texts of the formats: each is an entry of a file in Profiles/formats. One scan finds all entries; only those that are needed are parsed.
struct ShippedFormatTexts: Sendable {
  private var texts: [String] = []
  private var places: [String: (text: Int, range: Range<Int>)] = [:]

  fileprivate init() {
    for name in EmbeddedFiles.shipped.names(in: "Profiles/formats") {
      guard var text = EmbeddedFiles.shipped.text(at: "Profiles/formats/\(name).yaml") else { continue }
      text.withUTF8 { addEntries($0) }
      texts.append(text)
    }
  }

  /// The names of all formats, sorted.
  var names: [String] { places.keys.sorted() }

  /// The text of a format: what stands behind its key; nil where there is none of that name.
  subscript(name: String) -> String? {
    guard let place = places[name] else { return nil }
    let octets = texts[place.text].utf8
    let start = octets.index(octets.startIndex, offsetBy: place.range.lowerBound)
    return String(octets[start..<octets.index(start, offsetBy: place.range.count)])
  }

  /// An entry begins with a key in the first column; the lines of its value are indented.
  private mutating func addEntries(_ octets: UnsafeBufferPointer<UInt8>) {
    var open: (name: String, start: Int)?
    var start = 0
    while start < octets.count {
      let end = octets[start...].firstIndex(of: UInt8(ascii: "\n")) ?? octets.count
      if octets[start] != UInt8(ascii: " ") {
        if let entry = open.take() { places[entry.name] = (texts.count, entry.start..<start) }
        let key = octets[start..<end].prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "#") }
        if key.endIndex < end, octets[key.endIndex] == UInt8(ascii: ":") {
          open = (String(decoding: key, as: UTF8.self), key.endIndex + 1)
        }
      }
      start = end + 1
    }
    if let entry = open { places[entry.name] = (texts.count, entry.start..<octets.count) }
  }
}
