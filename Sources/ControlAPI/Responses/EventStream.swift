import AccessoryProfile
import HTTPTypes
import Hummingbird
import Understudy

/// Events as they happen, in the form that browsers and `curl` know (HTML Living Standard 9.2, server-sent events).
enum EventStream {
  /// The answer that goes on until the client is gone, the events have ended or the server ends, with a comment at every heartbeat.
  ///
  /// The heartbeat shows a client that the connection lives, and shows us one that has vanished without a word.
  static func response<Event: Sendable>(
    of events: AsyncStream<Event>, to request: Request, heartbeat: Duration, until shutdown: Shutdown,
    json: @escaping @Sendable (Event) -> ProfileValue
  ) -> Response {
    Response(
      status: .ok, headers: [.contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody { writer in
        let (pieces, feed) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(4096))
        let feeding = Task {
          await withTaskGroup { group in
            group.addTask {
              for await event in events { feed.yield(text(of: json(event))) }
              feed.finish()
            }
            group.addTask {
              while (try? await Task.sleep(for: heartbeat)) != nil { feed.yield(": heartbeat\n\n") }
            }
            await group.next()
            group.cancelAll()
          }
        }
        // The loop over the events takes those that wait before it ends.
        let id = shutdown.notify { feeding.cancel() }
        defer {
          shutdown.forget(id)
          feeding.cancel()
        }
        try await request.body.consumeWithInboundCloseHandler { _ in
          for await piece in pieces { try await writer.write(ByteBuffer(string: piece)) }
        } onInboundClosed: {
          feed.finish()
        }
        try await writer.finish(nil)
      })
  }

  /// One message: the event's name, and all of it as JSON.
  static func text(of json: ProfileValue) -> String {
    guard case .object(let fields) = json, case .string(let name) = fields["event"] else { return "" }
    return "event: \(name)\ndata: \(json.jsonText)\n\n"
  }
}
