import BLECore

/// Finds the packets in a stream of octets from a UART (Core 5.4 Vol 4 Part A), however the stream is cut into runs.
///
/// Packets that arrive whole stay where they are and nothing is allocated; only the packet at the end of a run that goes
/// on in the next one is collected.
///
/// A UART loses octets. When the octet where a packet should begin is none that may begin one, the deframer skips octet by
/// octet to the next plausible packet, counting what it skips. A packet that is none of the specification's is believed
/// only when another packet, or nothing, follows it: an odd controller keeps its place in the stream, a damaged length
/// does not. While it is lost the deframer also wants the content to bear a packet out (a known event of its right
/// length, an L2CAP frame that fills its packet).
///
/// A damaged length can also leave it waiting for octets that never come: `giveUpPending` ends that, or `advance`, for owners that
/// say with `startTimer` when octets came.
public struct H4Deframer: Sendable {
  /// Who reads the stream.
  public enum Side: Sendable {
    /// A host, to whom controllers send data and events.
    case host
    /// A controller, to whom hosts send commands and data.
    case controller
  }

  /// How many octets belonged to no packet, since the beginning.
  public private(set) var skippedOctets = 0
  /// How many of them `takeSkipped` has told of.
  private var reportedSkipped = 0
  /// When the rest of a packet is no longer waited for, as `startTimer` has found.
  public private(set) var nextDeadline: Instant?
  /// How often the deframer lost its place in the stream, since the beginning.
  public private(set) var losses = 0
  /// Whether the last octets seen belonged to packets.
  public private(set) var isSynchronized = true

  private var head: H4Head
  /// Octets that are not yet a whole packet, from `tailStart` on; normally one packet's beginning.
  private var tail: [UInt8] = []
  private var tailStart = 0

  /// The most octets of ACL or ISO data that a packet may have; a head that says more is garbage.
  public var maximumDataLength: Int {
    get { head.maximumDataLength }
    set { head.maximumDataLength = newValue }
  }

  /// A deframer for that side that takes a head with more than `maximumDataLength` octets of ACL or ISO data for garbage.
  public init(side: Side, maximumDataLength: Int = 4096) {
    head = H4Head(side: side, maximumDataLength: maximumDataLength)
  }

  /// How many octets are held back because their packet is not whole yet.
  public var pendingOctets: Int { tail.count - tailStart }

  /// Whether octets were skipped that `takeSkipped` has not told of.
  public var hasSkipped: Bool { skippedOctets != reportedSkipped }

  /// How many octets were skipped since this was asked last.
  @discardableResult
  public mutating func takeSkipped() -> Int {
    defer { reportedSkipped = skippedOctets }
    return skippedOctets - reportedSkipped
  }

  /// How many octets are kept, those counted that no longer matter.
  var keptOctets: Int { tail.count }

  /// Takes the beginning of a packet whose rest does not come for garbage, and looks for a packet behind its first octet.
  /// Call `next` with no octets afterwards, until it returns nil.
  public mutating func giveUpPending() {
    guard pendingOctets > 0 else { return }
    skip()
    advanceTail(1)
  }

  /// How long the rest of a packet may take: much longer than the longest packet takes on the slowest UART in use.
  private static let patience = Duration.milliseconds(500)

  /// All octets that came have been taken in: from now on the rest of a packet that has begun is waited for.
  public mutating func startTimer(at now: Instant) { nextDeadline = pendingOctets > 0 ? now + Self.patience : nil }

  /// What the passing of time means: true when a packet was given up whose rest has not come; then call `next` with no octets, and
  /// `startTimer`.
  public mutating func advance(to now: Instant) -> Bool {
    guard let deadline = nextDeadline, deadline <= now else { return false }
    giveUpPending()
    return true
  }

  /// Forgets the beginning of a packet, for when the stream begins anew; the counters stay.
  public mutating func reset() {
    tail.removeAll(keepingCapacity: true)
    tailStart = 0
    isSynchronized = true
    nextDeadline = nil
  }

  /// Calls `each` for every packet that is whole now, with its type and its octets without the type.
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

  /// The next whole packet, or nil when all of `octets` from `offset` on has been taken in.
  ///
  /// For callers that cannot let a closure run while the deframer is being changed: call it with an `offset` of 0 and
  /// the same octets until it returns nil.
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

  /// The same while there are octets left from the run before.
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
        guard count > 0 else { return nil }
        keep(octets, from: &offset, count: count)
        // With more octets the head may say more.
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

  /// Whether the whole packet of `total` octets at `start` is to be taken for one, when `next` is the octet behind it.
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
      // Noise can let every packet's end look like the beginning of another, so that the tail never runs empty.
      tail.removeFirst(tailStart)
      tailStart = 0
    }
  }
}
