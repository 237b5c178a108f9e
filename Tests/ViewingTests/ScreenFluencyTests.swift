import BLECore
import Capture
import Decoding
import Testing

@testable import Viewing

/// The screen stays fluent with any number of packets because the cost and the frequency of redraws and the work of a turn are bounded.
@Suite("The screen stays fluent")
struct ScreenFluencyTests {
  /// Counts conversions to text.
  private final class Counter {
    /// The number of texts for lines.
    var texts = 0
    /// The number of attribute values decoded for texts.
    var values = 0
  }

  private static func feed(
    _ counter: Counter, rows: Int = 24, columns: Int = 100, filter: String? = nil
  ) throws -> ScreenFeed {
    nonisolated(unsafe) let counter = counter
    let decoder = PacketDecoder { _, _ in
      counter.values += 1
      return "value"
    }
    var model = try ScreenModel(title: "flood", decoder: decoder, filter: filter) {
      counter.texts += 1
      return $0
    }
    model.resize(rows: rows, columns: columns)
    var feed = ScreenFeed(model, name: "flood", decryptor: LinkDecryptor(keys: []))
    feed.take(octets([Conversation.begin()] + Conversation.heartRate(), withHead: true).span)
    return feed
  }

  private static func octets(_ records: [CaptureRecord], withHead: Bool = false) -> [UInt8] {
    var encoder = CaptureEncoder(.btsnoop)
    var buffer = OctetBuffer()
    if withHead { encoder.begin(into: &buffer) }
    for record in records { #expect(encoder.append(record, into: &buffer)) }
    return buffer.copy()
  }

  private static func notifications(_ count: Int) -> [UInt8] {
    let one = octets([Conversation.sent([0x1B, 3, 0, 0, 77])])
    return [UInt8]((0..<count).map { _ in one }.joined())
  }

  @Test(
    "A redraw makes only as many texts, lines and octets as fit on the screen, however many packets have arrived",
    arguments: [24, 60], [1, 40, 1_000, 50_000])
  func redraw(rows: Int, packets: Int) throws {
    let counter = Counter()
    var feed = try Self.feed(counter, rows: rows)
    var painter = ScreenPainter(usesColour: true)
    feed.take(Self.notifications(100).span)
    _ = painter.text(showing: feed.model.lines)
    (counter.texts, counter.values) = (0, 0)
    feed.take(Self.notifications(packets).span)
    // Packets that are not shown are not converted to text.
    #expect(counter.texts == 0 && counter.values == 0)
    let lines = feed.model.lines
    // Each line of the list has a value; the fields of the selected packet have a few more.
    let fields = feed.model.detail.count
    #expect(lines.count == rows)
    #expect(counter.texts <= rows + 2 * fields && counter.values <= rows + 2 * fields && fields < 40)
    let octets = painter.text(showing: lines).utf8.count
    #expect(octets > 0 && octets <= rows * (4 * 100 + 64))
    // An unchanged screen writes nothing.
    #expect(painter.text(showing: feed.model.lines).isEmpty)
  }

  @Test("The screen draws a thousand packets a second 25 times a second, and each within 40 ms")
  func pace() throws {
    let counter = Counter()
    var feed = try Self.feed(counter)
    var pace = ScreenPace()
    var drawn: [Int64] = []
    let packet = Self.notifications(1)
    for millisecond in Int64(0)..<5_000 {
      let now = millisecond * 1_000_000
      feed.take(packet.span)
      pace.change()
      #expect(pace.wait(at: now).map { $0 <= ScreenPace.frame } == true)
      if pace.draws(at: now) { drawn.append(now) }
    }
    #expect(drawn.count == 5 * 25)
    #expect(zip(drawn, drawn.dropFirst()).allSatisfy { $1 - $0 >= ScreenPace.frame })
    let end: Int64 = 5_000_000_000
    // The last packet is drawn without further input; then there is nothing to draw or to wait for.
    let wait = try #require(pace.wait(at: end))
    let isDrawn = pace.draws(at: end + wait)
    #expect(isDrawn && pace.wait(at: end + 10 * ScreenPace.frame) == nil)
    let isDrawnAgain = pace.draws(at: end + 10 * ScreenPace.frame)
    #expect(!isDrawnAgain)
    #expect(feed.model.entries.count == 5_010)
  }

  @Test("Keys are handled between the turns that process octets")
  func keys() throws {
    var feed = try Self.feed(Counter())
    let turn = Array(Self.notifications(5_000).prefix(ScreenFeed.octetsPerTurn))
    for _ in 0..<4 {
      for (key, isAtEnd) in [(ScreenKey.home, false), (.end, true)] {
        feed.take(turn.span)
        let goesOn = feed.model.press(key)
        #expect(goesOn)
        #expect(feed.model.selection == (isAtEnd ? feed.model.shown.count - 1 : 0))
        #expect(feed.model.followsEnd == isAtEnd)
      }
    }
  }

  @Test("A filter is applied in turns of bounded work, with keys and packets in between")
  func choosing() throws {
    let counter = Counter()
    var feed = try Self.feed(counter)
    feed.take(Self.notifications(3 * ScreenModel.turn).span)
    let count = feed.model.entries.count
    counter.values = 0
    for key in [ScreenKey.home, .character("/")] + "text ~ value".map({ .character($0) }) + [.enter] {
      let goesOn = feed.model.press(key)
      #expect(goesOn)
    }
    var turns = 1
    while feed.isBusy {
      // A line may request its value more than once.
      #expect(counter.values <= 2 * ScreenModel.turn)
      #expect(feed.model.lines.last?.text.contains("choosing packets, ") == true)
      counter.values = 0
      if turns == 2 {
        // If the user has moved meanwhile, the screen stays there, and a new packet gets its turn.
        let goesOn = feed.model.press(.down)
        #expect(goesOn)
        feed.take(Self.notifications(1).span)
      }
      feed.work()
      turns += 1
    }
    #expect(turns == 4)
    let numbers = feed.model.shown.map { feed.model.entries[$0].summary.number }
    #expect(numbers.last == count + 1 && numbers == numbers.sorted())
    #expect(Set(numbers).count == numbers.count && numbers.count >= 3 * ScreenModel.turn)
    #expect(feed.model.selection == 1)
  }
}
