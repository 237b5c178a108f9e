import BLECore
import BLEGATT

/// The values that a device sent in answer to writes.
struct ObservedReplies {
  /// A value that the device sent.
  struct Reply: Hashable {
    var handle: UInt16
    var value: [UInt8]
  }

  /// A value counts as the answer to a write if it follows within this time, in nanoseconds.
  private static let answerTime: Int64 = 1_000_000_000
  /// The maximum number of answers to one write.
  private static let limit = 8

  /// The handles whose every sent value soon followed a write. Such values are answers, not measurements.
  let handles: Set<UInt16>
  /// All answers, in order of time.
  private let sent: [(time: Int64, reply: Reply)]
  private let server: ObservedServer

  init(_ server: ObservedServer) {
    self.server = server
    // A subscription is no command, but some devices send a value as soon as a client subscribes.
    let commands = server.writes.filter { server.types[$0.handle] != .clientCharacteristicConfiguration }.map(\.time)
      .sorted()
    handles = Set(
      server.samples.filter { _, samples in
        let pushed = samples.filter { $0.origin != .read }
        return !pushed.isEmpty && pushed.allSatisfy { Self.isSoon($0.time, after: commands) }
      }.keys)
    var sent: [(time: Int64, reply: Reply)] = []
    for handle in handles.sorted() {
      for sample in server.samples[handle] ?? [] where sample.origin != .read {
        sent.append((sample.time, Reply(handle: handle, value: sample.value)))
      }
    }
    self.sent = sent.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
  }

  /// Returns whether one of the ascending `times` lies shortly before `time`.
  private static func isSoon(_ time: Int64, after times: [Int64]) -> Bool {
    let place = partition(times.count) { times[$0] >= time }
    return place > 0 && time &- times[place - 1] < answerTime
  }

  /// Returns the first position at which a condition holds. The condition must hold from there on.
  private static func partition(_ count: Int, _ holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Returns the answers to a write: the values that followed soon, and before the next write.
  func answers(to number: Int) -> [Reply] {
    let write = server.writes[number]
    let next = number + 1 < server.writes.count ? server.writes[number + 1].time : .max
    let end = min(next, write.time &+ Self.answerTime)
    let first = Self.partition(sent.count) { sent[$0].time > write.time }
    return sent[first...].prefix { $0.time < end }.prefix(Self.limit).map(\.reply)
  }
}
