import BLECore

/// Finds the packets in a stream of octets from a UART (Core 5.4 Vol 4 Part A), however the stream is split into runs.
///
/// Packets that arrive whole stay in place, without allocation. Only a packet that continues in the next run is collected.
///
/// A UART can lose octets. If an octet cannot start a packet, the deframer skips octets until the next plausible packet, and counts them. A
/// packet that the specification does not define is accepted only if another packet, or nothing, follows it. So an unusual controller stays
/// in sync, but a damaged length does not. While out of sync, the deframer also requires matching content: a known event with its right
/// length, or an L2CAP frame that fills its packet.
///
/// After a damaged length the deframer may wait for octets that never come. `giveUpPending` ends this, as does `advance` for owners that
/// call `startTimer` when octets arrive.
public struct H4Deframer: Sendable {
  /// The reader of the stream.
  public enum Side: Sendable {
    /// A host, which receives data and events from a controller.
    case host
    /// A controller, which receives commands and data from a host.
    case controller
  }

  /// The total number of octets that belonged to no packet.
  public private(set) var skippedOctets = 0
  /// The number of them that `takeSkipped` has reported.
  private var reportedSkipped = 0
  /// The deadline for the rest of a packet, set by `startTimer`.
  public private(set) var nextDeadline: Instant?
  /// The total number of times that the deframer lost sync.
  public private(set) var losses = 0
  /// Whether the last octets belonged to packets.
  public private(set) var isSynchronized = true

  private var head: H4Head
  /// Octets of an incomplete packet, from `tailStart` on; normally the start of one packet.
  private var tail: [UInt8] = []
  private var tailStart = 0
  /// Whether the rest of what is incomplete in `tail` is not expected any longer.
  private var areOctetsOld = false

  /// The maximum length of ACL or ISO data in a packet. A larger length is invalid.
  public var maximumDataLength: Int {
    get { head.maximumDataLength }
    set { head.maximumDataLength = newValue }
  }

  /// Creates a deframer for this side that treats a header with more than `maximumDataLength` octets of ACL or ISO data as invalid.
  public init(side: Side, maximumDataLength: Int = 4096) {
    head = H4Head(side: side, maximumDataLength: maximumDataLength)
  }

  /// The number of octets held because their packet is incomplete.
  public var pendingOctets: Int { tail.count - tailStart }

  /// Whether there are skipped octets that `takeSkipped` has not reported.
  public var hasSkipped: Bool { skippedOctets != reportedSkipped }

  /// Returns the number of octets skipped since the last call.
  @discardableResult
  public mutating func takeSkipped() -> Int {
    defer { reportedSkipped = skippedOctets }
    return skippedOctets - reportedSkipped
  }

  /// The number of stored octets, including obsolete ones.
  var keptOctets: Int { tail.count }

  /// Gives up an incomplete packet, and looks for a packet after its first octet. Then call `next` with no octets until it returns nil.
  public mutating func giveUpPending() {
    guard pendingOctets > 0 else { return }
    skip()
    advanceTail(1)
  }

  /// The maximum wait for the rest of a packet: much longer than the longest packet takes on the slowest UART in use.
  private static let patience = Duration.milliseconds(500)

  /// Starts the wait for the rest of a packet. Call this after all received octets have been processed.
  public mutating func startTimer(at now: Instant) {
    areOctetsOld = false
    nextDeadline = pendingOctets > 0 ? now + Self.patience : nil
  }

  /// Handles the passing of time. Returns true if it gave up an incomplete packet; then call `next` with no octets, and `startTimer`.
  ///
  /// All octets that it holds are then equally old, so `next` gives up whatever else is incomplete among them: noise can contain many
  /// starts of packets, and a controller's answers would be lost for half a second for each.
  public mutating func advance(to now: Instant) -> Bool {
    guard let deadline = nextDeadline, deadline <= now else { return false }
    giveUpPending()
    areOctetsOld = true
    return true
  }

