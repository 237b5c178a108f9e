/// Counts the writes without response that the system has not sent.
struct CommandCount {
  /// The maximum. Core Bluetooth documents none; a few connection events carry this many writes.
  static let limit = 20
  private var pending = 0
  /// Whether to tell the app when there is room again.
  private var isWaiting = false

  var hasRoom: Bool { pending < Self.limit }

  /// Counts a write; returns false if there is no room for it.
  mutating func add() -> Bool {
    guard hasRoom else { return false }
    pending += 1
    if !hasRoom { isWaiting = true }
    return true
  }

  /// Counts a sent write; returns whether to tell the app that there is room again.
  mutating func sent() -> Bool {
    pending = max(0, pending - 1)
    guard isWaiting, pending <= Self.limit / 2 else { return false }
    isWaiting = false
    return true
  }

  mutating func reset() { self = CommandCount() }
}
