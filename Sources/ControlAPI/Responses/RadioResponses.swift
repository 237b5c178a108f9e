import AccessoryProfile
import HTTPTypes
import Hummingbird
import Understudy
import VirtualRadio

/// Answers the requests about the virtual radio.
struct RadioResponses {
  let radio: RadioHub

  func answer(_ request: Request, about resource: RadioResource) async throws(Refusal) -> Response {
    let isRemoval = request.method.rawValue == "DELETE"
    switch resource {
    case .radio: return .json(await radio.stateReport())
    case .ordinary:
      let impairment = isRemoval ? PathImpairment() : try RadioRequests.path(try await JSONBody.read(request))
      await radio.setDefaultImpairment(impairment)
      return .json(impairment.json)
    case .path(let from, let to):
      let (from, to) = (try RadioRequests.name(from), try RadioRequests.name(to))
      guard from != to else { throw Refusal(.notFound, "a path leads from one controller to another") }
      let impairment = isRemoval ? nil : try RadioRequests.path(try await JSONBody.read(request))
      await radio.setImpairment(impairment, from: from, to: to)
      return .json(await radio.pathState(from: from, to: to))
    case .controller(let name):
      let name = try RadioRequests.name(name)
      let impairment =
        isRemoval ? ControllerImpairment() : try RadioRequests.controller(try await JSONBody.read(request))
      await radio.setImpairment(impairment, of: name)
      return .json(impairment.json)
    case .restart(let name):
      let notice = try RadioRequests.notice(try await JSONBody.read(request))
      guard await radio.restartController(try RadioRequests.name(name), announcing: notice) else {
        throw Refusal(.notFound, "there is no controller \(name) on the air")
      }
      return .json(.object(["restarted": .string(name)]))
    }
  }
}
