/// Those who want to know what happens, and how they are told.
struct EventObservers {
  private var handlers: [Int: Handler] = [:]
  private var streams: [Int: AsyncStream<AccessoryEvent>.Continuation] = [:]
  private var nextID = 0

  private struct Handler {
    var happened: @Sendable (AccessoryEvent) -> Void
    var seesAccess: Bool
    var ended: @Sendable () -> Void
  }

  /// Whether nobody wants to know.
  var isEmpty: Bool { handlers.isEmpty && streams.isEmpty }

  /// Calls `handler` for every event, in order, and `ended` when there will be none; returns the number to remove it by.
  mutating func add(
    _ handler: @escaping @Sendable (AccessoryEvent) -> Void, seesAccess: Bool = false,
    ended: @escaping @Sendable () -> Void
  ) -> Int {
    defer { nextID += 1 }
    handlers[nextID] = Handler(happened: handler, seesAccess: seesAccess, ended: ended)
    return nextID
  }

  /// Feeds a stream; returns the number to remove it by.
  mutating func add(_ continuation: AsyncStream<AccessoryEvent>.Continuation) -> Int {
    defer { nextID += 1 }
    streams[nextID] = continuation
    return nextID
  }

  /// Feeds a stream, or calls a handler, no longer; returns whether single accesses were reported for its sake.
  @discardableResult
  mutating func remove(_ id: Int) -> Bool {
    defer { (streams[id], handlers[id]) = (nil, nil) }
    return handlers[id]?.seesAccess ?? false
  }

  func emit(_ event: AccessoryEvent) {
    for handler in handlers.values { handler.happened(event) }
    for stream in streams.values { stream.yield(event) }
  }

  /// There will be no more events.
  mutating func finish() {
    for stream in streams.values { stream.finish() }
    for handler in handlers.values { handler.ended() }
    (streams, handlers) = ([:], [:])
  }
}
