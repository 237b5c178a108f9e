import Glibc

/// The profiles that come with the program: inside of it, or those of another directory that the environment variable
/// `UNDERSTUDY_PROFILES` names.
package enum ShippedProfiles {
  /// What the paths of profiles inside of the program begin with.
  private static let scheme = "understudy:/"

  /// All of them, by name.
  package static var list: [ShippedEntry] {
    guard let directory else {
      return ShippedTexts.profiles.map { ShippedEntry(name: $0, path: "\(scheme)\($0).yaml") }
    }
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var entries: [ShippedEntry] = []
    while let entry = readdir(stream) {
      let file = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard let name = file.dropping(suffix: ".yaml"), !name.isEmpty else { continue }
      entries.append(ShippedEntry(name: name, path: "\(directory)/\(file)"))
    }
    return entries.sorted { $0.name < $1.name }
  }

  /// The path for a name or a path that a user gave: whatever is there, `-` for standard input, else the shipped profile of that
  /// name; nil where there is none of these.
  package static func path(named name: String) -> String? {
    if name == "-" || access(name, F_OK) == 0 || text(at: name) != nil { return name }
    return entry(named: name)?.path
  }

  /// The shipped profile of that name; nil where there is none.
  package static func entry(named name: String) -> ShippedEntry? { list.first { $0.name == name } }

  /// What to say where there is no shipped profile of that name: where it was looked for, and which one is probably meant.
  package static func absence(of name: String) -> String {
    let place = directory.map { "in \($0), which UNDERSTUDY_PROFILES names" } ?? "in the program"
    let meant = Spelling.nearest(to: name, among: list.map(\.name))
    return "\(place)"
      + (meant.map { ", did you mean '\($0)'?" } ?? "; `understudy profiles` lists those that there are")
  }

  /// The text of a shipped profile; nil where its file cannot be read.
  package static func text(of entry: ShippedEntry) -> String? {
    text(at: entry.path) ?? (try? FileReading.text(at: entry.path).get())
  }

  /// The directory that stands in for the profiles inside of the program; nil where none does.
  package static var directory: String? { getenv("UNDERSTUDY_PROFILES").map { String(cString: $0) } }

  /// The text of a profile inside of the program; nil for other paths.
  package static func text(at path: String) -> String? {
    guard let name = path.dropping(prefix: scheme)?.dropping(suffix: ".yaml") else { return nil }
    return ShippedTexts.profile(name)
  }
}
