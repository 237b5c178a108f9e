import HTTPTypes
import Hummingbird
import NIOCore
import Understudy

/// A request's connection.
struct ControlContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}

/// Answers the requests of the control API.
struct ControlResponder: HTTPResponder {
  typealias Context = ControlContext

  let subject: ControlSubject
  let gate: Gate
  let bridges: BridgeAllowance
  let limits: ControlLimits
  let shutdown: Shutdown
  private let streams: EventStream

  init(subject: ControlSubject, gate: Gate, bridges: BridgeAllowance, limits: ControlLimits) {
    (self.subject, self.gate, self.bridges, self.limits) = (subject, gate, bridges, limits)
    shutdown = Shutdown()
    streams = EventStream(limits: limits, slots: Slots(limits.streams), shutdown: shutdown)
  }

  func respond(to request: Request, context: Context) async throws -> Response {
    await respond(to: request) { request async throws(Refusal) in
      try await Self.complete(request, within: limits.body, context.channel)
    }
  }

  /// Answers a request, whose body `complete` waits for.
  func respond(to request: Request, complete: (Request) async throws(Refusal) -> Request) async -> Response {
    do throws(Refusal) {
      let path = request.head.path ?? ""
      if let file = DashboardFile(path: path) {
        try gate.admitPage(request.head)
        return try file.answer(request.method)
      }
      try gate.admit(request.head)
      guard let resource = Resource(path: path) else {
        throw Refusal(.notFound, "there is nothing at \(path)")
      }
      guard resource.methods.contains(request.method.rawValue) else {
        let known = resource.methods.joined(separator: ", ")
        throw Refusal(
          .methodNotAllowed, "\(path) does not have \(request.method.rawValue) (known: \(known))",
          methods: resource.methods)
      }
      return try await answer(try await complete(request), about: resource)
    } catch {
      return error.response
    }
  }

  /// The request with its body. Who takes too long for it, or has more than there is room for, loses the connection.
  private static func complete(
    _ request: Request, within limit: Duration, _ channel: any Channel
  ) async throws(Refusal) -> Request {
    guard request.method != .get else { return request }
    let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(limit)) { channel.close(promise: nil) }
    let octets = try await JSONBody.octets(of: request)
    deadline.cancel()
    var request = request
    request.body = RequestBody(buffer: ByteBuffer(bytes: octets))
    return request
  }

  private func answer(_ request: Request, about resource: Resource) async throws(Refusal) -> Response {
    switch resource {
    case .radio(let resource):
      return try await RadioResponses(radio: try await subject.radio()).answer(request, about: resource)
    case .accessories: return .json(await subject.list())
    case .member(let name, let resource):
      return try await answer(request, about: resource, of: try subject.accessory(named: name))
    case .accessory(.events):
      if let group = subject.group { return try await events(of: group, to: request) }
      fallthrough
    default: return try await answer(request, about: resource, of: try subject.accessory())
    }
  }

  private func answer(
    _ request: Request, about resource: Resource, of accessory: Accessory
  ) async throws(Refusal) -> Response {
    switch resource {
    case .accessory(let resource):
      return try await AccessoryResponses(accessory: accessory, streams: streams).answer(request, about: resource)
    case .bonds(let resource):
      return try await BondResponses(accessory: accessory).answer(request, about: resource)
    case .channels(let resource):
      return try await ChannelResponses(accessory: accessory, bridges: bridges).answer(request, about: resource)
    case .notifications(let resource):
      return try await NotificationResponses(accessory: accessory).answer(request, about: resource)
    case .questions(let resource):
      return try await QuestionResponses(accessory: accessory).answer(request, about: resource)
    case .services(let resource):
      return try await ServiceResponses(accessory: accessory).answer(request, about: resource)
    case .faults(let resource):
      return try await FaultResponses(accessory: accessory).respond(to: resource, request)
    case .accessories, .member, .radio: throw Refusal(.notFound, "an accessory has no such thing")
    }
  }

  /// What happens to all accessories of a group.
  private func events(of group: AccessoryGroup, to request: Request) async throws(Refusal) -> Response {
    try await streams.response(to: request, try EventStream.filter(of: request)) { happened, ended in
      let id = await group.observe(seeingAccess: true, ended: ended) { happened($0.json) }
      return { await group.forget(observer: id) }
    }
  }
}
