import AccessoryProfile
import BLECore
import Glibc
import Transport

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

    /// A failure in words.
    package init(description: String, isRefusal: Bool = false) {
      self.description = description
      self.isRefusal = isRefusal
    }
  }

  /// A client of the control API at an address. Without a token it takes the one that a run of the same user has generated.
  package init(_ address: HTTPAddress, token: String?) {
    self.address = address
    self.token = token ?? (address.isLoopback ? GeneratedToken.of(port: address.port) : nil)
  }

  /// The answer to a GET, of a JSON object.
  package func get(_ path: String) throws(Failure) -> [String: ProfileValue] {
    let stream = try open(path)
    var body = stream.body
    while !stream.hasEnded {
      guard body.count <= Self.answerLimit else { throw failure("its answer is too long") }
      try waitFor(stream)
      _ = try stream.read(into: &body)
    }
    guard case .object(let fields)? = try? ProfileValue(json: body) else {
      throw failure("its answer is no JSON: is it Understudy that listens there?")
    }
    return fields
  }

  /// The answer to a GET that goes on.
  package func stream(_ path: String) throws(Failure) -> HTTPStream { try open(path) }

  /// Asks, and reads until the head of the answer has come.
  private func open(_ path: String) throws(Failure) -> HTTPStream {
    let line: Line
    do throws(TransportError) { line = try Line.connectTCP(host: address.host, port: address.port) } catch {
      throw failure("\(error.why); start the accessory with --http \(address)")
    }
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    let request = "GET \(path) HTTP/1.1\r\nHost: \(address)\r\nConnection: close\r\n\(authorization)\r\n"
    guard line.write(Array(request.utf8).span) == .sent else { throw failure("it takes no request") }
    let stream = HTTPStream(line, failure: failure)
    while !stream.hasHead {
      try waitFor(stream)
      _ = try stream.read(into: &stream.body)
      if stream.hasEnded, !stream.hasHead { throw failure("it has closed the connection") }
    }
    switch stream.status {
    case 200: return stream
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
      throw failure(why)
    }
  }

  private func waitFor(_ stream: HTTPStream) throws(Failure) {
    var entry = pollfd(fd: stream.descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&entry, 1, Self.patience)
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
