import BLECore

/// When resolvable private addresses are to be made anew (Core 5.4 Vol 4 Part E 7.8.45): all of a controller at once, so
/// that nobody can tell by one which others belong to it.
struct AddressRotation {
  private var timeout = Duration.seconds(900)
  private var origin = Instant.zero
  private var roundAtOrigin: Int64 = 0

  /// Counts up whenever the addresses before are no longer to be used.
  func round(at now: Instant) -> Int64 {
    let elapsed = max(0, (now - origin).inNanoseconds)
    return roundAtOrigin + elapsed / max(1, timeout.inNanoseconds)
  }

  /// The addresses of now stay, for that long.
  mutating func setTimeout(_ timeout: Duration, at now: Instant) {
    roundAtOrigin = round(at: now)
    origin = now
    self.timeout = timeout
  }
}
