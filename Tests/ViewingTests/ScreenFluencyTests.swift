import BLECore
import Capture
import Decoding
import Testing

@testable import Viewing

/// What keeps the screen fluent however many packets come: what a redraw costs, how often there is one, and what a turn does.
@Suite("The screen stays fluent")
struct ScreenFluencyTests {
  /// Counts what is made into text.
  private final class Counter {
    /// Texts that lines are made of.
    var texts = 0
    /// Values of attributes that are decoded for texts.
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
    "a redraw makes as many texts, lines and octets as the screen has room for, whatever came since the one before",
    arguments: [24, 60], [1, 40, 1_000, 50_000])
  func redraw(rows: Int, packets: Int) throws {
    let counter = Counter()
    var feed = try Self.feed(counter, rows: rows)
    var painter = ScreenPainter(usesColour: true)
    feed.take(Self.notifications(100).span)
    _ = painter.text(showing: feed.model.lines)
    (counter.texts, counter.values) = (0, 0)
    feed.take(Self.notifications(packets).span)
    // What nobody looks at is not made into text.
    #expect(counter.texts == 0 && counter.values == 0)
    let lines = feed.model.lines
    // Each line of the list has a value; the fields of the one packet that is selected have a few more.
    let fields = feed.model.detail.count
    #expect(lines.count == rows)
    #expect(counter.texts <= rows + 2 * fields && counter.values <= rows + 2 * fields && fields < 40)
    let octets = painter.text(showing: lines).utf8.count
    #expect(octets > 0 && octets <= rows * (4 * 100 + 64))
    // The same once more is nothing to write.
    #expect(painter.text(showing: feed.model.lines).isEmpty)
  }

  @Test("a thousand packets a second are drawn 25 times a second, and no packet waits longer than that")
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
    // What came last is drawn without anything else coming; then there is nothing to be drawn or waited for.
    let wait = try #require(pace.wait(at: end))
    let isDrawn = pace.draws(at: end + wait)
    #expect(isDrawn && pace.wait(at: end + 10 * ScreenPace.frame) == nil)
    let isDrawnAgain = pace.draws(at: end + 10 * ScreenPace.frame)
    #expect(!isDrawnAgain)
    #expect(feed.model.entries.count == 5_010)
  }

  @Test("keys are answered between the turns in which octets are taken")
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

  @Test("another choice of packets is made in turns of bounded work, between which keys are answered and packets come")
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
      // A line may ask for its value more than once.
      #expect(counter.values <= 2 * ScreenModel.turn)
      #expect(feed.model.lines.last?.text.contains("choosing packets, ") == true)
      counter.values = 0
      if turns == 2 {
        // Where a person has gone meanwhile the screen stays, and a packet that comes has its turn.
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
