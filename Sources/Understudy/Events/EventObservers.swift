/// The observers of events.
struct EventObservers {
  private var handlers: [Int: Handler] = [:]
  private var streams: [Int: AsyncStream<AccessoryEvent>.Continuation] = [:]
  private var nextID = 0

  private struct Handler {
    var happened: @Sendable (AccessoryEvent) -> Void
    var seesAccess: Bool
    var ended: @Sendable () -> Void
  }

  /// Whether there are no observers.
  var isEmpty: Bool { handlers.isEmpty && streams.isEmpty }

  /// Adds a handler, which is called for every event, in order; `ended` is called when no more events will
  /// follow. Returns the number for `remove`.
  mutating func add(
    _ handler: @escaping @Sendable (AccessoryEvent) -> Void, seesAccess: Bool = false,
    ended: @escaping @Sendable () -> Void
  ) -> Int {
    defer { nextID += 1 }
    handlers[nextID] = Handler(happened: handler, seesAccess: seesAccess, ended: ended)
    return nextID
  }

  /// Adds a stream. Returns the number for `remove`.
  mutating func add(_ continuation: AsyncStream<AccessoryEvent>.Continuation) -> Int {
    defer { nextID += 1 }
    streams[nextID] = continuation
    return nextID
  }

  /// Removes an observer. Returns whether single accesses were reported for it.
  @discardableResult
  mutating func remove(_ id: Int) -> Bool {
    defer { (streams[id], handlers[id]) = (nil, nil) }
    return handlers[id]?.seesAccess ?? false
  }

  func emit(_ event: AccessoryEvent) {
    for handler in handlers.values { handler.happened(event) }
    for stream in streams.values { stream.yield(event) }
  }

  /// Ends all observers: no more events will follow.
  mutating func finish() {
    for stream in streams.values { stream.finish() }
    for handler in handlers.values { handler.ended() }
    (streams, handlers) = ([:], [:])
  }
}
