import BLECore
import BLEHCI

/// Sends an octet that begins no packet, and checks whether the next command is answered.
struct ResynchronizationTrial: Trial {
  var steps: [ExaminationStep] { [.resynchronization] }
  var expectsLosses: Bool { true }

  /// An octet that is no H4 packet type (Core 5.4 Vol 4 Part A 2).
  private static let wrongOctet: UInt8 = 0xFF

  /// Zephyr's firmware skips such an octet; other firmware stops at it.
  func obstacle(in state: ExaminationState) -> SkipReason? {
    state.manufacturer == .zephyr ? nil : .mayHarm(state.manufacturer)
  }

  mutating func proceed(after news: TrialNews, _ state: inout ExaminationState) -> TrialAction {
    switch news {
    case .begun: return .send([Self.wrongOctet])
    case .sent: return .exchange(HCIReadLocalVersionInformation())
    case .answered: state.note(.resynchronization, .resynchronized)
    default: state.note(.resynchronization, .lostPlace)
    }
    return .end
  }
}
