import BLECore
import Capture
import Decoding
import Testing

@testable import Viewing

@Suite("A terminal screen as a model")
struct ScreenTests {
  private static func screen(
    _ records: [CaptureRecord] = [Conversation.begin()] + Conversation.heartRate(), rows: Int = 20, columns: Int = 100,
    filter: String? = nil, follow: String? = nil
  ) throws -> ScreenModel {
    var model = try ScreenModel(title: "run.btsnoop", decoder: PacketDecoder(), filter: filter, follow: follow) { $0 }
    model.resize(rows: rows, columns: columns)
    for record in records { model.add(record) }
    return model
  }

  /// Presses a key that does not quit.
  private static func press(_ key: ScreenKey, _ model: inout ScreenModel) {
    let goesOn = model.press(key)
    #expect(goesOn)
  }

  /// Presses a key that quits.
  private static func end(_ key: ScreenKey, _ model: inout ScreenModel) {
    let goesOn = model.press(key)
    #expect(!goesOn)
  }

  private static func type(_ text: String, _ model: inout ScreenModel) {
    for character in text { Self.press(.character(character), &model) }
  }

  private static func selectedLine(_ model: ScreenModel) -> String? {
    model.lines.dropFirst().first { $0.parts.first?.style == .inverse }?.text
  }

  @Test(
    "The screen has as many lines as the terminal, none of them wider", arguments: [4, 5, 9, 24, 60],
    [20, 21, 80, 200])
  func size(rows: Int, columns: Int) throws {
    var model = try Self.screen(rows: rows, columns: columns)
    for key in [ScreenKey.tab, .character("d"), .character("?"), .character("x"), .character("/")] {
      #expect(model.lines.count == rows)
      #expect(model.lines.allSatisfy { $0.text.count <= columns })
      Self.press(key, &model)
    }
  }

  @Test("The newest packet stays selected until the user moves, and again after End")
  func newest() throws {
    var model = try Self.screen(rows: 12)
    #expect(Self.selectedLine(model)?.contains("Handle Value Notification") == true)
    Self.press(.up, &model)
    model.add(Conversation.sent([0x1B, 3, 0, 0, 99]))
    #expect(Self.selectedLine(model)?.contains("Write Response") == true)
    Self.press(.character("G"), &model)
    model.add(Conversation.sent([0x1B, 3, 0, 0, 100]))
    #expect(Self.selectedLine(model)?.hasPrefix("12 ") == true)
    Self.press(.home, &model)
    #expect(Self.selectedLine(model)?.contains("Connection Complete") == true)
  }

  @Test("The lower part shows and scrolls the layers, fields and octets of the selected packet")
  func detail() throws {
    var model = try Self.screen(rows: 60)
    let lines = model.lines.map(\.text)
    #expect(lines.contains(" ATT Handle Value Notification"))
    #expect(lines.contains { $0.hasPrefix("   Attribute Handle: 0x0003, Heart Rate Measurement") })
    #expect(lines.contains { $0.hasPrefix("   0000  02 40 00") })
    model.resize(rows: 12, columns: 100)
    let before = model.lines[7].text
    for key in [ScreenKey.tab, .down, .down] { Self.press(key, &model) }
    #expect(model.lines[7].text != before)
    Self.press(.end, &model)
    #expect(model.lines.map(\.text).contains { $0.hasPrefix("   0000  02 40 00") })
  }

  @Test("A filter can be typed, applied, corrected after an error, and removed")
  func filter() throws {
    var model = try Self.screen()
    Self.type("/att.write", &model)
    #expect(model.lines.last?.text.hasPrefix("/att.write") == true)
    Self.type(" && wrong", &model)
    Self.press(.enter, &model)
    #expect(model.lines.last?.text.contains("`wrong` is not known") == true)
    for _ in " && wrong" { Self.press(.backspace, &model) }
    Self.press(.enter, &model)
    #expect(model.lines[0].text.contains("1 of 10 packets") && model.lines[0].text.contains("filter: att.write"))
    model.add(Conversation.sent([0x1B, 3, 0, 0, 99]))
    model.add(Conversation.received([0x52, 9, 0, 1]))
    #expect(model.lines[0].text.contains("2 of 12 packets"))
    Self.press(.character("x"), &model)
    #expect(model.lines[0].text.contains("12 of 12 packets"))
  }

