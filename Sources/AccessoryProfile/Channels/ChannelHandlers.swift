import BLECore
import BLEL2CAP
import Crypto

/// How much may go over a channel in how much time.
struct Pace: Sendable {
  let octetsPerSecond: Int
  /// When everything that went so far has had its time.
  /// When more may go.
  private(set) var resumption: Instant

  init(octetsPerSecond: Int, startingAt now: Instant) {
    self.octetsPerSecond = octetsPerSecond
    resumption = now
  }

  /// Whether more may go at `now`.
  func allows(_ now: Instant) -> Bool { resumption <= now }

  /// Counts octets. Time in which nothing went is lost.
  mutating func count(_ octets: Int, at now: Instant) {
    resumption = max(resumption, now) + .nanoseconds(Int64(octets) * 1_000_000_000 / Int64(octetsPerSecond))
  }
}

/// Sends every SDU back. The peer is held while its SDUs wait.
struct ChannelEcho: Sendable {
  private var waiting: [[UInt8]] = []

  /// An SDU that is longer than the peer takes goes back in pieces.
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

/// Sends what rules transmit, one piece after the other.
struct ChannelOutlet: Sendable {
  /// The name of the published channel.
  let channel: String
  /// When it tries to send what is new; nil while it has nothing, or waits for the peer.
  private(set) var due: Instant?
  private var waiting: [[UInt8]] = []

  /// How many octets may wait.
  static let limit = 1 << 20

  init(channel: String) { self.channel = channel }

  /// Puts octets behind those that wait, in pieces as long as the peer takes them; false where there is no room.
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

/// Takes everything that comes over a channel.
public struct ChannelSink: Sendable {
  /// How many SDUs have come.
  public private(set) var sdus = 0
  /// How many octets they had.
  public private(set) var octets = 0
  private var hash: SHA256?
  private var pace: Pace?
  private var isHolding = false

  init(pace: Pace?, hashes: Bool) {
    self.pace = pace
    hash = hashes ? SHA256() : nil
  }

  /// The SHA-256 of all octets so far; nil where it is not wanted.
  public var sha256: [UInt8]? { hash.map { Array($0.finalize()) } }

  /// When the peer is let go again.
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

/// How far a source has come.
struct SourceProgress: Sendable {
  private let source: ChannelSource
  private var random: SplitMix64
  private var pace: Pace?
  private var position = 0
  private var isDone = false
  private var isWaiting = false
  /// The random SDU that comes next, once it has been drawn.
  private var drawn: [UInt8] = []

  init(_ source: ChannelSource, random: SplitMix64, startingAt now: Instant) {
    self.source = source
    self.random = random
    pace = source.octetsPerSecond.map { Pace(octetsPerSecond: $0, startingAt: now) }
  }

  /// When it may send more.
  var resumption: Instant? { isWaiting ? pace?.resumption : nil }

  /// Sends as much as the channel takes and the pace allows.
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
        // An open channel's end is reported when the peer has agreed.
        channels.close(id, at: now, events: &events)
        return
      }
      guard offer(count, on: id, in: &channels) == .queued else { return }
      position += count
      pace?.count(count, at: now)
    }
  }

  /// How long the next SDU is; 0 at the end.
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
      // One that the channel did not take is offered again.
      if drawn.count != count { drawn = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
      let submission = channels.send(drawn.span, on: id)
      if submission == .queued { drawn = [] }
      return submission
    }
  }

  /// 0, 1, 2 and so on, as long as the longest SDU from each of its first 256 octets on.
  private static let counted = (0..<(0x100 + 0xFFFF)).map { UInt8(truncatingIfNeeded: $0) }
  private static let zeros = [UInt8](repeating: 0, count: 0xFFFF)
}
