import Glibc

/// How many descriptors the process may have. Most systems give it 1,024 unless it asks for more, which is fewer than a server has
/// connections.
enum DescriptorLimit {
  /// Room for all connections of a server and everything else; more than the system allows is not asked for.
  static func raise(to count: Int) {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(count) else { return }
    limit.rlim_cur = min(limit.rlim_max, rlim_t(count))
    _ = setrlimit(resource, &limit)
  }
}
