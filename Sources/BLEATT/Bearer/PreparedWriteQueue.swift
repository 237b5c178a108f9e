/// The parts of one client's prepared writes, in order of arrival (Core 5.4 Vol 3 Part F 3.4.6). A client with several bearers may send
/// them on any of them.
public struct PreparedWriteQueue: Sendable {
  /// The maximum number of parts. At the default MTU a value of 512 octets takes 29.
  public static let capacity = 64

  /// The parts in order.
  public private(set) var parts: [PrepareWriteRequest] = []

  /// The attribute of a part that has been removed from the database.
  public private(set) var staleHandle: UInt16?

  /// Creates an empty queue.
  public init() {}

  /// Appends a part; false if the queue is full.
  public mutating func append(_ part: PrepareWriteRequest) -> Bool {
    guard parts.count < Self.capacity else { return false }
    parts.append(part)
    return true
  }

  /// Removes and returns all parts.
  public mutating func removeAll() -> [PrepareWriteRequest] {
    defer {
      parts.removeAll()
      staleHandle = nil
    }
    return parts
  }

  /// Notes that attributes have been removed: their parts can no longer be written.
  public mutating func attributesRemoved(_ handles: [UInt16]) {
    staleHandle = staleHandle ?? parts.first { handles.contains($0.handle) }?.handle
  }
}
