import BLECore
import Glibc

/// The Python client that came with this program.
enum PythonClient {
  /// The argument for `pip install`: the wheel of an installation (`PREFIX/share/understudy/python`), or the
  /// folder of a checkout; nil if there is neither.
  static var source: String? {
    let checkout = "Clients/python/pyproject.toml"
    guard let found = InstalledFiles.path(installed: "python", inCheckout: checkout) else { return nil }
    return found.hasSuffix(checkout) ? String(found.dropLast("/pyproject.toml".count)) : wheel(in: found)
  }

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
