import BLECore

// The placement of a link's anchor points by its central among those of its other links (Core 5.4 Vol 6 Part B 4.5.3, 5.1.1).
extension VirtualController {
  /// Returns the transmit window offset, in units of 1.25 ms, that gives events every `intervalUnits` * 1.25 ms the greatest distance from
  /// the events of all other links. If several do, returns the smallest.
  func windowOffset(intervalUnits: UInt16, from earliest: Instant, except link: Link? = nil) -> UInt16 {
    let others = connections.filter { $0.link !== link && $0.link.isComplete }
    guard !others.isEmpty else { return 0 }
    var best: (offset: UInt16, distance: Int64) = (0, -1)
    for offset in 0..<max(intervalUnits, 1) {
      let anchor = earliest.nanoseconds + Int64(offset) * LinkTiming.unit
      var distance = Int64.max
      for (other, _) in others {
        // The least distance between two series of events depends on the greatest common divisor of their intervals.
        let circle = Int64(divisor(intervalUnits, other.timing.intervalUnits)) * LinkTiming.unit
        let ahead = (((anchor - other.nextAnchor.nanoseconds) % circle) + circle) % circle
        distance = min(distance, ahead, circle - ahead)
      }
      if distance > best.distance { best = (offset, distance) }
    }
    return best.offset
  }

  private func divisor(_ first: UInt16, _ second: UInt16) -> UInt16 {
    var (greater, smaller) = (max(first, second), min(first, second))
    while smaller > 0 { (greater, smaller) = (smaller, greater % smaller) }
    return max(greater, 1)
  }
}

extension LinkTiming {
  /// The unit of intervals and window offsets, in nanoseconds.
  fileprivate static let unit: Int64 = 1_250_000
}
