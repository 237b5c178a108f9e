/// The rules for writing the records of a capture to its file.
package struct FlushPolicy: Hashable, Sendable {
  /// Writes as soon as this many octets wait.
  package var octets: Int
  /// Writes as soon as the first record has waited this long.
  package var delay: Duration
  /// The maximum number of waiting octets. Records beyond it are dropped, which only happens with a slow FIFO.
  package var limit: Int

  /// Creates a policy; by default, 64 KiB, 200 ms and 4 MiB.
  package init(octets: Int = 65_536, delay: Duration = .milliseconds(200), limit: Int = 4_194_304) {
    self.octets = octets
    self.delay = delay
    self.limit = limit
  }
}
