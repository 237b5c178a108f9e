import BLECore
import AccessoryProfile
import BLEGATT
import BLESMP
import HTTPTypes
import Hummingbird
import Understudy

/// Answers the requests about what somebody outside has to decide.
struct QuestionResponses {
  let accessory: Accessory

  func answer(_ request: Request, about resource: QuestionResource) async throws(Refusal) -> Response {
    switch resource {
    case .questions: return .json(.object(["questions": await accessory.questionReport()]))
    case .answer(let segment):
      let ticket = try QuestionRequests.ticket(segment)
      let reply = try QuestionRequests.reply(try await JSONBody.read(request))
      do throws(ControlError) { try await accessory.answer(ticket, with: reply) } catch { throw Refusal(error) }
      return .json(.object(["answered": .int(Int64(clamping: ticket.number))]))
    case .keypress(let segment):
      let ticket = try QuestionRequests.ticket(segment)
      let key = try QuestionRequests.keypress(try await JSONBody.read(request))
      do throws(ControlError) { try await accessory.press(key, for: ticket) } catch { throw Refusal(error) }
      return .json(.object(["pressed": .string(PairingWords.word(for: key))]))
    }
  }
}
