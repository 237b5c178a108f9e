import AccessoryProfile

/// A profile from another tool's file.
package struct ProfileImport: Sendable {
  /// The format of the file.
  package var format: String
  /// The profile.
  package var written: WrittenProfile
  /// Warnings about parts of the file that the profile lacks.
  package var warnings: [Diagnostic]
  /// The number of further warnings.
  package var omittedWarnings: Int

  /// Imports the text of a file.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - format: The name of its format; nil to recognize it.
  ///   - name: A name for the accessory, which replaces the name in the file.
  ///   - output: The file of the profile, for its diagnostics.
  ///   - include: Returns the text of a file that the imported one includes.
  /// - Throws: An `ImportError` if the file cannot be imported.
  package static func read(
    _ source: ImportSource, format: String? = nil, name: String? = nil, output: String = "profile.yaml",
    include: @escaping @Sendable (String) -> Result<String, IncludeFailure> = { _ in
      .failure(IncludeFailure(reason: "files cannot be included here"))
    }
  ) throws(ImportError) -> ProfileImport {
    let chosen = try self.format(format, of: source)
    var context = ImportContext(include: include)
    var database: ImportedDatabase
    do throws(ImportError) { database = try chosen.read(source, &context) } catch {
      throw ImportError(context.log.warnings + error.diagnostics)
    }
    if let name { database.name = name }
    database.assumeSecurity()
    database.comments.insert("Imported from \(source.name): \(chosen.summary).", at: 0)
    let written: WrittenProfile
    do throws(ProfileError) { written = try ProfileWriter.write(database, file: output) } catch {
      let cause = error.diagnostics.first { $0.severity == .error }?.message ?? ""
      throw source.error(0, "a profile cannot express this file: \(cause)")
    }
    for remark in written.remarks { context.log.warn(source, remark.place, remark.message) }
    return ProfileImport(
      format: chosen.name, written: written, warnings: context.log.warnings, omittedWarnings: context.log.omitted)
  }

  private static func format(_ name: String?, of source: ImportSource) throws(ImportError) -> ImportFormat {
    let names = ImportFormat.all.map(\.name).joined(separator: ", ")
    if let name {
      guard let format = ImportFormat.named(name) else {
        throw source.error(0, "there is no format '\(name)' (known: \(names))")
      }
      return format
    }
    guard let format = ImportFormat.all.first(where: { $0.recognizes(source) }) else {
      // For a damaged file, the position of the damage helps more than an unknown format.
      switch source.octets.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) {
      case UInt8(ascii: "<"): _ = try XMLReader.read(source)
      case UInt8(ascii: "{"), UInt8(ascii: "["): _ = try PlacedJSONReader.read(source)
      default: break
      }
      throw source.error(0, "the format is not recognized; name it with --from (known: \(names))")
    }
    return format
  }
}
