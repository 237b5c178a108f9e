import Glibc

/// The texts of what comes with the program.
enum ShippedTexts {
  /// The names of the profiles.
  static let profiles = EmbeddedFiles.shipped.names(in: "Profiles/")
  /// The names of the services that profiles include.
  static let services = EmbeddedFiles.shipped.names(in: "Profiles/services/")
  /// The names of the scenarios.
  static let scenarios = EmbeddedFiles.shipped.names(in: "Scenarios/")
  /// The formats of characteristics, and of parts of them.
  static let formats = ShippedFormatTexts()

  /// The text of a profile; nil where there is none of that name.
  static func profile(_ name: String) -> String? { EmbeddedFiles.shipped.text(at: "Profiles/\(name).yaml") }

  /// The text of a service that profiles include; nil where there is none of that name.
  static func service(_ name: String) -> String? { EmbeddedFiles.shipped.text(at: "Profiles/services/\(name).yaml") }

  /// The text of a scenario or one of its accessories, by its path from Scenarios; nil where there is none.
  static func scenario(at path: String) -> String? { EmbeddedFiles.shipped.text(at: "Scenarios/\(path)") }
}

/// The texts of the formats: each is an entry of a file in Profiles/formats. The first use finds all entries; only those that are needed are
/// copied and parsed.
struct ShippedFormatTexts: Sendable {
  private var places: [String: (file: Int, range: Range<Int>)] = [:]

  fileprivate init() {
    places.reserveCapacity(256)
    EmbeddedFiles.shipped.forEach(below: "Profiles/formats/") { file, _, text in addEntries(of: file, text) }
  }

  /// The names of all formats, sorted.
  var names: [String] { places.keys.sorted() }

  /// The text of a format: what stands behind its key; nil where there is none of that name.
  subscript(name: String) -> String? { places[name].flatMap { EmbeddedFiles.shipped.text($0.file, $0.range) } }

  /// An entry begins with a key in the first column; the lines of its value are indented.
  private mutating func addEntries(of file: Int, _ text: UnsafePointer<CChar>) {
    var open: (name: String, start: Int)?
    var line = text
    while true {
      let isIndented = line.pointee == CChar(UInt8(ascii: " "))
      if !isIndented, let (name, start) = open.take() { places[name] = (file, start..<(line - text)) }
      guard line.pointee != 0 else { return }
      let end = strchr(line, Int32(UInt8(ascii: "\n"))).map { UnsafePointer($0) } ?? line + strlen(line)
      if !isIndented, let colon = memchr(line, Int32(UInt8(ascii: ":")), end - line),
        line.pointee != CChar(UInt8(ascii: "#"))
      {
        let key = UnsafeRawBufferPointer(start: line, count: UnsafeRawPointer(colon) - UnsafeRawPointer(line))
        open = (String(decoding: key, as: UTF8.self), UnsafeRawPointer(colon) + 1 - UnsafeRawPointer(text))
      }
      line = end + (end.pointee == 0 ? 0 : 1)
    }
  }
}
