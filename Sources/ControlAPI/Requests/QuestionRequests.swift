import BLECore
import AccessoryProfile
import BLEATT
import BLEGATT
import BLESMP
import HTTPTypes

/// What requests say to questions.
enum QuestionRequests {
  /// The question of a path segment.
  static func ticket(_ segment: String) throws(Refusal) -> AnswerTicket {
    guard segment.allSatisfy({ $0.isASCII && $0.isNumber }), let number = UInt64(segment) else {
      throw Refusal(.notFound, "there is no question \(segment): questions are numbers, as in the events")
    }
    return AnswerTicket(number)
  }

  /// The reply of `{"value": …}`, `{"hex": "0102"}`, `{"accept": true}` or `{"error": "0x80"}`.
  static func reply(_ body: ProfileValue?) throws(Refusal) -> QuestionReply {
    let fields = try JSONBody.fields(body, known: ["value", "hex", "accept", "error"])
    guard fields.count == 1, let (name, value) = fields.first else {
      throw Refusal(.badRequest, "one of value, hex, accept and error is wanted")
    }
    switch (name, value) {
    case ("value", _): return .value(value)
    case ("hex", _):
      guard let octets = ProfileValue.object(["hex": value]).octets else {
        throw Refusal(.badRequest, "hex wants a text of pairs of hexadecimal digits, as \"0102\"")
      }
      return .value(.octets(octets))
    case ("accept", .bool(let isAccepted)): return isAccepted ? .accept : .refuse
    case ("accept", _): throw Refusal(.badRequest, "accept must be true or false")
    default: return .error(try errorCode(value))
    }
  }

  /// The key of `{"key": "entered"}`.
  static func keypress(_ body: ProfileValue?) throws(Refusal) -> Keypress {
    guard case .string(let word) = try JSONBody.fields(body, known: ["key"])["key"],
      let key = PairingWords.keypress(word)
    else { throw Refusal(.badRequest, "key is wanted (known: \(PairingWords.keypressWords.joined(separator: ", ")))") }
    return key
  }

  /// An ATT error: a number, a text such as `"0x80"`, or the name that profiles have for it.
  private static func errorCode(_ value: ProfileValue) throws(Refusal) -> ATTErrorCode {
    let code: ATTErrorCode? =
      switch value {
      case .int(let number): UInt8(exactly: number).map { ATTErrorCode(rawValue: $0) }
      case .string(let text): ATTErrorCode(profileText: text)
      default: nil
      }
    guard let code, code.rawValue != 0 else {
      throw Refusal(.badRequest, "error wants a number from 1 to 255, \"0x80\", or a name such as \"unlikely-error\"")
    }
    return code
  }
}
