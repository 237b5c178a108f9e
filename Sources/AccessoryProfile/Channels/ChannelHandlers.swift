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
  private var sdu: [UInt8] = []

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
      if sdu.isEmpty { sdu = nextSDU(sendMTU: sendMTU) }
      if sdu.isEmpty {
        isDone = true
        var events: [ChannelEvent] = []
        // An open channel's end is reported when the peer has agreed.
        channels.close(id, at: now, events: &events)
      } else if channels.send(sdu.span, on: id) == .queued {
        pace?.count(sdu.count, at: now)
        sdu = []
      } else {
        return
      }
    }
  }

  /// The next octets; none at the end.
  private mutating func nextSDU(sendMTU: Int) -> [UInt8] {
    let left = source.length.map { $0 - position } ?? .max
    let count = min(source.sduLength ?? sendMTU, sendMTU, left)
    defer { position += count }
    switch source.pattern {
    case .counter: return (0..<count).map { UInt8(truncatingIfNeeded: position + $0) }
    case .zeros: return Array(repeating: 0, count: count)
    case .random: return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }
  }
}
