/// When the records of a capture are written to its file.
package struct FlushPolicy: Hashable, Sendable {
  /// As soon as that many octets wait.
  package var octets: Int
  /// As soon as the first record has waited that long.
  package var delay: Duration
  /// Records that would make more octets wait than this are dropped; it can happen only with a slow FIFO.
  package var limit: Int

  /// A policy; by default, 64 KiB, 200 ms and 4 MiB.
  package init(octets: Int = 65_536, delay: Duration = .milliseconds(200), limit: Int = 4_194_304) {
    self.octets = octets
    self.delay = delay
    self.limit = limit
  }
}
