import BLECore
import Glibc

/// The Python client that came with this program.
enum PythonClient {
  /// The argument for `pip install`: the wheel of an installation (`PREFIX/share/understudy/python`), or the
  /// folder of a checkout; nil if there is neither.
  static var source: String? {
    guard let program = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(program) }
    var folders = String(cString: program).split(separator: "/").dropLast()
    if folders.last == "bin", let wheel = wheel(in: path(folders.dropLast()) + "/share/understudy/python") {
      return wheel
    }
    while true {
      let client = path(folders) + "/Clients/python"
      if access(client + "/pyproject.toml", F_OK) == 0 { return client }
      guard folders.popLast() != nil else { return nil }
    }
  }

  private static func path(_ folders: ArraySlice<Substring>) -> String { folders.map { "/" + $0 }.joined() }

  private static func wheel(in folder: String) -> String? {
    guard let stream = opendir(folder) else { return nil }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let file = entry.entryName
      if file.hasSuffix(".whl") { return "\(folder)/\(file)" }
    }
    return nil
  }
}
