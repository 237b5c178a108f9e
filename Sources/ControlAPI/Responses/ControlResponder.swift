import HTTPTypes
import Hummingbird
import Understudy

/// Answers the requests of the control API.
struct ControlResponder: HTTPResponder {
  typealias Context = BasicRequestContext

  let subject: ControlSubject
  let gate: Gate
  let heartbeat: Duration
  let shutdown = Shutdown()

  func respond(to request: Request, context: Context) async throws -> Response {
    do throws(Refusal) {
      try gate.admit(request.head)
      let path = request.head.path ?? ""
      guard let resource = Resource(path: path) else {
        throw Refusal(.notFound, "there is nothing at \(path)")
      }
      guard resource.methods.contains(request.method.rawValue) else {
        let known = resource.methods.joined(separator: ", ")
        throw Refusal(
          .methodNotAllowed, "\(path) does not have \(request.method.rawValue) (known: \(known))",
          methods: resource.methods)
      }
      return try await answer(request, about: resource)
    } catch {
      return error.response
    }
  }

  private func answer(_ request: Request, about resource: Resource) async throws(Refusal) -> Response {
    switch resource {
    case .radio(let resource):
      return try await RadioResponses(radio: try await subject.radio()).answer(request, about: resource)
    case .accessories: return .json(await subject.list())
    case .member(let name, let resource):
      return try await answer(request, about: resource, of: try subject.accessory(named: name))
    case .accessory(.events):
      if let group = subject.group { return await events(of: group, to: request) }
      fallthrough
    default: return try await answer(request, about: resource, of: try subject.accessory())
    }
  }

  private func answer(
    _ request: Request, about resource: Resource, of accessory: Accessory
  ) async throws(Refusal) -> Response {
    switch resource {
    case .accessory(let resource):
      return try await AccessoryResponses(accessory: accessory, heartbeat: heartbeat, shutdown: shutdown)
        .answer(request, about: resource)
    case .channels(let resource):
      return try await ChannelResponses(accessory: accessory).answer(request, about: resource)
    case .notifications(let resource):
      return try await NotificationResponses(accessory: accessory).answer(request, about: resource)
    case .questions(let resource):
      return try await QuestionResponses(accessory: accessory).answer(request, about: resource)
    case .services(let resource):
      return try await ServiceResponses(accessory: accessory).answer(request, about: resource)
    case .accessories, .member, .radio: throw Refusal(.notFound, "an accessory has no such thing")
    }
  }

  /// What happens to all accessories of a group.
  private func events(of group: AccessoryGroup, to request: Request) async -> Response {
    await group.reportAccess()
    return EventStream.response(of: await group.events(), to: request, heartbeat: heartbeat, until: shutdown) {
      $0.json
    }
  }
}
