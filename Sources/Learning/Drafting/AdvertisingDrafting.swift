import BLECore
import BLEGAP
import BLEHCI
import Importing

extension ImportedAdvertisingSet {
  /// Describes an observed advertising set.
  init(_ set: ObservedSet, id: String) {
    self.init(id: id, data: .octets(set.data.first ?? []))
    let isLegacy = set.key.isLegacy
    isExtended = !isLegacy
    isConnectable = set.kind.contains(.connectable)
    if isLegacy, !isConnectable { isScannable = set.kind.contains(.scannable) }
    scanResponse = set.responses.first.map { .octets($0) }
    if isExtended, set.secondaryPHY == .le1M { keys.append(ImportedKey("secondary-phy", "1M")) }
    if isExtended, set.secondaryPHY == .leCoded { keys.append(ImportedKey("secondary-phy", "coded")) }
    if set.txPower != 127 { keys.append(ImportedKey("tx-power", "\(set.txPower)")) }
    let phases = set.phases
    switch phases.count {
    case 0:
      schedule = [AdvertisingPhase(interval: .milliseconds(100))]
      comments.append("The interval is assumed: too few advertisements were received to tell.")
    case 2 where phases[0].interval < phases[1].interval:
      schedule = [
        AdvertisingPhase(interval: phases[0].interval, duration: .seconds(max(1, phases[0].length.seconds.rounded()))),
        AdvertisingPhase(interval: phases[1].interval),
      ]
    default: schedule = [AdvertisingPhase(interval: phases[phases.count - 1].interval)]
    }
    if !phases.isEmpty { comments.append("From \(set.times.count) advertisements.") }
    if set.changes > 0 {
      comments.append("The data changed \(set.changes) times; this is the first of \(set.data.count) that were seen.")
    }
  }
}
