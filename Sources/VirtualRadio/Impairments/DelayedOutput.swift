import BLECore

/// Output that reaches the host later, in order.
struct DelayedOutput {
  /// The octets that have reached the host.
  private(set) var arrived: [UInt8] = []
  private var waiting: [(arrival: Instant, octets: [UInt8])] = []

  var isWaiting: Bool { !waiting.isEmpty }

  /// Delays octets until `arrival`, or until those before them arrive. Returns the arrival time.
  mutating func append(_ octets: [UInt8], at arrival: Instant) -> Instant {
    let inOrder = max(arrival, waiting.last?.arrival ?? arrival)
    waiting.append((inOrder, octets))
    return inOrder
  }

  mutating func arrive(at instant: Instant) {
    let count = waiting.prefix { $0.arrival <= instant }.count
    for entry in waiting.prefix(count) { arrived += entry.octets }
    waiting.removeFirst(count)
  }

  mutating func takeArrived(into buffer: inout OctetBuffer) {
    buffer.append(arrived)
    arrived.removeAll(keepingCapacity: true)
  }
}
