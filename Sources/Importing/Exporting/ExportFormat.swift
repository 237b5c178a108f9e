import AccessoryProfile

/// A format for exporting profiles.
package struct ExportFormat: Sendable {
  /// Its name for `--to`.
  package let name: String
  /// A description for people.
  package let summary: String
  /// Whether it has the values of characteristics.
  let hasValues: Bool
  /// Writes a database.
  let write: @Sendable (ImportedDatabase) -> ExportedFile

  /// Returns the format with a name.
  package static func named(_ name: String) -> ExportFormat? { all.first { $0.name == name } }

  /// Exports a profile.
  package func export(_ profile: Profile) -> ExportedFile {
    var file = write(ImportedDatabase(profile))
    file.remarks += remarks(on: profile)
    return file
  }

  /// Returns what a profile does that no other format can express.
  private func remarks(on profile: Profile) -> [String] {
    var remarks: [String] = []
    let changing = profile.behaviors.filter { !$0.isConstant }.map(\.id)
    if hasValues, !changing.isEmpty {
      remarks.append("values that change by themselves have their initial values: \(Self.list(changing))")
    }
    let parts = [
      (profile.rules.isEmpty, "rules"), (profile.channels.isEmpty, "L2CAP channels"),
      (profile.programs.isEmpty, "programs"), (profile.faults.isEmpty, "faults"),
      (profile.clientSteps.isEmpty, "its steps as a client"),
    ].filter { !$0.0 }.map(\.1)
    if !parts.isEmpty { remarks.append("not carried over: \(parts.joined(separator: ", "))") }
    return remarks
  }

  private static func list(_ names: [String]) -> String {
    names.count <= 8
      ? names.joined(separator: ", ") : names.prefix(8).joined(separator: ", ") + " and \(names.count - 8) more"
  }
}

/// A profile in another format.
package struct ExportedFile: Hashable, Sendable {
  /// The text of the file.
  package var text: String
  /// What the format cannot express.
  package var remarks: [String]
}

extension CharacteristicBehavior {
  /// Whether its value stays the same until something writes or sets it.
  fileprivate var isConstant: Bool { source.isConstant }
}
