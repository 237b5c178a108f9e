import BLECore
import BLEHCI

/// Whether the controller still does what it was told.
extension Advertiser {
  /// The command under way was not answered, though the controller is well. What it knows of the set is uncertain: the set is
  /// stopped and told from the beginning.
  package mutating func commandLost() {
    guard let index = busySlot else { return lists.isBusy ? lists.commandLost() : () }
    busySlot = nil
    begin(index)
  }

  /// Whether a set is on the air its parameters tell: they are refused as long as it is (Core 5.4 Vol 4 Part E 7.8.5, 7.8.53), and
  /// otherwise are those that it should have. One set after the other is asked for.
  package func question(round: Int) -> (any HCICommand)? {
    let active = slots.filter { $0.state == .on && $0.applied.phase == $0.phase }
    guard busySlot == nil, !active.isEmpty else { return nil }
    return parameters(of: active[round % active.count])
  }

  /// Whether the set of a question is on the air, by the answer; nil when that is not said, or no longer to be expected.
  package func isConfirmed(_ question: any HCICommand, _ status: ErrorCode) -> Bool? {
    guard let slot = slot(of: question), slot.state == .on, slot.applied.phase == slot.phase else { return nil }
    switch status {
    case .commandDisallowed: return true
    case .success: return false
    default: return nil
    }
  }

  /// The set of a question is off the air: it is told from the beginning.
  package mutating func reapply(after question: any HCICommand) {
    guard let handle = slot(of: question)?.handle, let index = slots.firstIndex(where: { $0.handle == handle }) else {
      return
    }
    begin(index)
  }

  private mutating func begin(_ index: Int) {
    slots[index].applied = AdvertisingSlot.Applied()
    // As one that is on and told otherwise: it is stopped first.
    slots[index].state = .on
    slots[index].phaseEnd = nil
  }

  private func slot(of question: any HCICommand) -> AdvertisingSlot? {
    switch question {
    case let command as LESetExtendedAdvertisingParameters: slots.first { $0.handle == command.advertisingHandle }
    case is LESetAdvertisingParameters: slots.first { $0.state == .on }
    default: nil
    }
  }
}
