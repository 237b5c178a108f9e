import AccessoryProfile
import BLECore
import HTTPTypes
import Hummingbird
import NIOCore
import Understudy

/// Event streams in the format of server-sent events (HTML Living Standard 9.2).
struct EventStream: Sendable {
  let limits: ControlLimits
  let slots: Slots
  let shutdown: Shutdown

  /// How long to collect further packets after a write, so that they are written together: a write costs as much as ten packets.
  static let gathering = Duration.milliseconds(50)

  /// Returns a stream of a journal's events after the one with that number, with a comment at every
  /// heartbeat. It ends when the client disconnects, the journal ends or the server ends.
  ///
  /// Each event has its number as its `id`. Instead of events that are no longer in the journal, the stream
  /// has the event `lost` with their `count`, and the number of the last of them. The heartbeat shows the
  /// client that the connection works, and reveals a client that has vanished.
  func response(
    to request: Request, _ journal: EventJournal, after id: Int, _ filter: EventFilter
  ) throws(Refusal) -> Response {
    try takeSlot()
    // Before the head is sent: the client must not miss anything that happens after it has received the head.
    let reader = JournalReader(journal, after: id)
    let feed = Feed(finish: { reader.end() }, stop: {}, slots: slots)
    let source = Source(
      finish: { reader.finish() }, beat: { reader.beat() }, next: { await reader.next().map { [$0] } },
      makeWriter: { { delivery in Self.text(of: delivery, filter).map { ByteBuffer(string: $0) } } })
    return response(to: request, feed, contentType: Self.contentType, source)
  }

  /// Returns a stream of the elements of a queue. Its slot must have been taken. `makeWriter` is called once,
  /// and returns the function that converts deliveries to octets, in order; nil for none.
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

  /// The source of a stream.
  private struct Source<Delivery: Sendable>: Sendable {
    /// Ends the source after what is waiting.
    var finish: @Sendable () -> Void
    /// Notes that a heartbeat is due.
    var beat: @Sendable () -> Void
    var next: @Sendable () async -> [Delivery]?
    /// How long to wait for more after a write.
    var gathering = Duration.zero
    var makeWriter: @Sendable () -> (Delivery) -> ByteBuffer?
  }

  /// Returns a stream that continues as long as there is a next delivery.
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

  /// Takes the slot of a stream.
  func takeSlot() throws(Refusal) {
    guard slots.take() else {
      throw Refusal(.tooManyStreams, "there are already \(limits.streams) event streams")
    }
  }

  static let heartbeat = ": heartbeat\n\n"
  static let contentType = "text/event-stream; charset=utf-8"

  /// Returns a message: the event's name, and the whole event as JSON.
  static func text(of json: ProfileValue) -> String {
    guard case .object(let fields) = json, case .string(let name) = fields["event"] else { return "" }
    return text(named: name) { $0.append(json.jsonText) }
  }

  /// Returns a message: the event's name, and the JSON that `write` appends.
  static func text(named name: String, _ write: (inout OctetBuffer) -> Void) -> String {
    String { text in
      text.append("event: \(name)\ndata: ")
      write(&text)
      text.append("\n\n")
    }
  }

  /// Returns the messages of a delivery that pass the filter; nil if there are none.
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

/// What a stream holds until it ends.
private final class Feed: Sendable {
  private let finish: @Sendable () -> Void
  private let stop: @Sendable () async -> Void
  private let slots: Slots
  private let hasEnded = Slots(1)

  init(finish: @escaping @Sendable () -> Void, stop: @escaping @Sendable () async -> Void, slots: Slots) {
    (self.finish, self.stop, self.slots) = (finish, stop, slots)
  }

  /// A stream that is never written ends too.
  deinit { end() }

  func end() {
    guard hasEnded.take() else { return }
    finish()
    slots.giveBack()
    let stop = stop
    Task { await stop() }
  }
}
