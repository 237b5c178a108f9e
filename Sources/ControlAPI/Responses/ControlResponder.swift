import AccessoryProfile
import HTTPTypes
import Hummingbird
import NIOCore
import Understudy

/// The context of a request, with its connection.
struct ControlContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}

/// Answers the requests of the control API: finds the route, validates the request, and calls the route.
struct ControlResponder: HTTPResponder {
  typealias Context = ControlContext

  let gate: Gate
  let limits: ControlLimits
  let shutdown: Shutdown
  private let service: ControlService

  init(subject: ControlSubject, gate: Gate, bridges: BridgeAllowance, limits: ControlLimits) {
    (self.gate, self.limits) = (gate, limits)
    shutdown = Shutdown()
    service = ControlService(
      subject: subject, bridges: bridges,
      streams: EventStream(limits: limits, slots: Slots(limits.streams), shutdown: shutdown),
      journals: EventJournals(of: subject, limits: limits.journal))
  }

  var journals: EventJournals { service.journals }

  func respond(to request: Request, context: Context) async throws -> Response {
    let watch = try? await context.channel.pipeline.handler(type: ConnectionWatch.self).get()
    return await respond(to: request, over: watch?.closing ?? Shutdown()) { request async throws(Refusal) in
      try await Self.body(of: request, within: limits.body, context.channel)
    }
  }

  /// Answers a request over a connection, which may close meanwhile. `receive` waits for the body.
  func respond(
    to request: Request, over connection: Shutdown = Shutdown(), receive: (Request) async throws(Refusal) -> [UInt8]
  ) async -> Response {
    do throws(Refusal) {
      let path = request.head.path ?? ""
      if let file = DashboardFile(path: path) {
        try gate.admitPage(request.head)
        return try file.answer(request.method)
      }
      try gate.admit(request.head)
      let (route, names) = try Self.route(request.method.rawValue, path)
      return try await route.answer(try await call(request, route, names, connection, receive))
    } catch {
      return error.response
    }
  }

  /// Returns the route of a request, with the values of the names in its path.
  private static func route(_ method: String, _ path: String) throws(Refusal) -> (Route, [String: String]) {
    let routes = RouteTable.routes(at: path)
    guard !routes.isEmpty else { throw Refusal(.unknownPath, "there is nothing at \(path)") }
    guard let found = routes.first(where: { $0.route.method.rawValue == method }) else {
      let methods = Route.Method.allCases.filter { method in routes.contains { $0.route.method == method } }
        .map(\.rawValue)
      throw Refusal(
        .unknownMethod, "\(path) does not have \(method) (known: \(methods.joined(separator: ", ")))", methods: methods)
    }
    return found
  }

  /// Validates a request against its route.
  private func call(
    _ request: Request, _ route: Route, _ names: [String: String], _ connection: Shutdown,
    _ receive: (Request) async throws(Refusal) -> [UInt8]
  ) async throws(Refusal) -> RouteCall {
    // Check the accessory before the rest of the request.
    if let name = names["accessory"] {
      _ = try service.subject.accessory(named: name)
    } else if route.scope == .accessory || (route.scope == .accessories && service.subject.group == nil) {
      _ = try service.subject.accessory()
    }
    let query = try Self.query(request, route)
    let octets = request.method == .get ? [] : try await receive(request)
    var body: ProfileValue?
    if let expected = route.body {
      body = try JSONBody.read(octets)
      try expected.check(body)
    } else if !octets.isEmpty {
      throw Refusal(.badRequest, "\(route.method.rawValue) takes no body here")
    }
    return RouteCall(
      request: request, names: names, query: query, body: body, octets: octets, closing: connection, service: service)
  }

  /// Returns the parameters of the query. Values are texts; those that should be numbers are validated as numbers.
  private static func query(_ request: Request, _ route: Route) throws(Refusal) -> [String: String] {
    var query: [String: String] = [:]
    let path = request.head.path ?? ""
    let encoded = path.firstIndex(of: "?").map { path[path.index(after: $0)...] } ?? ""
    guard let fields = PercentEncoding.decode(query: encoded) else {
      throw Refusal(.badRequest, "the query is not percent-encoded UTF-8")
    }
    for (name, text) in fields {
      guard let field = route.query.first(where: { $0.name == name }) else {
        let known = route.query.map(\.name).joined(separator: ", ")
        throw Refusal(.badRequest, "unknown parameter \(name) (known: \(known.isEmpty ? "none" : known))")
      }
      guard query.updateValue(text, forKey: name) == nil else {
        throw Refusal(.badRequest, "the parameter \(name) is given twice")
      }
      var json = ProfileValue.string(text)
      if case .integer = field.shape, let number: Int64 = RouteCall.number(text) { json = .int(number) }
      if let fault = field.shape.fault(of: json, at: name) { throw Refusal(.badRequest, fault) }
    }
    return query
  }

  /// Receives the body of a request. Slow or oversized bodies close the connection.
  private static func body(
    of request: Request, within limit: Duration, _ channel: any Channel
  ) async throws(Refusal) -> [UInt8] {
    let deadline = channel.eventLoop.scheduleTask(in: TimeAmount(limit)) { channel.close(promise: nil) }
    defer { deadline.cancel() }
    return try await JSONBody.octets(of: request)
  }
}

extension Route.Body {
  /// Validates a body against its shape. A part of a profile is validated by the profile's loader, which has better diagnostics.
  fileprivate func check(_ body: ProfileValue?) throws(Refusal) {
    guard let body else {
      guard isRequired else { return }
      let wanted = language.map { "a \($0), as JSON" } ?? shape.words
      throw Refusal(.badRequest, "the body must be \(wanted)")
    }
    guard language == nil, let fault = shape.fault(of: body) else { return }
    throw Refusal(.badRequest, fault)
  }
}
