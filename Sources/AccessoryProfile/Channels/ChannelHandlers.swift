import BLECore
import BLEL2CAP
import Crypto

/// A rate limit for a channel.
struct Pace: Sendable {
  let octetsPerSecond: Int
  /// The earliest time at which more octets may pass.
  private(set) var resumption: Instant

  init(octetsPerSecond: Int, startingAt now: Instant) {
    self.octetsPerSecond = octetsPerSecond
    resumption = now
  }

  /// Returns whether more octets may pass at `now`.
  func allows(_ now: Instant) -> Bool { resumption <= now }

  /// Counts octets. Idle time is not credited.
  mutating func count(_ octets: Int, at now: Instant) {
    resumption = max(resumption, now) + .nanoseconds(Int64(octets) * 1_000_000_000 / Int64(octetsPerSecond))
  }
}

/// Sends every SDU back. While SDUs wait to be sent, the peer gets no credits.
struct ChannelEcho: Sendable {
  private var waiting: [[UInt8]] = []

  /// Sends an SDU back, in pieces if it exceeds the peer's MTU.
  mutating func take(_ sdu: Span<UInt8>, sendMTU: Int, on id: ChannelID, in channels: inout LinkChannels) {
    var offset = 0
    repeat {
      let end = min(sdu.count, offset + max(sendMTU, 1))
      let piece = sdu.extracting(offset..<end)
      if !waiting.isEmpty || channels.send(piece, on: id) == .full {
        waiting.append(piece.withUnsafeBytes { Array($0) })
        channels.hold(id)
      }
      offset = end
    } while offset < sdu.count
  }

  mutating func resume(on id: ChannelID, in channels: inout LinkChannels) {
    guard !waiting.isEmpty else { return }
    let sent = waiting.prefix { channels.send($0.span, on: id) != .full }.count
    waiting.removeFirst(sent)
    if waiting.isEmpty { channels.hold(id, false) }
  }
}

/// Sends the data that rules transmit, in order.
struct ChannelOutlet: Sendable {
  /// The name of the published channel.
  let channel: String
  /// The time of the next attempt to send new data; nil if there are none, or while the peer has to give credits.
  private(set) var due: Instant?
  private var waiting: [[UInt8]] = []

  /// The maximum number of waiting octets.
  static let limit = 1 << 20

  init(channel: String) { self.channel = channel }

  /// Queues octets in pieces that fit the peer's MTU. Returns false if there is no room.
  mutating func take(_ octets: [UInt8], sendMTU: Int, at now: Instant) -> Bool {
    guard waiting.reduce(octets.count, { $0 + $1.count }) <= Self.limit else { return false }
    var rest = octets[...]
    while !rest.isEmpty {
      waiting.append(Array(rest.prefix(max(sendMTU, 1))))
      rest = rest.dropFirst(max(sendMTU, 1))
    }
    due = now
    return true
  }

  mutating func send(on id: ChannelID, in channels: inout LinkChannels) {
    due = nil
    let sent = waiting.prefix { channels.send($0.span, on: id) != .full }.count
    waiting.removeFirst(sent)
  }
}

/// Receives and discards all data of a channel.
public struct ChannelSink: Sendable {
  /// The number of received SDUs.
  public private(set) var sdus = 0
  /// The number of octets in these SDUs.
  public private(set) var octets = 0
  private var hash: SHA256?
  private var pace: Pace?
  private var isHolding = false

  init(pace: Pace?, hashes: Bool) {
    self.pace = pace
    hash = hashes ? SHA256() : nil
  }

  /// The SHA-256 of all octets so far; nil if it is not computed.
  public var sha256: [UInt8]? { hash.map { Array($0.finalize()) } }

  /// The time at which the peer gets credits again.
  var resumption: Instant? { isHolding ? pace?.resumption : nil }

  mutating func take(_ sdu: Span<UInt8>, on id: ChannelID, in channels: inout LinkChannels, at now: Instant) {
    sdus += 1
    octets += sdu.count
    if hash != nil { sdu.withUnsafeBytes { hash?.update(bufferPointer: $0) } }
    guard pace != nil else { return }
    pace?.count(sdu.count, at: now)
    guard !isHolding else { return }
    isHolding = true
    channels.hold(id)
  }

  mutating func resume(on id: ChannelID, in channels: inout LinkChannels, at now: Instant) {
    guard isHolding, pace?.allows(now) ?? true else { return }
    isHolding = false
    channels.hold(id, false)
  }
}

/// The progress of a source.
struct SourceProgress: Sendable {
  private let source: ChannelSource
  private var random: SplitMix64
  private var pace: Pace?
  private var position = 0
  private var isDone = false
  private var isWaiting = false
  /// The next random SDU, once it has been generated.
  private var drawn: [UInt8] = []

  init(_ source: ChannelSource, random: SplitMix64, startingAt now: Instant) {
    self.source = source
    self.random = random
    pace = source.octetsPerSecond.map { Pace(octetsPerSecond: $0, startingAt: now) }
  }

  /// The time at which the source may send more; nil unless it waits for its pace.
  var resumption: Instant? { isWaiting ? pace?.resumption : nil }

  /// Sends as much as the channel accepts and the pace allows.
  mutating func send(sendMTU: Int, on id: ChannelID, in channels: inout LinkChannels, at now: Instant) {
    isWaiting = false
    while !isDone {
      if let pace, !pace.allows(now) {
        isWaiting = true
        return
      }
      let count = nextLength(sendMTU: sendMTU)
      guard count > 0 else {
        isDone = true
        var events: [ChannelEvent] = []
        // No event here: the end of an open channel is reported when the peer has confirmed it.
        channels.close(id, at: now, events: &events)
        return
      }
      guard offer(count, on: id, in: &channels) == .queued else { return }
      position += count
      pace?.count(count, at: now)
    }
  }

  /// Returns the length of the next SDU; 0 at the end.
  private func nextLength(sendMTU: Int) -> Int {
    let left = source.length.map { $0 - position } ?? .max
    return min(source.sduLength ?? sendMTU, sendMTU, left)
  }

  /// Offers the next SDU to the channel.
  private mutating func offer(_ count: Int, on id: ChannelID, in channels: inout LinkChannels) -> SDUSubmission {
    switch source.pattern {
    case .counter:
      let start = position & 0xFF
      return channels.send(Self.counted.span.extracting(start..<(start + count)), on: id)
    case .zeros: return channels.send(Self.zeros.span.extracting(first: count), on: id)
    case .random:
      // An SDU that the channel rejected is offered again.
      if drawn.count != count { drawn = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
      let submission = channels.send(drawn.span, on: id)
      if submission == .queued { drawn = [] }
      return submission
    }
  }

  /// A repeating 0...255 sequence, long enough for the longest SDU to start at each of its first 256 octets.
  private static let counted = (0..<(0x100 + 0xFFFF)).map { UInt8(truncatingIfNeeded: $0) }
  private static let zeros = [UInt8](repeating: 0, count: 0xFFFF)
}
