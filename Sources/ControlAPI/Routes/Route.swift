import HTTPTypes
import Hummingbird

/// One thing that can be asked for: the one statement of it that the router, the validation of requests, the OpenAPI document and
/// docs/http.md are made from.
struct Route: Sendable {
  enum Method: String, CaseIterable, Sendable {
    case get = "GET"
    case put = "PUT"
    case post = "POST"
    case delete = "DELETE"
  }

  /// Whose path it is.
  enum Scope: Sendable {
    /// Of an accessory: below `/v1` where there is one, and below `/v1/accessories/{accessory}`.
    case accessory
    /// The same, and below `/v1` of all together where there are several.
    case accessories
    /// Of the virtual radio or of the program.
    case program
  }

  /// A part of a path.
  enum Segment: Hashable, Sendable {
    case literal(String)
    case name(String)
  }

  /// What a request bears.
  struct Body: Sendable {
    let shape: Shape
    /// Whether there has to be one.
    var isRequired = true
    /// What it is, where the shape does not say it: a piece of the language of profiles, which has its own loader and diagnostics.
    var language: String?
  }

  /// What it is answered with when it is granted.
  enum Content: Sendable {
    case json(Shape)
    /// Server-sent events.
    case events
    /// Octets or text of that media type.
    case file(String)
  }

  let method: Method
  let scope: Scope
  /// The path below `/v1/`, with names in braces.
  let path: String
  let segments: [Segment]
  /// What it does, to be read behind the request.
  let summary: String
  let query: [Shape.Field]
  let body: Body?
  let status: HTTPResponse.Status
  let content: Content
  /// Why it may be refused beside what is common to all.
  let refusals: [RefusalCode]
  let answer: @Sendable (RouteCall) async throws(Refusal) -> Response

  init(
    _ method: Method, _ path: String, of scope: Scope = .accessory, _ summary: String, query: [Shape.Field] = [],
    body: Body? = nil, status: HTTPResponse.Status = .ok, _ content: Content, refusals: [RefusalCode] = [],
    answer: @escaping @Sendable (RouteCall) async throws(Refusal) -> Response
  ) {
    (self.method, self.path, self.scope, self.summary, self.query) = (method, path, scope, summary, query)
    (self.body, self.status, self.content, self.refusals, self.answer) = (body, status, content, refusals, answer)
    segments = path.split(separator: "/").map { part in
      part.hasPrefix("{") ? .name(String(part.dropFirst().dropLast())) : .literal(String(part))
    }
  }

  /// The names of a path with what stands for them; nil where the path is another one.
  func match(_ path: [String]) -> [String: String]? {
    guard path.count == segments.count else { return nil }
    var names: [String: String] = [:]
    for (segment, text) in zip(segments, path) {
      switch segment {
      case .literal(let literal): guard literal == text else { return nil }
      case .name(let name): names[name] = text
      }
    }
    return names
  }

  /// How much of its path is literal: `bonds/export` goes before `bonds/{bond}`.
  var literalCount: Int { segments.count { if case .literal = $0 { true } else { false } } }

  /// Everything that it may be refused with.
  var allRefusals: [RefusalCode] {
    var codes: [RefusalCode] = [.tokenNeeded, .tokenWrong, .foreignHost, .foreignPage, .badRequest] + refusals
    if scope == .accessory { codes += [.severalAccessories] }
    if scope != .program { codes += [.noAccessory, .unknownAccessory] }
    if body != nil { codes += [.badJSON, .bodyTooLarge] }
    for case .name(let name) in segments { codes += [PathName.of(name).refusal] }
    return RefusalCode.allCases.filter { codes.contains($0) }
  }
}

/// What stands for a name in a path.
struct PathName: Sendable {
  let shape: Shape
  let about: String
  /// What is said of one that there is not.
  let refusal: RefusalCode

  /// The name in braces.
  static func of(_ name: String) -> PathName { all[name] ?? PathName(.text(atLeast: 1), "", .unknownPath) }

  private init(_ shape: Shape, _ about: String, _ refusal: RefusalCode) {
    (self.shape, self.about, self.refusal) = (shape, about, refusal)
  }

  private static let all: [String: PathName] = [
    "accessory": PathName(.text(atLeast: 1), "the `id` of an accessory", .unknownAccessory),
    "bond": PathName(.text(atLeast: 1), "the `id` or the address of a bond", .unknownBond),
    "button": PathName(.text(atLeast: 1), "the name of a button", .unknownButton),
    "channel": PathName(.number16, "the number of a channel, as in the events", .unknownChannel),
    "characteristic": PathName(
      .text(atLeast: 1), "the id of a characteristic, or its UUID if only one characteristic has it",
      .unknownCharacteristic),
    "connection": PathName(.number16, "the number of a connection, as in the events", .unknownConnection),
    "controller": PathName(
      .text(atLeast: 1), "the name of a controller on the air, such as `accessory` or `tcp-1`", .unknownController),
    "fault": PathName(.text(atLeast: 1), "the id of a fault", .unknownFault),
    "snapshot": PathName(.text(atLeast: 1), "the id of a snapshot", .unknownSnapshot),
    "from": PathName(.text(atLeast: 1), "the controller that sends", .unknownController),
    "notification": PathName(.integer(0...0xFFFF_FFFF), "the UID of a notification", .unknownNotification),
    "publication": PathName(.text(atLeast: 1), "the id of a publication", .unknownPublication),
    "question": PathName(.integer(0...Int64.max), "the ticket of a question", .unknownQuestion),
    "service": PathName(.text(atLeast: 1), "the id of a service", .unknownService),
    "set": PathName(.text(atLeast: 1), "the id of an advertising set", .unknownSet),
    "to": PathName(.text(atLeast: 1), "the controller that receives", .unknownController),
  ]
}
