import BLECore
import BLEHCI
import BLELink
import BLESMP

/// A user of one side who types the passkey that the other side shows, and accepts all other questions.
struct PasskeyTyping {
  /// The last passkey that this side has shown.
  private(set) var shown: UInt32?
  private var questions: [(link: ConnectionHandle, question: PairingQuestion)] = []

  /// Handles an event of this side.
  mutating func take(_ event: HostEvent) {
    switch event {
    case .security(_, .asked(.display(let passkey))): shown = passkey
    case .security(let link, .asked(let question)): questions.append((link, question))
    case .security(let link, .questionEnded), .disconnected(let link, _): questions.removeAll { $0.link == link }
    default: break
    }
  }

  /// Returns the answers that are possible now, if the other side shows `passkey`.
  mutating func answers(_ passkey: UInt32?) -> [(link: ConnectionHandle, answer: PairingAnswer)] {
    var answers: [(link: ConnectionHandle, answer: PairingAnswer)] = []
    for (link, question) in questions {
      switch question {
      case .passkey: if let passkey { answers.append((link, .passkey(passkey))) }
      default: answers.append((link, .accept))
      }
    }
    questions.removeAll { open in answers.contains { $0.link == open.link } }
    return answers
  }
}
