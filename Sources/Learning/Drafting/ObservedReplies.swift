import BLECore
import BLEGATT

/// The values with which a device answered writes, soon after them.
struct ObservedReplies {
  /// A value that was sent.
  struct Reply: Hashable {
    var handle: UInt16
    var value: [UInt8]
  }

  /// How soon after a write a value counts as its answer, in nanoseconds.
  private static let answerTime: Int64 = 1_000_000_000
  /// The maximum number of answers to one write.
  private static let limit = 8

  /// The handles of the values that are answers: all that was sent of them followed a write soon, so they are no measurements.
  let handles: Set<UInt16>
  /// All of them, in order of time.
  private let sent: [(time: Int64, reply: Reply)]
  private let server: ObservedServer

  init(_ server: ObservedServer) {
    self.server = server
    // Subscribing is a write, too, and some devices send a value at once.
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

  /// Returns whether the last of these times before `time` was soon before it.
  private static func isSoon(_ time: Int64, after times: [Int64]) -> Bool {
    let place = partition(times.count) { times[$0] >= time }
    return place > 0 && time &- times[place - 1] < answerTime
  }

  /// Returns the first position for which a condition holds that holds for all that follow.
  private static func partition(_ count: Int, _ holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if holds(middle) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Returns the answers to a write: what was sent before the next write.
  func answers(to number: Int) -> [Reply] {
    let write = server.writes[number]
    let next = number + 1 < server.writes.count ? server.writes[number + 1].time : .max
    let end = min(next, write.time &+ Self.answerTime)
    let first = Self.partition(sent.count) { sent[$0].time > write.time }
    return sent[first...].prefix { $0.time < end }.prefix(Self.limit).map(\.reply)
  }
}