  @Test("f follows the conversation of a packet, and r finds its request")
  func follow() throws {
    var model = try Self.screen()
    Self.press(.character("f"), &model)
    #expect(model.lines[0].text.contains("3 of 10 packets") && model.lines[0].text.contains("follows 0x0003"))
    Self.press(.up, &model)
    Self.press(.character("r"), &model)
    #expect(Self.selectedLine(model)?.contains("Write Request") == true)
    Self.press(.character("f"), &model)
    #expect(model.lines[0].text.contains("10 of 10 packets"))
    Self.press(.home, &model)
    Self.press(.character("f"), &model)
    #expect(model.lines.last?.text.contains("does not belong to an attribute") == true)
    let begun = try Self.screen(filter: "att", follow: "2A37")
    #expect(begun.lines[0].text.contains("3 of 10 packets"))
  }

  @Test("? lists all keys, and q and Control-C quit")
  func keys() throws {
    var model = try Self.screen(rows: 30)
    Self.press(.character("?"), &model)
    let text = model.lines.map(\.text).joined(separator: "\n")
    for (key, does) in ScreenModel.keys { #expect(text.contains(key) && text.contains(does)) }
    Self.press(.character("q"), &model)
    Self.end(.character("q"), &model)
    Self.type("/", &model)
    Self.end(.control("c"), &model)
  }

  @Test("The number of kept packets is bounded, and their numbers continue")
  func bounds() throws {
    var model = try Self.screen([])
    let record = CaptureRecord(.message(.note), octets: [0x41])
    for _ in 0..<ScreenModel.limit + 1 { model.add(record) }
    #expect(model.entries.count == ScreenModel.limit * 9 / 10 + 1)
    #expect(model.lines[0].text.contains("\(ScreenModel.limit * 9 / 10 + 1) of \(ScreenModel.limit + 1) packets"))
    Self.press(.home, &model)
    #expect(Self.selectedLine(model)?.hasPrefix("\(ScreenModel.limit / 10 + 1) ") == true)
  }

  @Test("Random keys and packets never trap")
  func anything() throws {
    var state: UInt64 = 3
    func draw(_ bound: UInt64) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % bound)
    }
    let keys: [ScreenKey] =
      [.up, .down, .pageUp, .pageDown, .home, .end, .enter, .escape, .backspace, .tab, .left]
      + "fxd/?rgG kjat".map { .character($0) }
    var model = try Self.screen([])
    let records = [Conversation.begin()] + Conversation.heartRate()
    for _ in 0..<3000 {
      switch draw(4) {
      case 0: model.add(records[draw(UInt64(records.count))])
      case 1: model.resize(rows: draw(40), columns: draw(120))
      default: Self.press(keys[draw(UInt64(keys.count))], &model)
      }
      #expect(model.lines.count == model.rows)
    }
  }
}

@Suite("Keys from a terminal's input")
struct KeyTests {
  @Test(
    "Sequences, characters and control keys are recognized",
    arguments: [
      ("a", [ScreenKey.character("a")]), ("é€🎈", [.character("é"), .character("€"), .character("🎈")]),
      ("\u{1B}[A\u{1B}[B\u{1B}OC\u{1B}[D", [.up, .down, .right, .left]),
      ("\u{1B}[5~\u{1B}[6~\u{1B}[H\u{1B}[4~", [.pageUp, .pageDown, .home, .end]),
      ("\u{1B}", [.escape]), ("\u{1B}q", [.escape, .character("q")]),
      ("\r\n\t\u{7F}\u{8}", [.enter, .enter, .tab, .backspace, .backspace]),
      ("\u{3}\u{15}", [.control("c"), .control("u")]), ("\u{1B}[99zq", [.character("q")]),
    ])
  func keys(text: String, keys: [ScreenKey]) {
    var parser = KeyParser()
    let found = parser.keys(in: text.utf8)
    #expect(found == keys)
  }

  @Test("Parts of a sequence are assembled, and the parser recovers from garbage")
  func parts() {
    var parser = KeyParser()
    func expect(_ octets: [UInt8], _ keys: [ScreenKey]) {
      let found = parser.keys(in: octets)
      #expect(found == keys)
    }
    expect([0x1B, 0x5B], [])
    expect([0x41], [.up])
    expect([0xC3], [])
    expect([0xA9], [.character("é")])
    expect([0xFF, 0xFE, 0xFD, 0xFC, 0x71], [.character("q")])
    expect([0x1B, 0x5B] + Array(repeating: 0x31, count: 99), [])
    expect([0x71], [.character("q")])
  }
}
