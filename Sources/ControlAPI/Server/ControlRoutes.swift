import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Understudy

/// The routes of the control API without a server: a request in, its answer out. For whoever has no socket, such as a fuzzer.
package struct ControlRoutes: Sendable {
  /// What a request is answered with.
  package struct Answer: Hashable, Sendable {
    /// The status code.
    package var status: Int
    /// The media type of the body.
    package var contentType: String
    /// The body; empty for a stream of events, which would not end.
    package var body: [UInt8]
    /// The methods that there are, where another one was asked for.
    package var allow: String?
  }

  /// What a stream of events answers with.
  package static let eventStream = "text/event-stream"
  /// Whether answers of that media type go on until the client has enough.
  package static func isEndless(_ contentType: String) -> Bool {
    [eventStream, PacketResponses.captureType].contains(where: contentType.hasPrefix)
  }

  private let responder: ControlResponder

  /// The routes of an accessory, which may be used without a token. Nothing waits long.
  package init(accessory: Accessory) {
    responder = ControlResponder(
      subject: .accessory(accessory), gate: Gate(token: nil), bridges: BridgeAllowance(),
      limits: ControlLimits(expectation: .milliseconds(1), advance: .seconds(1)))
  }

  /// The answer to a request; nil where the method or a field is nothing that HTTP can carry.
  package func answer(
    _ method: String, _ path: String, headers: [(name: String, value: String)], body: [UInt8]
  ) async -> Answer? {
    guard let method = HTTPRequest.Method(method) else { return nil }
    var head = HTTPRequest(method: method, scheme: "http", authority: "127.0.0.1", path: path)
    for (name, value) in headers {
      if name.lowercased() == "host" {
        head.authority = value
      } else {
        guard let name = HTTPField.Name(name) else { return nil }
        head.headerFields.append(HTTPField(name: name, value: value))
      }
    }
    guard body.count <= JSONBody.limit else { return nil }
    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
    let response = await responder.respond(to: request) { _ in body }
    let collector = BodyCollector()
    let type = response.headers[.contentType] ?? ""
    if !Self.isEndless(type) { try? await response.body.write(collector) }
    return Answer(
      status: response.status.code, contentType: type, body: collector.octets, allow: response.headers[.allow])
  }
}

/// Takes in what a body writes.
private struct BodyCollector: ResponseBodyWriter {
  private final class Collected: Sendable { let octets = Mutex<[UInt8]>([]) }
  private let collected = Collected()

  var octets: [UInt8] { collected.octets.withLock { $0 } }

  func write(_ buffer: ByteBuffer) { collected.octets.withLock { $0.append(contentsOf: buffer.readableBytesView) } }

  consuming func finish(_ trailingHeaders: HTTPFields?) {}
}
