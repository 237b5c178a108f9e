import AccessoryProfile
import HTTPTypes
import Hummingbird
import NIOCore
import Understudy

/// Events as they happen, in the form that browsers and `curl` know (HTML Living Standard 9.2, server-sent events).
///
/// Each has the number of events before it as its `id`. A client that reads too slowly loses the oldest that wait for it, and gets
/// the event `lost` with their `count` in their place.
struct EventStream: Sendable {
  /// Where the events come from: begins to call the one for every event and the other at their end, and returns what stops that.
  typealias Source =
    @Sendable (_ happened: @escaping @Sendable (ProfileValue) -> Void, _ ended: @escaping @Sendable () -> Void) async ->
    @Sendable () async -> Void

  let limits: ControlLimits
  let slots: Slots
  let shutdown: Shutdown

  /// The answer that goes on until the client is gone, the events have ended or the server ends, with a comment at every heartbeat.
  ///
  /// The heartbeat shows a client that the connection lives, and shows us one that has vanished without a word.
  func response(
    to request: Request, _ filter: EventFilter, from source: Source
  ) async throws(Refusal) -> Response {
    try takeSlot()
    let queue = BoundedQueue<String>(limit: limits.waitingOctets)
    // Subscribed before the head goes out: what happens after a client has seen that is not missed.
    let stop = await source(
      { json in
        guard filter.passes(json) else { return }
        let text = Self.text(of: json)
        queue.offer(text, cost: text.utf8.count + Self.overhead)
      }, { queue.finish() })
    return response(to: request, queue, contentType: Self.contentType, heartbeat: Self.heartbeat, stop: stop) {
      { ByteBuffer(string: Self.text(of: $0)) }
    }
  }

  /// An answer of what comes into a queue, for which a slot has been taken. `makeWriter` is called once, and gives what turns deliveries
  /// into octets, in their order; nil is nothing.
  func response<Element: Sendable>(
    to request: Request, _ queue: BoundedQueue<Element>, contentType: String, heartbeat: Element?,
    stop: @escaping @Sendable () async -> Void,
    makeWriter: @escaping @Sendable () -> (BoundedQueue<Element>.Delivery) -> ByteBuffer?
  ) -> Response {
    let feed = Feed(finish: { queue.finish() }, stop: stop, slots: slots)
    let (limits, shutdown) = (limits, shutdown)
    return Response(
      status: .ok, headers: [.contentType: contentType, .cacheControl: "no-store"],
      body: ResponseBody { writer in
        let beating = Task {
          guard let heartbeat else { return }
          while (try? await Task.sleep(for: limits.heartbeat)) != nil { queue.offerWhenEmpty(heartbeat) }
        }
        // What waits is taken before the end.
        let id = shutdown.notify { queue.finish() }
        defer {
          shutdown.forget(id)
          beating.cancel()
          feed.end()
        }
        try await request.body.consumeWithInboundCloseHandler { _ in
          let octets = makeWriter()
          while let delivery = await queue.next() {
            if let buffer = octets(delivery) { try await writer.write(buffer) }
          }
        } onInboundClosed: {
          feed.end()
        }
        try await writer.finish(nil)
      })
  }

  /// Takes the slot of one stream.
  func takeSlot() throws(Refusal) {
    guard slots.take() else {
      throw Refusal(.serviceUnavailable, "there are \(limits.streams) event streams already")
    }
  }

  /// What the query `?without=NAME,NAME` leaves out.
  static func filter(of request: Request) throws(Refusal) -> EventFilter {
    do throws(EventFilter.ParseError) {
      return try EventFilter(leavingOut: request.uri.queryParameters["without"].map { String($0) } ?? "")
    } catch {
      throw Refusal(.badRequest, "\(error)")
    }
  }

  /// What an event takes beside its text, in octets.
  private static let overhead = 64
  static let heartbeat = ": heartbeat\n\n"
  static let contentType = "text/event-stream; charset=utf-8"

  /// One message: the event's name, and all of it as JSON.
  static func text(of json: ProfileValue) -> String {
    guard case .object(let fields) = json, case .string(let name) = fields["event"] else { return "" }
    return "event: \(name)\ndata: \(json.jsonText)\n\n"
  }

  static func text(of delivery: BoundedQueue<String>.Delivery) -> String {
    switch delivery {
    case .element(let text, let number): text.hasPrefix(":") ? text : "id: \(number)\n\(text)"
    case .lost(let count): text(of: LostEvents(count: count).json)
    }
  }
}

/// What one stream holds until it ends.
private final class Feed: Sendable {
  private let finish: @Sendable () -> Void
  private let stop: @Sendable () async -> Void
  private let slots: Slots
  private let hasEnded = Slots(1)

  init(finish: @escaping @Sendable () -> Void, stop: @escaping @Sendable () async -> Void, slots: Slots) {
    (self.finish, self.stop, self.slots) = (finish, stop, slots)
  }

  /// An answer that is never written has ended, too.
  deinit { end() }

  func end() {
    guard hasEnded.take() else { return }
    finish()
    slots.giveBack()
    let stop = stop
    Task { await stop() }
  }
}
