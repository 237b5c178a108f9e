import AccessoryProfile
import BLECore
import BLEGATT
import BLEL2CAP
import BLELink
import PeripheralHost

/// The profile language: any text gives a profile that runs, or diagnostics whose places are in the text, in order.
package enum ProfileTarget: FuzzTarget {
  package static let name = "profile"
  package static let maximumLength = 2048

  package static func run(_ input: inout FuzzInput) throws(Violation) {
    // A file of other octets is refused before it is read as YAML.
    guard let text = String(validating: input.rest(), as: UTF8.self) else { return }
    switch Result(catching: { () throws(ProfileError) in try Profile.load(text: text) }) {
    case .success(let profile):
      try check(profile.warnings, text)
      try require(!profile.warnings.contains { $0.severity == .error }, "a profile with an error")
      try run(profile)
    case .failure(let error):
      try check(error.diagnostics, text)
      try require(error.diagnostics.contains { $0.severity == .error }, "no profile and no error")
      try require(!error.description.isEmpty, "an error without words")
    }
  }

  /// Each is in the text, and none is before the one ahead of it.
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
      try require((one.line, one.column) <= (next.line, next.column), "\(next) stands behind \(one)")
    }
  }

  /// A profile that loads makes a database and a host, and its values can be read and left to themselves.
  private static func run(_ profile: Profile) throws(Violation) {
    let configuration = HostConfiguration(
      name: profile.name, appearance: profile.appearance.rawValue, identity: profile.identity,
      advertising: profile.advertising, connection: profile.connection, services: profile.services, gatt: profile.gatt,
      channels: profile.channels.compactMap(\.published))
    try require(
      profile.behaviors.count == profile.services.reduce(0) { $0 + $1.characteristics.count },
      "other behaviours than characteristics")
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
      try require(actions.count <= 1000, "\(actions.count) actions at a time")
      try require(runtime.nextDeadline.map { $0 >= deadline } ?? true, "a deadline before the one ahead of it")
    }
  }
}

extension ProfileTarget {
  package static var seeds: [Seed] { ProfileSeeds.all }
}
