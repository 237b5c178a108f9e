import BLECore
import BLEHCI

/// Sends an octet that begins no packet, and looks whether the next command is answered.
struct ResynchronizationTrial: Trial {
  var steps: [ExaminationStep] { [.resynchronization] }
  var expectsLosses: Bool { true }

  /// An octet that is the H4 type of nothing (Core 5.4 Vol 4 Part A 2).
  private static let wrongOctet: UInt8 = 0xFF

  /// Zephyr's firmware passes such an octet over; others stop at it.
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
