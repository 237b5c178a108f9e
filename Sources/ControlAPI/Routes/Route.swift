import HTTPTypes
import Hummingbird

/// A request of the control API. The router, the validation of requests, the OpenAPI document and
/// docs/http.md all derive from this description.
struct Route: Sendable {
  enum Method: String, CaseIterable, Sendable {
    case get = "GET"
    case put = "PUT"
    case post = "POST"
    case delete = "DELETE"
  }

  /// What the path belongs to.
  enum Scope: Sendable {
    /// An accessory: below `/v1` if there is only one, and below `/v1/accessories/{accessory}`.
    case accessory
    /// The same, and below `/v1` for all together if there are several.
    case accessories
    /// The virtual radio or the program.
    case program
  }

  /// A part of a path.
  enum Segment: Hashable, Sendable {
    case literal(String)
    case name(String)
  }

  /// The body of a request.
  struct Body: Sendable {
    let shape: Shape
    /// Whether a body is needed.
    var isRequired = true
    /// What the body is, if its shape does not say so: a part of a profile, which has its own loader and diagnostics.
    var language: String?
  }

  /// The content of a successful response.
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
  /// What it does, as text that follows the request.
  let summary: String
  let query: [Shape.Field]
  let body: Body?
  let status: HTTPResponse.Status
  let content: Content
  /// The possible refusals, in addition to the common ones.
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

  /// Returns the values of the names in the path; nil if the path does not match.
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

  /// The number of literal segments in its path: `bonds/export` takes precedence over `bonds/{bond}`.
  var literalCount: Int { segments.count { if case .literal = $0 { true } else { false } } }

  /// All possible refusals.
  var allRefusals: [RefusalCode] {
    var codes: [RefusalCode] = [.tokenNeeded, .tokenWrong, .foreignHost, .foreignPage, .badRequest] + refusals
    if scope == .accessory { codes += [.severalAccessories] }
    if scope != .program { codes += [.noAccessory, .unknownAccessory] }
    if body != nil { codes += [.badJSON, .bodyTooLarge] }
    for case .name(let name) in segments { codes += [PathName.of(name).refusal] }
    return RefusalCode.allCases.filter { codes.contains($0) }
  }
}

/// A name in a path.
struct PathName: Sendable {
  let shape: Shape
  let about: String
  /// The refusal if nothing has that name.
  let refusal: RefusalCode

  /// Returns the description of the name in braces.
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
