import AccessoryProfile
import Importing

/// Files of other tools. Any text of any format makes a valid profile, or errors whose places are in the text.
package enum ImportTarget: FuzzTarget {
  package static let name = "import"
  package static let maximumLength = 4096

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    // The first octet names the format, or leaves it to the content.
    let formats = ImportFormat.all
    let choice = Int(input.octet())
    let format = choice < formats.count ? formats[choice].name : nil
    guard let text = String(validating: input.rest(), as: UTF8.self) else { return }
    let source = ImportSource(name: "input", text: text)
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }).count
    switch Result(catching: { () throws(ImportError) in try ProfileImport.read(source, format: format) }) {
    case .success(let result):
      try require((try? Profile.load(text: result.written.text)) != nil, "what was imported is no valid profile")
      try check(result.warnings, lines)
    case .failure(let error):
      try check(error.diagnostics, lines)
      try require(error.diagnostics.contains { $0.severity == .error }, "there is no profile, but no error either")
    }
  }

  /// Checks that each diagnostic is in the text.
  private static func check(_ diagnostics: [Diagnostic], _ lines: Int) throws(Violation) {
    for diagnostic in diagnostics {
      try require((1...max(1, lines)).contains(diagnostic.line), "line \(diagnostic.line) of \(lines): \(diagnostic)")
    }
  }

  package static var seeds: [Seed] { ImportSeeds.all }
}
