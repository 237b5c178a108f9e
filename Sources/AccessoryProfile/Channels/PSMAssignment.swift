import BLECore
import BLEGATT

extension Profile {
  /// Which PSM every channel gets, in the order of `channels`. Fixed ones keep theirs, then automatic ones get the lowest
  /// that are free, then the others draw from what is left. A channel for which none is left has 0.
  public func assignedPSMs(random: inout SplitMix64) -> [UInt16] {
    var assigned: [UInt16] = channels.map { channel in
      if case .fixed(let psm) = channel.psm { psm } else { 0 }
    }
    for (index, channel) in channels.enumerated() where channel.psm == .automatic {
      assigned[index] = PSMChoice.dynamicRange.first { !assigned.contains($0) } ?? 0
    }
    for (index, channel) in channels.enumerated() where channel.psm == .drawn {
      let free = PSMChoice.dynamicRange.filter { !assigned.contains($0) }
      guard !free.isEmpty else { continue }
      assigned[index] = free[Int(random.next() % UInt64(free.count))]
    }
    return assigned
  }
}
