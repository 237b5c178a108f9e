import Glibc

/// The limit of the process's file descriptors. On most systems it is 1,024 by default, which is less than
/// the server's number of connections.
enum DescriptorLimit {
  /// File descriptors that are not for the server's connections, but for accessories, their controllers,
  /// channels, programs and files, and the server's loops, one for each processor.
  static var reserve: Int { 128 + 4 * max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }
  /// The minimum number of connections for a useful server: a browser alone uses six.
  static let fewestConnections = 16

  /// Raises the limit to `count` file descriptors, as far as the system permits. Returns the resulting limit.
  static func raise(to count: Int) -> Int {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return count }
    if limit.rlim_cur < rlim_t(count) {
      let before = limit.rlim_cur
      limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
      if setrlimit(resource, &limit) != 0 { limit.rlim_cur = before }
    }
    return Int(clamping: limit.rlim_cur)
  }
}
