import Glibc

/// The default directory of the accessories' state.
public enum StateDirectory {
  /// `understudy` in `$XDG_STATE_HOME`, or in `~/.local/state` if that is not set (XDG Base Directory Specification).
  public static var standard: String {
    if let home = variable("XDG_STATE_HOME") { return "\(home)/understudy" }
    let home = variable("HOME") ?? getpwuid(geteuid()).map { String(cString: $0.pointee.pw_dir) } ?? "/"
    return "\(home)/.local/state/understudy"
  }

  /// Returns an absolute path from the environment. A relative path counts as not set.
  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
  }
}
