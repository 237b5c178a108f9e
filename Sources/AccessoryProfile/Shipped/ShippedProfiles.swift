import Glibc

/// The profiles that come with the program.
///
/// They are looked for in the directory that the environment variable `UNDERSTUDY_PROFILES` names, in
/// `share/understudy/Profiles` beside the directory of the executable, and in `Profiles` of the package in which the
/// executable was built.
public enum ShippedProfiles {
  /// A profile that comes with the program.
  public struct Entry: Hashable, Sendable {
    /// What users call it: the file's name without `.yaml`.
    public var name: String
    /// Where the file is.
    public var path: String
  }

  /// All of them, by name; empty where there is no directory of profiles.
  public static var list: [Entry] {
    guard let directory, let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var entries: [Entry] = []
    while let entry = readdir(stream) {
      let file = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard let name = file.dropping(suffix: ".yaml"), !name.isEmpty else { continue }
      entries.append(Entry(name: name, path: "\(directory)/\(file)"))
    }
    return entries.sorted { $0.name < $1.name }
  }

  /// The path for a name or a path that a user gave: a file where there is one, else the shipped profile of that name;
  /// nil where there is neither.
  public static func path(named name: String) -> String? {
    if isFile(name) { return name }
    return list.first { $0.name == name }?.path
  }

  /// The directory of the shipped profiles; nil where there is none.
  public static var directory: String? {
    if let value = getenv("UNDERSTUDY_PROFILES") { return String(cString: value) }
    guard let executable = executablePath else { return nil }
    let own = parent(of: executable)
    let installed = "\(parent(of: own))/share/understudy/Profiles"
    if isDirectory(installed) { return installed }
    var ancestor = own
    while ancestor != "/", !ancestor.isEmpty {
      if isFile("\(ancestor)/Package.swift"), isDirectory("\(ancestor)/Profiles") { return "\(ancestor)/Profiles" }
      ancestor = parent(of: ancestor)
    }
    return nil
  }

  private static var executablePath: String? {
    guard let path = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(path) }
    return String(cString: path)
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func mode(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  private static func isFile(_ path: String) -> Bool { mode(of: path) == S_IFREG }

  private static func isDirectory(_ path: String) -> Bool { mode(of: path) == S_IFDIR }
}

extension String {
  fileprivate func dropping(suffix: String) -> String? { hasSuffix(suffix) ? String(dropLast(suffix.count)) : nil }
}
