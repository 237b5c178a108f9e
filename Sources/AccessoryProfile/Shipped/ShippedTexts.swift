#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The texts of the shipped files.
enum ShippedTexts {
  /// The names of the profiles.
  static let profiles = EmbeddedFiles.shipped.names(in: "Profiles/")
  /// The names of the services for profiles to include.
  static let services = EmbeddedFiles.shipped.names(in: "Profiles/services/")
  /// The names of the scenarios.
  static let scenarios = EmbeddedFiles.shipped.names(in: "Scenarios/")
  /// The formats of characteristics and of their parts.
  static let formats = ShippedFormatTexts()

  /// Returns the text of a profile; nil if there is none with that name.
  static func profile(_ name: String) -> String? { EmbeddedFiles.shipped.text(at: "Profiles/\(name).yaml") }

  /// Returns the text of a service for profiles to include; nil if there is none with that name.
  static func service(_ name: String) -> String? { EmbeddedFiles.shipped.text(at: "Profiles/services/\(name).yaml") }

  /// Returns the text of a scenario, or of one of its accessories, given its path below Scenarios; nil if there is none.
  static func scenario(at path: String) -> String? { EmbeddedFiles.shipped.text(at: "Scenarios/\(path)") }
}

/// The texts of the formats, each of which is an entry of a file in Profiles/formats. The first use locates all entries. Only those that
/// are used are copied and parsed.
struct ShippedFormatTexts: Sendable {
  private var places: [String: (file: Int, range: Range<Int>)] = [:]

  fileprivate init() {
    places.reserveCapacity(256)
    EmbeddedFiles.shipped.forEach(below: "Profiles/formats/") { file, _, text in addEntries(of: file, text) }
  }

  /// The names of all formats, sorted.
  var names: [String] { places.keys.sorted() }

  /// The text of a format, which is the value of its key; nil if there is none with that name.
  subscript(name: String) -> String? { places[name].flatMap { EmbeddedFiles.shipped.text($0.file, $0.range) } }

  /// Locates the entries of a file. An entry begins with a key in the first column. The lines of its value are indented.
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
