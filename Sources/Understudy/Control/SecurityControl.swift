import AccessoryProfile
import BLECore
import BLEHCI
import BLELink
import BLESMP
import PeripheralHost
import Transport

/// How a running accessory pairs.
extension Accessory {
  /// Changes how the accessory pairs from now on. A pairing that has begun, keys and links stay as they are.
  public func setSecurity(_ definition: SecurityDefinition) throws(ControlError) {
    var definition = definition
    // A central may have it already.
    if definition.pairing.ownOutOfBand == nil { definition.pairing.ownOutOfBand = security.pairing.ownOutOfBand }
    try perform(.setSecurity(definition.pairing, definition.requests))
    security = definition
  }

  /// How it pairs now, with the keys of a profile's `security`.
  package func securityReport() -> ProfileValue { security.json }

  /// Answers what a pairing asks as the profile says, or asks somebody. Whether the event is nothing else than that.
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

  /// Tells a pairing what was decided. It may have ended meanwhile.
  func decide(_ answer: PairingAnswer, _ question: PairingQuestion, on handle: ConnectionHandle) {
    // A passkey that is shown needs no answer.
    if case .display = question, answer == .accept { return }
    try? stack.perform(.answerPairing(handle, answer), at: loop.now(), into: &out)
  }
}
