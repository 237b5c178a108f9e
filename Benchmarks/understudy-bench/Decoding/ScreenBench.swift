import BLECore
import Capture
import Decoding
import Glibc
import Viewing

/// A measurement of what the full screen of `understudy capture -i` costs while a thousand packets arrive per second. Time is
/// simulated: a packet comes every millisecond, and the screen is drawn as often as on a terminal, but nothing is written.
struct ScreenBench {
  /// The result of a measurement, in processor time.
  struct Result {
    /// How many packets came. The screen keeps the last ones.
    var packets = 0
    /// How often the screen was drawn, and how many octets a terminal would have got.
    var drawings = 0
    var octets = 0
    /// The time that all packets took, the longest turn between two looks at the keyboard, and the longest drawing.
    var total: Int64 = 0
    var longestTurn: Int64 = 0
    var longestDrawing: Int64 = 0
    /// The time that a filter of texts took for everything that is kept: in total, and in its longest turn.
    var filtering: Int64 = 0
    var longestFiltering: Int64 = 0

    /// The share of a processor, in percent.
    var percent: Double { Double(total) / (Double(max(packets, 1)) * 1e6) * 100 }
  }

  private static let (rows, columns) = (50, 160)
  private static let millisecond: Int64 = 1_000_000

  private var feed: ScreenFeed

  /// Makes a screen without packets.
  init() throws {
    var model = try ScreenModel(title: "bench", decoder: PacketDecoder()) { $0 }
    model.resize(rows: Self.rows, columns: Self.columns)
    feed = ScreenFeed(model, name: "bench", decryptor: LinkDecryptor(keys: []))
  }

  /// Lets that many packets come.
  mutating func measure(packets: Int) -> Result {
    var result = Result()
    var painter = ScreenPainter(usesColour: true)
    var pace = ScreenPace()
    var encoder = CaptureEncoder(.btsnoop)
    var buffer = OctetBuffer()
    encoder.begin(into: &buffer)
    for number in 0..<packets {
      _ = encoder.append(DecodingBench.record(number), into: &buffer)
      let octets = buffer.copy()
      buffer.removeAll()
      let start = Self.now()
      feed.take(octets.span)
      pace.change()
      let taken = Self.now()
      if pace.draws(at: Int64(number) * Self.millisecond) {
        result.octets += painter.text(showing: feed.model.lines).utf8.count
        result.drawings += 1
      }
      let end = Self.now()
      result.total += end - start
      result.longestTurn = max(result.longestTurn, end - start)
      result.longestDrawing = max(result.longestDrawing, end - taken)
    }
    result.packets = packets
    measureFiltering(&result)
    return result
  }

  /// Types a filter that needs the text of every packet.
  private mutating func measureFiltering(_ result: inout Result) {
    for key in [ScreenKey.character("/")] + "\"status\"".map({ .character($0) }) { _ = feed.model.press(key) }
    var start = Self.now()
    _ = feed.model.press(.enter)
    while true {
      let end = Self.now()
      result.filtering += end - start
      result.longestFiltering = max(result.longestFiltering, end - start)
      guard feed.isBusy else { return }
      start = Self.now()
      feed.work()
    }
  }

  /// Returns the processor time of this thread, in nanoseconds.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
