import AccessoryProfile
import HTTPTypes
import Hummingbird
import NIOCore
import Understudy

/// Events as they happen, in the form that browsers and `curl` know (HTML Living Standard 9.2, server-sent events).
struct EventStream: Sendable {
  let limits: ControlLimits
  let slots: Slots
  let shutdown: Shutdown

  /// What comes so soon behind something that was written waits for more, and goes out with it: each write costs as much as ten
  /// packets.
  static let gathering = Duration.milliseconds(50)

  /// The events of a journal behind the one with that number, until the client is gone, the events have ended or the server ends, with a
  /// comment at every heartbeat.
  ///
  /// Each has its number as its `id`. In the place of those that the journal has not any longer stands the event `lost` with their
  /// `count`, and the number of the last of them. The heartbeat shows a client that the connection lives, and shows us one that has
  /// vanished without a word.
  func response(
    to request: Request, _ journal: EventJournal, after id: Int, _ filter: EventFilter
  ) throws(Refusal) -> Response {
    try takeSlot()
    // Before the head goes out: what happens after a client has seen that is not missed.
    let reader = JournalReader(journal, after: id)
    let feed = Feed(finish: { reader.end() }, stop: {}, slots: slots)
    let source = Source(
      finish: { reader.finish() }, beat: { reader.beat() }, next: { await reader.next().map { [$0] } },
      makeWriter: { { delivery in Self.text(of: delivery, filter).map { ByteBuffer(string: $0) } } })
    return response(to: request, feed, contentType: Self.contentType, source)
  }

  /// An answer of what comes into a queue, for which a slot has been taken. `makeWriter` is called once, and gives what turns deliveries
  /// into octets, in their order; nil is nothing.
  func response<Element: Sendable>(
    to request: Request, _ queue: BoundedQueue<Element>, contentType: String, heartbeat: Element?,
    stop: @escaping @Sendable () async -> Void,
    makeWriter: @escaping @Sendable () -> (BoundedQueue<Element>.Delivery) -> ByteBuffer?
  ) -> Response {
    let feed = Feed(finish: { queue.finish() }, stop: stop, slots: slots)
    let source = Source(
      finish: { queue.finish() }, beat: { if let heartbeat { queue.offerWhenEmpty(heartbeat) } },
      next: { await queue.next().map { [$0] + queue.takeWaiting() } }, gathering: Self.gathering, makeWriter: makeWriter
    )
    return response(to: request, feed, contentType: contentType, source)
  }

  /// What an answer that goes on is made of.
  private struct Source<Delivery: Sendable>: Sendable {
    /// The server ends: what waits is taken before.
    var finish: @Sendable () -> Void
    /// A while has passed.
    var beat: @Sendable () -> Void
    var next: @Sendable () async -> [Delivery]?
    /// How long more is waited for after a write.
    var gathering = Duration.zero
    var makeWriter: @Sendable () -> (Delivery) -> ByteBuffer?
  }

  /// An answer that goes on as long as there is a next delivery.
  private func response<Delivery: Sendable>(
    to request: Request, _ feed: Feed, contentType: String, _ source: Source<Delivery>
  ) -> Response {
    let (limits, shutdown) = (limits, shutdown)
    return Response(
      status: .ok, headers: [.contentType: contentType, .cacheControl: "no-store"],
      body: ResponseBody { writer in
        let beating = Task {
          while (try? await Task.sleep(for: limits.heartbeat)) != nil { source.beat() }
        }
        let id = shutdown.notify(source.finish)
        defer {
          shutdown.forget(id)
          beating.cancel()
          feed.end()
        }
        try await request.body.consumeWithInboundCloseHandler { _ in
          let octets = source.makeWriter()
          while let deliveries = await source.next() {
            var whole = ByteBuffer()
            for delivery in deliveries {
              if var buffer = octets(delivery) { whole.writeBuffer(&buffer) }
            }
            guard whole.readableBytes > 0 else { continue }
            try await writer.write(whole)
            if source.gathering > .zero { try? await Task.sleep(for: source.gathering) }
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
      throw Refusal(.tooManyStreams, "there are already \(limits.streams) event streams")
    }
  }

  static let heartbeat = ": heartbeat\n\n"
  static let contentType = "text/event-stream; charset=utf-8"

  /// One message: the event's name, and all of it as JSON.
  static func text(of json: ProfileValue) -> String {
    guard case .object(let fields) = json, case .string(let name) = fields["event"] else { return "" }
    return "event: \(name)\ndata: \(json.jsonText)\n\n"
  }

  /// What of a delivery somebody wants; nil where it is nothing.
  static func text(of delivery: JournalReader.Delivery, _ filter: EventFilter) -> String? {
    guard case .excerpt(let excerpt) = delivery else { return heartbeat }
    var text = ""
    if excerpt.lost > 0 {
      let id = excerpt.last - excerpt.entries.count
      text += "id: \(id)\n\(Self.text(of: LostEvents(count: excerpt.lost).json))"
    }
    for entry in excerpt.entries where filter.passes(entry.json) { text += entry.message }
    return text.isEmpty ? nil : text
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
