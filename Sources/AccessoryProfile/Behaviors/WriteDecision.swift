import BLEATT
import BLECore
import BLEGATT

/// What a program's own code decides about a write, before the rules of the profile.
public enum WriteDecision: Hashable, Sendable {
  /// The write is accepted; then the profile decides, and its rules apply.
  case accept
  /// The write is refused with this error, and has no other effect.
  case refuse(ATTErrorCode)
  /// The write is accepted, and the client that wrote gets these octets in as many notifications as they take, of the characteristic with
  /// this id, if it has subscribed. The value of that characteristic does not change.
  case reply([UInt8], on: String)

  /// A program's own code: from the octets of each write to what becomes of it.
  public typealias Code = @Sendable (_ octets: [UInt8]) -> WriteDecision
}

extension ProfileRuntime {
  /// Sets the code that decides about writes of a characteristic; nil removes it.
  package mutating func setCode(_ code: WriteDecision.Code?, of characteristic: CharacteristicIndex) {
    writeCode[behaviors[characteristic.position].id] = code
  }

  /// Executes the program's own code for a write. Returns the error if it refuses the write.
  mutating func decide(
    _ value: [UInt8], _ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant,
    _ replies: inout [RuleEffect]
  ) -> ATTErrorCode? {
    guard let code = writeCode[behaviors[characteristic.position].id] else { return nil }
    switch code(value) {
    case .accept: return nil
    case .refuse(let error): return error
    case .reply(let octets, let id):
      guard let target = index(of: id), behaviors[target.position].notify != nil else {
        book.report(
          .failed(place: id, reason: "there is no characteristic '\(id)' with the property 'notify' to reply on"))
        return nil
      }
      replies.append(.reply(target, .constant(.octets(octets))))
      return nil
    }
  }
}
