import Faults

/// Accessories that run together, described by one file with their controllers and the virtual radio between them.
package struct Fleet: Sendable {
  /// The key that marks a file as a fleet.
  package static let mark = "understudy-fleet"
  /// The maximum number of accessories, which is the radio's maximum number of controllers.
  package static let limit = 2000

  /// The file, as the user named it.
  package var file: String
  /// The name of the fleet.
  package var name: String
  /// A description for people; empty if the file has none.
  package var about: String
  /// The seed for addresses and random values; nil if the file has none.
  package var seed: UInt64?
  /// The accessories. Those with a count are listed individually.
  package var members: [Member]
  /// The virtual radio.
  package var air: Air
  /// Problems that the author should know about, although the fleet can run.
  package var warnings: [Diagnostic]

  /// One accessory.
  package struct Member: Sendable {
    /// The name of the accessory; nil to use the name of the profile's file.
    package var name: String?
    /// The profile of the accessory.
    package var profile: Profile
    /// The seed for its address and random values; nil to use the fleet's.
    package var seed: UInt64?
    /// The address of its controller, in the syntax of the command line.
    package var controller: String
    /// The faults that are armed at the start, in addition to those of the profile.
    package var faults: [Fault]
    /// The position in the file.
    package var place: Place
  }

  /// The virtual radio, in the syntax of the command line.
  package struct Air: Hashable, Sendable {
    package var preset: String?
    package var impairments: [String] = []
    package var joins: [String] = []
    package var speed: String?
  }

  /// A position in the file.
  package struct Place: Hashable, Sendable {
    package var line: Int
    package var column: Int
  }

  /// The checks that other parts of the program provide for texts in a fleet. Each returns the reason why a text is invalid, or nil if it
  /// is valid.
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

  /// Returns whether the file at a path is a fleet: one of its lines begins with `understudy-fleet:`.
  package static func isFleet(at path: String) -> Bool {
    guard path != "-", case .success(let text) = FileReading.text(at: path) else { return false }
    return text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("\(mark):") }
  }

  /// Loads a fleet file. `settings` change keys and parameters of every profile, after those that the file sets.
  ///
  /// - Throws: All errors of the file, and of the profiles that it names, at once.
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

  /// Loads a fleet from its text. Messages refer to it as `file`, and paths in it are relative to `file`.
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
