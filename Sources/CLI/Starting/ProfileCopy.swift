import AccessoryProfile
import ArgumentParser
import Glibc

/// Shipped profiles as users take them for their own.
enum ProfileCopy {
  /// How the comment begins that names the schema to an editor, by a path from the file's folder.
  private static let schemaComment = "# yaml-language-server: $schema="

  /// The text of a shipped profile, for a file in that folder (with a slash at its end, or empty for the current one): without the
  /// comment for editors, where that would name a schema that is not there.
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
    let isThere = access(folder + first.dropFirst(schemaComment.count), F_OK) == 0
    return isThere ? text : String(text.dropFirst(first.count + 1))
  }
}
