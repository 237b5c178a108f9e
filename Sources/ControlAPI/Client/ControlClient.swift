import AccessoryProfile
import BLECore
import Glibc
import Transport
import Understudy

/// Asks the control API of another run, as far as the program itself has something to ask. Its calls wait.
package struct ControlClient: Sendable {
  /// How long an answer may take to begin, and to come where it is to be whole.
  static let patience: CInt = 5_000
  /// A longer answer is none of the control API's.
  static let answerLimit = 16 << 20

  private let address: HTTPAddress
  private let token: String?

  /// Why there is no answer.
  package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What happened, and what to do about it.
    package let description: String
    /// Whether it is there and wants another token.
    package let isRefusal: Bool
    /// Why it did not do what was asked, and what to do; nil where it could not be asked.
    package let refusal: String?

    /// A failure in words.
    package init(description: String, isRefusal: Bool = false, refusal: String? = nil) {
      self.description = description
      self.isRefusal = isRefusal
      self.refusal = refusal
    }
  }

  /// A client of the control API at an address. Without a token it takes the one that a run of the same user has generated.
  package init(_ address: HTTPAddress, token: String?) {
    self.address = address
    self.token = token ?? (address.isLoopback ? GeneratedToken.of(port: address.port) : nil)
  }

  /// The answer to a GET, of a JSON object.
  package func get(_ path: String) throws(Failure) -> [String: ProfileValue] {
    try whole(try open(Request(path: path)))
  }

  /// The answer to what a line of a console asks of an accessory, below whose path it is; it may take as long as it wants.
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
    // Some requests are answered by nothing.
    if body.isEmpty { return [:] }
    guard case .object(let fields)? = try? ProfileValue(json: body) else {
      throw failure("its answer is no JSON: is it Understudy that listens there?")
    }
    return fields
  }

  /// The answer to a GET that goes on.
  package func stream(_ path: String) throws(Failure) -> HTTPStream { try open(Request(path: path)) }

  private struct Request {
    var method = Route.Method.get
    var path: String
    var body: [UInt8]?
    /// How long the answer may take to begin, in milliseconds; nil for as long as it wants.
    var patience: CInt? = ControlClient.patience
  }

  /// Asks, and reads until the head of the answer has come.
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
      throw failure("it takes no request")
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
      let why = token == nil ? "it wants its token: give it" : "it refuses the token: give its own"
      throw Failure(description: failure("\(why) in UNDERSTUDY_HTTP_TOKEN").description, isRefusal: true)
    case let status:
      var body = stream.body
      while !stream.hasEnded, body.count <= Self.answerLimit {
        try waitFor(stream)
        _ = try stream.read(into: &body)
      }
      let answer = try? ProfileValue(json: body)
      guard case .object(let fields)? = answer, case .string(let why)? = fields["error"] else {
        throw failure("it answers \(path) with \(status ?? 0): is it Understudy that listens there?")
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

/// An answer as it comes.
package final class HTTPStream {
  /// To be waited for until it is readable.
  package var descriptor: CInt { line.descriptor }
  /// What of the body has come with the head.
  package fileprivate(set) var body: [UInt8] = []
  /// Whether nothing more comes.
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

  /// Appends what has come of the body; false when that is nothing.
  package func read(into body: inout [UInt8]) throws(ControlClient.Failure) -> Bool {
    octets.removeAll()
    let before = body.count
    switch line.read(into: &octets) {
    case .octets:
      do throws(HTTPReply.Fault) {
        try octets.withSpan { octets throws(HTTPReply.Fault) in try reply.push(octets, into: &body) }
      } catch {
        hasEnded = true
        throw failure("its answer is no HTTP")
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
