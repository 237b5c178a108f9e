import BLECore

/// Changes to sets while the accessory runs: their data, and whether they are on the air at all.
extension Advertiser {
  /// Replaces the data of a set. A set that is on the air stays there (Core 5.4 Vol 4 Part E 7.8.7, 7.8.54), unless the data takes
  /// several commands, which the controller accepts only while the set is off.
  package mutating func setData(_ data: [UInt8], scanResponse: [UInt8], set name: String) {
    guard let index = slots.firstIndex(where: { $0.definition.id == name }),
      slots[index].definition.data != data || slots[index].definition.scanResponse != scanResponse
    else { return }
    slots[index].setData(data, scanResponse: scanResponse)
    let isLong = max(data.count, scanResponse.count) > AdvertisingSlot.longestFragment
    if slots[index].state != .off, isLong { slots[index].mustPause = true }
  }

  /// Takes all sets off the air, or puts them on the air again, each from the start of its schedule.
  package mutating func setAsleep(_ isAsleep: Bool, at now: Instant) {
    if self.isAsleep, !isAsleep { for index in slots.indices { slots[index].restart(at: now) } }
    self.isAsleep = isAsleep
  }
}
