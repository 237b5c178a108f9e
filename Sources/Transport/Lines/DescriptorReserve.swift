import Glibc

/// Descriptors that are not given to peers that connect, so that a controller that is plugged in again, a line behind a channel or a
/// pseudo-terminal can still be opened.
enum DescriptorReserve {
  /// The number of reserved descriptors.
  static let size: CInt = 24

  /// Returns whether the next new descriptor is in the reserve. The kernel assigns the lowest free number (POSIX.1-2017 2.14), which a copy
  /// of `known`, an open descriptor, shows.
  static func isReached(copying known: CInt) -> Bool {
    let next = fcntl(known, F_DUPFD_CLOEXEC, 0)
    guard next >= 0 else { return true }
    close(next)
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return false }
    return rlim_t(next) + rlim_t(size) >= limit.rlim_cur
  }
}
