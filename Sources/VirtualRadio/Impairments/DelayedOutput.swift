import BLECore

/// What a controller has said and its host hears later, in order.
struct DelayedOutput {
  /// What the host can hear now.
  private(set) var arrived: [UInt8] = []
  private var waiting: [(arrival: Instant, octets: [UInt8])] = []

  var isWaiting: Bool { !waiting.isEmpty }

  /// Holds octets back until `arrival`, or until those before them arrive. Returns when that is.
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
