import BLECore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The shipped profiles, which are embedded in the program, or those of the directory in the environment variable `UNDERSTUDY_PROFILES`.
package enum ShippedProfiles {
  /// The start of the paths of embedded profiles.
  private static let scheme = "understudy:/"

  /// All shipped profiles, by name.
  package static var list: [ShippedEntry] {
    guard let directory else {
      return ShippedTexts.profiles.map { ShippedEntry(name: $0, path: "\(scheme)\($0).yaml") }
    }
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var entries: [ShippedEntry] = []
    while let entry = readdir(stream) {
      let file = entry.entryName
      guard let name = file.dropping(suffix: ".yaml"), !name.isEmpty else { continue }
      entries.append(ShippedEntry(name: name, path: "\(directory)/\(file)"))
    }
    return entries.sorted { $0.name < $1.name }
  }

  /// Resolves a name or path given by a user: an existing file, `-` for standard input, or else the shipped profile with that name; nil if
  /// there is none of these.
  package static func path(named name: String) -> String? {
    if name == "-" || access(name, F_OK) == 0 || text(at: name) != nil { return name }
    return entry(named: name)?.path
  }

  /// Returns the shipped profile with a name; nil if there is none.
  package static func entry(named name: String) -> ShippedEntry? { list.first { $0.name == name } }

  /// Returns a message about a missing shipped profile: where it was looked for, and which one is probably intended.
  package static func absence(of name: String) -> String {
    let place = directory.map { "in \($0), which UNDERSTUDY_PROFILES names" } ?? "in the program"
    let meant = Spelling.nearest(to: name, among: list.map(\.name))
    return "\(place)"
      + (meant.map { ", did you mean '\($0)'?" } ?? "; `understudy profiles` lists all")
  }

  /// Returns the text of a shipped profile; nil if its file cannot be read.
  package static func text(of entry: ShippedEntry) -> String? {
    text(at: entry.path) ?? (try? FileReading.text(at: entry.path).get())
  }

  /// The directory that replaces the embedded profiles; nil for none.
  package static var directory: String? { getenv("UNDERSTUDY_PROFILES").map { String(cString: $0) } }

  /// Returns the text of an embedded profile; nil for other paths.
  package static func text(at path: String) -> String? {
    guard let name = path.dropping(prefix: scheme)?.dropping(suffix: ".yaml") else { return nil }
    return ShippedTexts.profile(name)
  }
}
