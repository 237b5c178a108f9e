import AccessoryProfile
import BLEATT
import BLECore
import BLEGATT
import BLESMP
import HTTPTypes
import Hummingbird
import Understudy

extension RouteTable {
  private static let errorShape = Shape.either(
    [.integer(1...255), .text(atLeast: 1)],
    words: "a number from 1 to 255, \"0x80\", or a name such as \"unlikely-error\"")

  static let questions: [Route] = [
    Route(
      .get, "questions", "open questions: about reads, writes, authorization and [pairing](pairing.md)",
      .json(
        .object(
          .needed(
            "questions",
            .list(
              .open(
                .needed("ticket", .integer(0...Int64.max)), .needed("kind", .text), .needed("connection", .number16),
                .needed("deadline", .anyNumber))))))
    ) { call async throws(Refusal) in .json(.object(["questions": await (try call.accessory()).questionReport()])) },
    Route(
      .post, "questions/{question}/answer", "answers a question, with one of these fields",
      body: .fields(
        .optional("value", .any, "for a read, in its format"), .optional("hex", .hex, "the same, as octets"),
        .optional("accept", .truth), .optional("error", errorShape, "an ATT error code")),
      .json(.object(.needed("answered", .integer(0...Int64.max)))),
      refusals: [.questionEnded, .unsuitableValue, .notReady]
    ) { call async throws(Refusal) in
      let (ticket, reply) = (try ticket(call), try reply(call))
      try await call.control { accessory throws(ControlError) in try await accessory.answer(ticket, with: reply) }
      return .json(.object(["answered": .int(Int64(clamping: ticket.number))]))
    },
    Route(
      .post, "questions/{question}/keypress", "sends the central a keypress notification while a passkey is entered",
      body: .fields(.needed("key", .words(PairingWords.keypressWords))), .json(.object(.needed("pressed", .text))),
      refusals: [.questionEnded, .unsuitableValue, .notReady, .impossible, .unknownConnection]
    ) { call async throws(Refusal) in
      let ticket = try ticket(call)
      guard let key = call.text("key").flatMap({ PairingWords.keypress($0) }) else {
        throw Refusal(.badRequest, "key must be one of \(PairingWords.keypressWords.joined(separator: ", "))")
      }
      try await call.control { accessory throws(ControlError) in try await accessory.press(key, for: ticket) }
      return .json(.object(["pressed": .string(PairingWords.word(for: key))]))
    },
  ]

  private static func ticket(_ call: RouteCall) throws(Refusal) -> AnswerTicket {
    guard let number: UInt64 = RouteCall.number(call["question"]) else {
      throw Refusal(
        .unknownQuestion, "there is no question \(call["question"]): questions are numbers, as in the events")
    }
    return AnswerTicket(number)
  }

  private static func reply(_ call: RouteCall) throws(Refusal) -> QuestionReply {
    guard call.fields.count == 1, let (name, value) = call.fields.first else {
      throw Refusal(.badRequest, "one of value, hex, accept and error is needed")
    }
    switch name {
    case "value": return .value(value)
    case "hex": return .value(.octets(call.octets("hex") ?? []))
    case "accept": return value == .bool(true) ? .accept : .refuse
    default: return .error(try errorCode(value))
    }
  }

  private static func errorCode(_ value: ProfileValue) throws(Refusal) -> ATTErrorCode {
    let code: ATTErrorCode? =
      switch value {
      case .int(let number): UInt8(exactly: number).map { ATTErrorCode(rawValue: $0) }
      case .string(let text): ATTErrorCode(profileText: text)
      default: nil
      }
    guard let code, code.rawValue != 0 else { throw Refusal(.badRequest, "error must be \(errorShape.words)") }
    return code
  }
}
