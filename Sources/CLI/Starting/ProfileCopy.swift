import AccessoryProfile
import ArgumentParser
import Glibc

/// Copies of shipped profiles for users.
enum ProfileCopy {
  /// The beginning of the comment that names the schema for editors, as a path relative to the file's folder.
  private static let schemaComment = "# yaml-language-server: $schema="
  /// The file of the schema, in shipped profiles beside them.
  private static let schema = "profile.schema.json"

  /// Returns the text of a shipped profile for a file in a folder, whose path ends with a slash or is empty for the current folder. The
  /// comment for editors names the schema beside the file, or else the one that came with this program. Without either, the comment is
  /// removed.
  static func text(of name: String, beside folder: String) throws -> String {
    guard let entry = ShippedProfiles.entry(named: name) else {
      Terminal.error("there is no shipped profile \(name): none \(ShippedProfiles.absence(of: name))")
      throw ExitStatus.noProfile
    }
    guard let text = ShippedProfiles.text(of: entry) else {
      Terminal.error("\(entry.path) cannot be read: `understudy check \(entry.name)` says why")
      throw ExitStatus.noInput
    }
    let first = text.prefix { $0 != "\n" }
    guard first.hasPrefix(schemaComment) else { return text }
    let named = first.dropFirst(schemaComment.count)
    if access(folder + named, F_OK) == 0 { return text }
    let rest = text.dropFirst(first.count)
    guard named == schema, let path = InstalledFiles.path(installed: schema, inCheckout: "Profiles/\(schema)") else {
      return String(rest.dropFirst())
    }
    return schemaComment + path + rest
  }
}
