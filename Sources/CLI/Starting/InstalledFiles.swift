import Glibc

/// The files that came with this program, in an installation (`PREFIX/share/understudy`) or in a checkout.
enum InstalledFiles {
  /// Returns the path of a file, which is `installed` below `PREFIX/share/understudy` or `inCheckout` in a checkout; nil if there is
  /// neither.
  static func path(installed: String, inCheckout: String) -> String? {
    guard let program = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(program) }
    var folders = String(cString: program).split(separator: "/").dropLast()
    if folders.last == "bin" {
      let file = path(folders.dropLast()) + "/share/understudy/" + installed
      if access(file, F_OK) == 0 { return file }
    }
    while true {
      let file = path(folders) + "/" + inCheckout
      if access(file, F_OK) == 0 { return file }
      guard folders.popLast() != nil else { return nil }
    }
  }

  private static func path(_ folders: ArraySlice<Substring>) -> String { folders.map { "/" + $0 }.joined() }
}
