import AccessoryProfile
import BLECore

/// The text of an imported file.
package struct ImportSource: Sendable {
  /// The file, as the user named it.
  package let name: String
  /// The octets of the text.
  let octets: [UInt8]
  /// The offset of each line.
  private let starts: [Int]
  /// The number of scalars before every `step`th octet, so that finding a position takes no longer in long lines.
  private let scalars: [Int]
  private static let step = 1024
  /// The longest line that messages show, in octets.
  private static let shownLine = 4096

  package init(name: String, text: String) {
    self.name = name
    octets = Array(text.utf8)
    var starts = [0]
    var scalars: [Int] = []
    var count = 0
    for (offset, octet) in octets.enumerated() {
      if offset.isMultiple(of: Self.step) { scalars.append(count) }
      if octet == UInt8(ascii: "\n") { starts.append(offset + 1) }
      if octet & 0xC0 != 0x80 { count += 1 }
    }
    scalars.append(count)
    self.starts = starts
    self.scalars = scalars
  }

  /// Returns the number of scalars that begin before an octet.
  private func scalars(before offset: Int) -> Int {
    let block = offset / Self.step
    return scalars[block] + octets[(block * Self.step)..<offset].count { $0 & 0xC0 != 0x80 }
  }

  /// The text.
  var text: String { String(decoding: octets, as: UTF8.self) }

  /// Returns the position of an octet.
  func place(of offset: Int) -> SourcePlace {
    let offset = min(max(offset, 0), octets.count)
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    let column = scalars(before: offset) - scalars(before: starts[low]) + 1
    return SourcePlace(file: name, line: low + 1, column: column)
  }

  /// Returns the text of a line, counted from 1, without its end; empty if it is too long to be shown.
  func line(_ number: Int) -> String {
    guard starts.indices.contains(number - 1) else { return "" }
    let end = number < starts.count ? starts[number] - 1 : octets.count
    var line = octets[starts[number - 1]..<max(end, starts[number - 1])]
    guard line.count <= Self.shownLine else { return "" }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return String(decoding: line, as: UTF8.self)
  }
}

/// The error when a file cannot be imported.
package struct ImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The errors, and the warnings before them.
  package var diagnostics: [Diagnostic]

  package init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  /// All diagnostics, each with its source line.
  package var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}

/// The warnings of a reader about a file.
struct ImportLog {
  /// The maximum number of kept warnings. Further ones are only counted.
  private static let limit = 100

  private(set) var warnings: [Diagnostic] = []
  /// The number of warnings beyond the limit.
  private(set) var omitted = 0

  /// Adds a warning about the part of a file at an offset.
  mutating func warn(_ source: ImportSource, _ offset: Int, _ message: String) {
    guard warnings.count < Self.limit else { return omitted += 1 }
    warnings.append(source.diagnostic(offset, .warning, message))
  }

  /// Adds a warning about the part at a position; nil for the beginning of the file.
  mutating func warn(_ source: ImportSource, _ place: SourcePlace?, _ message: String) {
    guard warnings.count < Self.limit else { return omitted += 1 }
    let isHere = place?.file == source.name
    warnings.append(
      Diagnostic(
        file: place?.file ?? source.name, line: place?.line ?? 1, column: place?.column ?? 1, severity: .warning,
        message: message, sourceLine: isHere ? source.line(place?.line ?? 1) : ""))
  }
}

extension ImportSource {
  /// Returns a diagnostic about the part of the file at an offset.
  func diagnostic(_ offset: Int, _ severity: Diagnostic.Severity, _ message: String) -> Diagnostic {
    let place = place(of: offset)
    return Diagnostic(
      file: name, line: place.line, column: place.column, severity: severity,
      message: message, sourceLine: line(place.line))
  }

  /// Returns the error that ends the import at an offset.
  func error(_ offset: Int, _ message: String) -> ImportError { ImportError([diagnostic(offset, .error, message)]) }
}
