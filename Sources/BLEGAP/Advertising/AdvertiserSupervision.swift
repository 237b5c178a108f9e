import BLECore
import BLEHCI

/// Checks whether the controller still has the applied settings.
extension Advertiser {
  /// Handles a command that was not answered although the controller works. The state of the set is uncertain, so the set is stopped and
  /// set up from the beginning.
  package mutating func commandLost(about subject: CommandSubject) {
    guard case .advertisingSet(let index) = subject, slots.indices.contains(index) else { return lists.commandLost() }
    begin(index)
  }

  /// Returns a command whose answer shows whether a set is on the air: the parameters of the set, which are refused while it is on (Core
  /// 5.4 Vol 4 Part E 7.8.5, 7.8.53), and otherwise change nothing. The sets are checked in turn.
  package func question(round: Int) -> (any HCICommand)? {
    let active = slots.filter { $0.state == .on && $0.applied.phase == $0.phase }
    guard !active.isEmpty else { return nil }
    return parameters(of: active[round % active.count])
  }

  /// Returns whether the set of a question is on the air, by the status of the answer; nil when the status does not show that, or the set
  /// has changed meanwhile.
  package func isConfirmed(_ question: any HCICommand, _ status: ErrorCode) -> Bool? {
    guard let slot = slot(of: question), slot.state == .on, slot.applied.phase == slot.phase else { return nil }
    switch status {
    case .commandDisallowed: return true
    case .success: return false
    default: return nil
    }
  }

  /// Sets up a set again, because the answer to the question shows that it is off the air.
  package mutating func reapply(after question: any HCICommand) {
    guard let handle = slot(of: question)?.handle, let index = slots.firstIndex(where: { $0.handle == handle }) else {
      return
    }
    begin(index)
  }

  private mutating func begin(_ index: Int) {
    slots[index].applied = AdvertisingSlot.Applied()
    // The state is `on` with wrong settings, so that the set is stopped first.
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
