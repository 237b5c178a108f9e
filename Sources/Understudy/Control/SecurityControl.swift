import AccessoryProfile
import BLECore
import BLEHCI
import BLELink
import BLESMP
import PeripheralHost
import Transport

/// Pairing settings of a running accessory.
extension Accessory {
  /// Changes the pairing settings for pairings that begin from now on. A pairing in progress, keys and links stay as they are.
  public func setSecurity(_ definition: SecurityDefinition) throws(ControlError) {
    var definition = definition
    // A central may already have this data.
    if definition.pairing.ownOutOfBand == nil { definition.pairing.ownOutOfBand = security.pairing.ownOutOfBand }
    try perform(.setSecurity(definition.pairing, definition.requests))
    security = definition
  }

  /// Returns the current pairing settings, with the keys of a profile's `security`.
  package func securityReport() -> ProfileValue { security.json }

  /// Answers a pairing's question as the profile says, or asks the owner. Returns whether the event needs no other handling.
  func followPairing(_ event: SecurityEvent, on handle: ConnectionHandle) -> Bool {
    switch event {
    case .asked(let question):
      if let answer = security.answers.answer(to: question) {
        decide(answer, question, on: handle)
      } else {
        stack.application.ask(question, of: handle.client, at: loop.now())
      }
      return true
    case .questionEnded:
      stack.application.endPairingQuestion(of: handle.client)
      return true
    case .paired, .failed, .timedOut, .cut:
      stack.application.endPairingQuestion(of: handle.client)
      return false
    case .requested, .pairing, .keypress, .securityChanged, .keyMissing: return false
    }
  }

  /// Passes a decision to a pairing, which may have ended meanwhile.
  func decide(_ answer: PairingAnswer, _ question: PairingQuestion, on handle: ConnectionHandle) {
    // A displayed passkey needs no answer.
    if case .display = question, answer == .accept { return }
    try? stack.perform(.answerPairing(handle, answer), at: loop.now(), into: &out)
  }
}
