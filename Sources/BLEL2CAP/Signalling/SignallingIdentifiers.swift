/// The identifiers of this side's signalling packets: 1...255 in turn (Core 5.4 Vol 3 Part A 4).
public struct SignallingIdentifiers: Sendable {
  private var last: UInt8 = 0

  /// Returns the next identifier that is not used. Fewer than 255 may be.
  mutating func next(isUsed: (UInt8) -> Bool) -> UInt8 {
    repeat { last = last == 0xFF ? 1 : last + 1 } while isUsed(last)
    return last
  }
}
