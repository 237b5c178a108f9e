/// Those who want to know what happens, and how they are told.
struct EventObservers {
  private var handlers: [Int: @Sendable (AccessoryEvent) -> Void] = [:]
  private var streams: [Int: AsyncStream<AccessoryEvent>.Continuation] = [:]
  private var nextID = 0

  /// Whether nobody wants to know.
  var isEmpty: Bool { handlers.isEmpty && streams.isEmpty }

  /// Calls `handler` for every event, in order.
  mutating func add(_ handler: @escaping @Sendable (AccessoryEvent) -> Void) {
    handlers[nextID] = handler
    nextID += 1
  }

  /// Feeds a stream; returns the number to remove it by.
  mutating func add(_ continuation: AsyncStream<AccessoryEvent>.Continuation) -> Int {
    defer { nextID += 1 }
    streams[nextID] = continuation
    return nextID
  }

  /// Feeds a stream no longer.
  mutating func remove(_ id: Int) { streams[id] = nil }

  func emit(_ event: AccessoryEvent) {
    for handler in handlers.values { handler(event) }
    for stream in streams.values { stream.yield(event) }
  }

  /// Ends all streams.
  mutating func finish() {
    for stream in streams.values { stream.finish() }
    streams = [:]
  }
}
