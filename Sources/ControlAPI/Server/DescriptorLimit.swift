import Glibc

/// How many descriptors the process may have. Most systems give it 1,024 unless it asks for more, which is fewer than a server has
/// connections.
enum DescriptorLimit {
  /// Descriptors that no connection of the server gets: those of accessories, their controllers, channels, programs and files, and of the
  /// server's loops, one for each processor.
  static var reserve: Int { 128 + 4 * max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }
  /// A server of fewer connections is of no use: a browser alone takes six.
  static let fewestConnections = 16

  /// Asks for room for so many descriptors; more than the system allows is not asked for. Returns how many there may be.
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