  /// Drops an incomplete packet when the stream restarts. Keeps the counters.
  public mutating func reset() {
    tail.removeAll(keepingCapacity: true)
    tailStart = 0
    isSynchronized = true
    nextDeadline = nil
  }

  /// Calls `each` for every complete packet, with its type and its octets without the type.
  @inlinable
  public mutating func push(_ octets: Span<UInt8>, _ each: (H4PacketType, Span<UInt8>) -> Void) {
    var offset = 0
    while let frame = next(in: octets, at: &offset) {
      switch frame.place {
      case .given(let range): each(frame.type, octets.extracting(range))
      case .collected(let packet): each(frame.type, packet.span)
      }
    }
  }

  /// Returns the next complete packet, or nil after all of `octets` from `offset` on has been processed.
  ///
  /// For callers that cannot run a closure while the deframer is being mutated: call it with an `offset` of 0 and the same octets until it
  /// returns nil.
  public mutating func next(in octets: Span<UInt8>, at offset: inout Int) -> H4Frame? {
    while tail.isEmpty {
      let available = octets.count - offset
      guard available > 0 else { return nil }
      guard let total = head.length(in: octets, at: offset, strictly: !isSynchronized) else {
        skip()
        offset += 1
        continue
      }
      if total > available {
        keep(octets, from: &offset, count: available)
        return nil
      }
      let start = offset
      guard accepts(octets, start, total, next: available > total ? octets[start + total] : nil) else {
        skip()
        offset += 1
        continue
      }
      isSynchronized = true
      offset += total
      return H4Frame(type: H4PacketType(rawValue: octets[start]), place: .given(start + 1..<start + total))
    }
    return nextCollected(in: octets, at: &offset)
  }

  /// Does the same while octets are left from the previous run.
  private mutating func nextCollected(in octets: Span<UInt8>, at offset: inout Int) -> H4Frame? {
    while !tail.isEmpty {
      guard let total = head.length(in: tail.span, at: tailStart, strictly: !isSynchronized) else {
        skip()
        advanceTail(1)
        continue
      }
      let missing = total - pendingOctets
      if missing > 0 {
        let count = min(missing, octets.count - offset)
        guard count > 0 else {
          guard areOctetsOld else { return nil }
          skip()
          advanceTail(1)
          continue
        }
        keep(octets, from: &offset, count: count)
        // With more octets the header may be longer.
        continue
      }
      let end = tailStart + total
      let following = end < tail.count ? tail[end] : offset < octets.count ? octets[offset] : nil
      guard accepts(tail.span, tailStart, total, next: following) else {
        skip()
        advanceTail(1)
        continue
      }
      isSynchronized = true
      let frame = H4Frame(
        type: H4PacketType(rawValue: tail[tailStart]), place: .collected(Array(tail[(tailStart + 1)..<end])))
      advanceTail(total)
      return frame
    }
    return next(in: octets, at: &offset)
  }

  /// Returns whether `total` octets at `start` are accepted as a packet, if `next` is the octet after them.
  private func accepts(_ octets: Span<UInt8>, _ start: Int, _ total: Int, next: UInt8?) -> Bool {
    (isSynchronized && head.isPlausible(octets, start, total)) || head.isConfirmed(octets, start, total)
      || next.map(head.accepts) ?? true
  }

  private mutating func skip() {
    skippedOctets += 1
    if isSynchronized {
      isSynchronized = false
      losses += 1
    }
  }

  private mutating func keep(_ octets: Span<UInt8>, from offset: inout Int, count: Int) {
    tail.reserveCapacity(tail.count + count)
    for index in offset..<offset + count { tail.append(octets[index]) }
    offset += count
  }

  private mutating func advanceTail(_ count: Int) {
    tailStart += count
    if tailStart == tail.count {
      tail.removeAll(keepingCapacity: true)
      tailStart = 0
    } else if tailStart > 4096, tailStart > pendingOctets {
      // With noise, the end of every packet can look like the start of another, so that the tail never becomes empty.
      tail.removeFirst(tailStart)
      tailStart = 0
    }
  }
}
