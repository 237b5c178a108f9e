import Glibc

/// Where accessories keep their state if nobody says another place.
public enum StateDirectory {
  /// `understudy` below `$XDG_STATE_HOME`, or below `~/.local/state` where that is not set (XDG Base Directory Specification).
  public static var standard: String {
    if let home = variable("XDG_STATE_HOME") { return "\(home)/understudy" }
    let home = variable("HOME") ?? getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/"
    return "\(home)/.local/state/understudy"
  }

  /// An absolute path; what is not absolute counts as not set.
  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
  }
}
