import BLECore
import BLEHCI
import BLELink
import BLESMP

/// Somebody in front of one side who types the passkey that the other side shows, and accepts whatever else is asked.
struct PasskeyTyping {
  /// What this side has shown last.
  private(set) var shown: UInt32?
  private var questions: [(link: ConnectionHandle, question: PairingQuestion)] = []

  /// Takes what has happened on this side.
  mutating func take(_ event: HostEvent) {
    switch event {
    case .security(_, .asked(.display(let passkey))): shown = passkey
    case .security(let link, .asked(let question)): questions.append((link, question))
    case .security(let link, .questionEnded), .disconnected(let link, _): questions.removeAll { $0.link == link }
    default: break
    }
  }

  /// The answers that are there now, where the other side shows `passkey`.
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
