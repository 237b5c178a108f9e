import HTTPTypes
import Hummingbird
import Understudy

/// What a control API controls.
enum ControlSubject: Sendable {
  /// An accessory, with the virtual radio that it may be on.
  case accessory(Accessory)
  /// A virtual radio alone.
  case radio(RadioHub)
}

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
    switch (resource, subject) {
    case (.radio(let resource), .radio(let radio)):
      return try await RadioResponses(radio: radio).answer(request, about: resource)
    case (.radio(let resource), .accessory(let accessory)):
      guard let radio = await accessory.virtualRadio else {
        throw Refusal(.notFound, "there is no virtual radio: the controller is \(accessory.options.controller)")
      }
      return try await RadioResponses(radio: radio).answer(request, about: resource)
    case (.accessory(let resource), .accessory(let accessory)):
      return try await AccessoryResponses(accessory: accessory, heartbeat: heartbeat, shutdown: shutdown)
        .answer(request, about: resource)
    case (.channels(let resource), .accessory(let accessory)):
      return try await ChannelResponses(accessory: accessory).answer(request, about: resource)
    case (.notifications(let resource), .accessory(let accessory)):
      return try await NotificationResponses(accessory: accessory).answer(request, about: resource)
    case (.accessory, .radio), (.channels, .radio), (.notifications, .radio):
      throw Refusal(.notFound, "there is no accessory, only the virtual radio: /v1/radio")
    }
  }
}
