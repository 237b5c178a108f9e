import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Understudy

/// The routes of the control API without a server, for callers without a socket, such as a fuzzer.
package struct ControlRoutes: Sendable {
  /// The answer to a request.
  package struct Answer: Hashable, Sendable {
    /// The status code.
    package var status: Int
    /// The media type of the body.
    package var contentType: String
    /// The body; empty for an endless stream of events.
    package var body: [UInt8]
    /// The methods of the path, if the method was wrong.
    package var allow: String?
  }

  /// The media type of a stream of events.
  package static let eventStream = "text/event-stream"
  /// Returns whether answers of that media type continue until the client disconnects.
  package static func isEndless(_ contentType: String) -> Bool {
    [eventStream, PacketResponses.captureType].contains(where: contentType.hasPrefix)
  }

  private let responder: ControlResponder

  /// Creates the routes of an accessory, which need no token. All waits are short.
  package init(accessory: Accessory) {
    responder = ControlResponder(
      subject: .accessory(accessory), gate: Gate(token: nil), bridges: BridgeAllowance(),
      limits: ControlLimits(expectation: .milliseconds(1), advance: .seconds(1)))
  }

  /// Returns the answer to a request; nil if HTTP cannot represent the method or a header field.
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

/// Collects what a body writes.
private struct BodyCollector: ResponseBodyWriter {
  private final class Collected: Sendable { let octets = Mutex<[UInt8]>([]) }
  private let collected = Collected()

  var octets: [UInt8] { collected.octets.withLock { $0 } }

  func write(_ buffer: ByteBuffer) { collected.octets.withLock { $0.append(contentsOf: buffer.readableBytesView) } }

  consuming func finish(_ trailingHeaders: HTTPFields?) {}
}
