import AccessoryProfile
import BLECore
import Glibc
import Transport
import Understudy

/// A client of another run's control API, for what the program itself needs. Its calls block.
package struct ControlClient: Sendable {
  /// How long an answer may take to begin, and between its parts, in milliseconds.
  static let patience: CInt = 5_000
  /// The maximum length of an answer, in octets. The control API sends no longer ones.
  static let answerLimit = 16 << 20

  private let address: HTTPAddress
  private let token: String?

  /// The error if there is no usable answer.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened, and what to do about it.
    package let description: String
    /// Whether the server refuses the request because of its token.
    package let isRefusal: Bool
    /// Why the server refused the request, and what to do about it; nil if it could not be asked.
    package let refusal: String?

    /// Creates a failure.
    package init(description: String, isRefusal: Bool = false, refusal: String? = nil) {
      self.description = description
      self.isRefusal = isRefusal
      self.refusal = refusal
    }
  }

  /// Creates a client for the control API at an address. Without a token, it uses the one that a run of the same user has generated.
  package init(_ address: HTTPAddress, token: String?) {
    self.address = address
    self.token = token ?? (address.isLoopback ? GeneratedToken.of(port: address.port) : nil)
  }

  /// Sends a GET, and returns the JSON object in the answer.
  package func get(_ path: String) throws(Failure) -> [String: ProfileValue] {
    try whole(try open(Request(path: path)))
  }

  /// Sends the request of a console line about an accessory, whose path is `accessory`, and returns the answer. There is no time limit.
  package func perform(_ line: ConsoleLine, on accessory: String) throws(Failure) -> [String: ProfileValue] {
    let body = line.body.map { Array($0.jsonText.utf8) }
    let request = Request(
      method: line.verb.route.method, path: line.path(of: accessory), body: body, patience: nil)
    return try whole(try open(request), patience: nil)
  }

  private func whole(
    _ stream: HTTPStream, patience: CInt? = patience
  ) throws(Failure) -> [String: ProfileValue] {
    var body = stream.body
    while !stream.hasEnded {
      guard body.count <= Self.answerLimit else { throw failure("its answer is too long") }
      try waitFor(stream, patience)
      _ = try stream.read(into: &body)
    }
    // The body is empty for some requests.
    if body.isEmpty { return [:] }
    guard case .object(let fields)? = try? ProfileValue(json: body) else {
      throw failure("its answer is not JSON: is Understudy listening there?")
    }
    return fields
  }

  /// Sends a GET whose answer does not end.
  package func stream(_ path: String) throws(Failure) -> HTTPStream { try open(Request(path: path)) }

  private struct Request {
    var method = Route.Method.get
    var path: String
    var body: [UInt8]?
    /// How long the answer may take to begin, in milliseconds; nil for no limit.
    var patience: CInt? = ControlClient.patience
  }

  /// Sends a request, and reads until the head of the answer is complete.
  private func open(_ request: Request) throws(Failure) -> HTTPStream {
    let path = request.path
    let line: Line
    do throws(TransportError) { line = try Line.connectTCP(host: address.host, port: address.port) } catch {
      throw failure("\(error.why); start the accessory with --http \(address)")
    }
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    let content =
      request.body.map { "Content-Type: application/json\r\nContent-Length: \($0.count)\r\n" }
      ?? (request.method == .get ? "" : "Content-Length: 0\r\n")
    let head =
      "\(request.method.rawValue) \(path) HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n\(authorization)\(content)\r\n"
    guard line.write((Array(head.utf8) + (request.body ?? [])).span) == .sent else {
      throw failure("it accepts no request")
    }
    let stream = HTTPStream(line, failure: failure)
    while !stream.hasHead {
      try waitFor(stream, request.patience)
      _ = try stream.read(into: &stream.body)
      if stream.hasEnded, !stream.hasHead { throw failure("it has closed the connection") }
    }
    switch stream.status {
    case 200?, 201?, 202?, 204?: return stream
    case 401:
      let why = token == nil ? "it requires its token: give it" : "the token is wrong: give its own"
      throw Failure(description: failure("\(why) in UNDERSTUDY_HTTP_TOKEN").description, isRefusal: true)
    case let status:
      var body = stream.body
      while !stream.hasEnded, body.count <= Self.answerLimit {
        try waitFor(stream)
        _ = try stream.read(into: &body)
      }
      let answer = try? ProfileValue(json: body)
      guard case .object(let fields)? = answer, case .string(let why)? = fields["error"] else {
        throw failure("it answers \(path) with \(status ?? 0): is Understudy listening there?")
      }
      let hint = fields["hint"].flatMap { hint in if case .string(let hint) = hint { hint } else { nil } }
      throw Failure(description: failure(why).description, refusal: hint.map { "\(why) (\($0))" } ?? why)
    }
  }

  private func waitFor(_ stream: HTTPStream, _ patience: CInt? = patience) throws(Failure) {
    var entry = pollfd(fd: stream.descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&entry, 1, patience ?? -1)
      if count > 0 { return }
      if count < 0, errno == EINTR { continue }
      throw failure("it does not answer")
    }
  }

  private func failure(_ why: String) -> Failure {
    Failure(description: "cannot ask the control API at http://\(address): \(why)")
  }
}

/// An answer that is read in parts.
package final class HTTPStream {
  /// The descriptor to wait for until it is readable.
  package var descriptor: CInt { line.descriptor }
  /// The part of the body that has arrived with the head.
  package fileprivate(set) var body: [UInt8] = []
  /// Whether the answer is complete.
  package private(set) var hasEnded = false

  fileprivate var status: Int? { reply.status }
  fileprivate var hasHead: Bool { reply.hasHead }

  private let line: Line
  private var reply = HTTPReply()
  private var octets = OctetBuffer()
  private let failure: (String) -> ControlClient.Failure

  fileprivate init(_ line: Line, failure: @escaping (String) -> ControlClient.Failure) {
    self.line = line
    self.failure = failure
  }

  /// Appends the next part of the body. Returns false if there is none at present.
  package func read(into body: inout [UInt8]) throws(ControlClient.Failure) -> Bool {
    octets.removeAll()
    let before = body.count
    switch line.read(into: &octets) {
    case .octets:
      do throws(HTTPReply.Fault) {
        try octets.withSpan { octets throws(HTTPReply.Fault) in try reply.push(octets, into: &body) }
      } catch {
        hasEnded = true
        throw failure("its answer is not HTTP")
      }
      hasEnded = reply.isWhole
    case .wouldBlock: break
    case .closed: hasEnded = true
    case .failed(let code):
      hasEnded = true
      throw failure(TransportError.text(ofErrno: code))
    }
    return body.count > before
  }
}
