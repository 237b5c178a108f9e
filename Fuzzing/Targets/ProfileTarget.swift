import AccessoryProfile
import BLECore
import BLEGATT
import BLEL2CAP
import BLELink
import Linting
import PeripheralHost

/// The profile language. Any text makes a profile that runs, or diagnostics in order, whose places are in the text.
package enum ProfileTarget: FuzzTarget {
  package static let name = "profile"
  package static let maximumLength = 2048

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    // A file with other octets is refused before it is read as YAML.
    guard let text = String(validating: input.rest(), as: UTF8.self) else { return }
    switch Result(catching: { () throws(ProfileError) in try Profile.load(text: text) }) {
    case .success(let profile):
      try check(profile.warnings, text)
      try require(!profile.warnings.contains { $0.severity == .error }, "a profile is made in spite of an error")
      try run(profile)
      try lint(text)
    case .failure(let error):
      try check(error.diagnostics, text)
      try require(error.diagnostics.contains { $0.severity == .error }, "there is no profile, but no error either")
      try require(!error.description.isEmpty, "an error has no message")
    }
  }

  /// Checks that the findings about a profile are in its text, and that what they change is a valid profile.
  private static func lint(_ text: String) throws(Violation) {
    // A profile can have wrong reasons for its deviations, which is an error of lint alone.
    guard let report = try? Linter().lint(text: text, file: "profile.yaml") else { return }
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
    for finding in report.findings {
      try require((1...lines).contains(finding.line), "line \(finding.line) of \(lines): \(finding.message)")
    }
    guard let fixed = try? ProfileFixer(Linter()).fix(text: text, file: "profile.yaml") else { return }
    try require((try? Profile.load(text: fixed.text)) != nil, "what lint has changed is no valid profile")
  }

  /// Checks that each diagnostic is in the text, and that they are in order.
  private static func check(_ diagnostics: [Diagnostic], _ text: String) throws(Violation) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for diagnostic in diagnostics {
      try require(
        lines.indices.contains(diagnostic.line - 1), "line \(diagnostic.line) of \(lines.count): \(diagnostic)")
      let length = lines[diagnostic.line - 1].unicodeScalars.count
      try require(
        (1...length + 1).contains(diagnostic.column), "column \(diagnostic.column) of \(length): \(diagnostic)")
    }
    for (one, next) in zip(diagnostics, diagnostics.dropFirst()) {
      try require((one.line, one.column) <= (next.line, next.column), "\(next) is listed after \(one)")
    }
  }

  /// Checks that a profile that loads makes a database and a host, and that its values can be read and go on by themselves.
  private static func run(_ profile: Profile) throws(Violation) {
    let configuration = HostConfiguration(
      name: profile.name, appearance: profile.appearance.rawValue, identity: profile.identity,
      advertising: profile.advertising, connection: profile.connection, services: profile.services, gatt: profile.gatt,
      channels: profile.channels.compactMap(\.published))
    try require(
      profile.behaviors.count == profile.services.reduce(0) { $0 + $1.characteristics.count },
      "the profile does not have one behavior for each characteristic")
    guard let database = try? configuration.makeDatabase() else { return }
    var runtime = ProfileRuntime(profile: profile)
    for record in database.characteristics where record.belongsToApplication {
      if case .value(let value) = runtime.read(record.index, for: 1, at: .zero) {
        try require(value.count <= 512, "a value of \(value.count) octets")
      }
      _ = runtime.write([1, 2], to: record.index, for: 1, at: .zero)
      var actions: [ApplicationAction] = []
      runtime.subscriptionsChanged(record.index, notified: 1, indicated: 1, at: .zero, actions: &actions)
    }
    for _ in 0..<20 {
      guard let deadline = runtime.nextDeadline else { return }
      var actions: [ApplicationAction] = []
      runtime.advance(to: deadline, actions: &actions)
      try require(actions.count <= 1000, "\(actions.count) actions at the same time")
      try require(runtime.nextDeadline.map { $0 >= deadline } ?? true, "a deadline before the previous one")
    }
  }
}

extension ProfileTarget {
  package static var seeds: [Seed] { ProfileSeeds.all }
}
