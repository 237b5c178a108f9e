import AccessoryProfile
import ArgumentParser
import Glibc

/// Copies of shipped profiles for users.
enum ProfileCopy {
  /// The beginning of the comment that names the schema for editors, as a path relative to the file's folder.
  private static let schemaComment = "# yaml-language-server: $schema="

  /// Returns the text of a shipped profile, for a file in that folder (which ends with a slash, or is empty
  /// for the current one). The comment for editors is removed if its schema does not exist there.
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
