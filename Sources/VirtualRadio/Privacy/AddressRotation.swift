import BLECore

/// The times at which resolvable private addresses are regenerated (Core 5.4 Vol 4 Part E 7.8.45). All addresses of a controller change
/// together, so that one cannot reveal the others.
struct AddressRotation {
  private var timeout = Duration.seconds(900)
  private var origin = Instant.zero
  private var roundAtOrigin: Int64 = 0

  /// Returns a number that increases whenever the previous addresses expire.
  func round(at now: Instant) -> Int64 {
    let elapsed = max(0, (now - origin).inNanoseconds)
    return roundAtOrigin + elapsed / max(1, timeout.inNanoseconds)
  }

  /// Sets the timeout. The current addresses stay valid for that long.
  mutating func setTimeout(_ timeout: Duration, at now: Instant) {
    roundAtOrigin = round(at: now)
    origin = now
    self.timeout = timeout
  }
}
