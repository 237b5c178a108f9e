/// The parts of prepared writes of one client, in the order they came (Core 5.4 Vol 3 Part F 3.4.6). A client that has several
/// bearers may send them over any of them.
public struct PreparedWriteQueue: Sendable {
  /// How many parts it holds at the most. At the default MTU a value of 512 octets takes 29.
  public static let capacity = 64

  /// The parts in order.
  public private(set) var parts: [PrepareWriteRequest] = []

  /// An attribute for which there is a part, and which is gone since.
  public private(set) var staleHandle: UInt16?

  /// An empty queue.
  public init() {}

  /// Adds a part; false when the queue is full.
  public mutating func append(_ part: PrepareWriteRequest) -> Bool {
    guard parts.count < Self.capacity else { return false }
    parts.append(part)
    return true
  }

  /// Takes all parts out.
  public mutating func removeAll() -> [PrepareWriteRequest] {
    defer {
      parts.removeAll()
      staleHandle = nil
    }
    return parts
  }

  /// Notes that attributes are gone: parts for them cannot be written any longer.
  public mutating func attributesRemoved(_ handles: [UInt16]) {
    staleHandle = staleHandle ?? parts.first { handles.contains($0.handle) }?.handle
  }
}
