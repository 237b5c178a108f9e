import Faults

/// Accessories that run together, as one file describes them, with their controllers and the air between them.
package struct Fleet: Sendable {
  /// The key by which a file is one of a fleet.
  package static let mark = "understudy-fleet"
  /// No fleet has more accessories: as many controllers as a radio has.
  package static let limit = 2000

  /// The file as the user named it.
  package var file: String
  /// What it is called.
  package var name: String
  /// What it is, for people; empty where the file does not say.
  package var about: String
  /// For addresses and what is random; nil where the file does not say.
  package var seed: UInt64?
  /// The accessories, those with a count one by one.
  package var members: [Member]
  /// The virtual radio.
  package var air: Air
  /// What the author should know although the fleet can be run.
  package var warnings: [Diagnostic]

  /// One accessory.
  package struct Member: Sendable {
    /// What it is called; nil for the name of its profile's file.
    package var name: String?
    /// What it is.
    package var profile: Profile
    /// For its address and what is random; nil for the fleet's.
    package var seed: UInt64?
    /// The address of its controller, as the command line takes it.
    package var controller: String
    /// What it does wrong from the start, besides what its profile says.
    package var faults: [Fault]
    /// Where the file speaks of it.
    package var place: Place
  }

  /// The virtual radio, in the words of the command line.
  package struct Air: Hashable, Sendable {
    package var preset: String?
    package var impairments: [String] = []
    package var joins: [String] = []
    package var speed: String?
  }

  /// A line and a column of the file.
  package struct Place: Hashable, Sendable {
    package var line: Int
    package var column: Int
  }

  /// What other parts of the program understand of a text in a fleet: why a text is none of theirs; nil where it is right.
  package struct Words: Sendable {
    package typealias Check = @Sendable (String) -> String?

    var controller: Check
    var preset: Check
    var impairment: Check
    var join: Check
    var speed: Check

    package init(
      controller: @escaping Check, preset: @escaping Check, impairment: @escaping Check, join: @escaping Check,
      speed: @escaping Check
    ) {
      self.controller = controller
      self.preset = preset
      self.impairment = impairment
      self.join = join
      self.speed = speed
    }
  }

  /// Whether the file at a path is one of a fleet: one of its lines begins with `understudy-fleet:`.
  package static func isFleet(at path: String) -> Bool {
    guard path != "-", case .success(let text) = FileReading.text(at: path) else { return false }
    return text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("\(mark):") }
  }

  /// Loads a fleet file. Throws all that is wrong with it, and with the profiles that it names, at once. `settings` change keys and
  /// parameters of every profile, after what the file sets.
  package static func load(
    contentsOf path: String, words: Words, settings: [ProfileSetting] = []
  ) throws(ProfileError) -> Fleet {
    switch FileReading.text(at: path) {
    case .success(let text): return try load(text: text, file: path, words: words, settings: settings)
    case .failure(let error):
      throw ProfileError(diagnostics: [
        Diagnostic(file: path, line: 1, column: 1, severity: .error, message: error.reason, sourceLine: "")
      ])
    }
  }

  /// Loads a fleet from its text; `file` is what messages call it, and where files that it names are looked for.
  package static func load(
    text: String, file: String, words: Words, settings: [ProfileSetting] = []
  ) throws(ProfileError) -> Fleet {
    let source = SourceFile(name: file, text: text)
    let (root, faults) = YAMLReader.read(text, source: source)
    var loader = ProfileLoader(source: source, diagnostics: faults)
    let fleet = root.flatMap { loader.fleet($0, words, settings) }
    let diagnostics = loader.sortedDiagnostics
    guard var fleet, !loader.hasError else {
      throw ProfileError(diagnostics: diagnostics, omitted: loader.omitted)
    }
    fleet.warnings = diagnostics
    return fleet
  }
}
