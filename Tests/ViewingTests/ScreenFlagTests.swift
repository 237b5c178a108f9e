import BLECore
import Capture
import Decoding
import Testing

@testable import Viewing

@Suite("Flags on the screen, and files written from it")
struct ScreenFlagTests {
  private static func screen(
    _ records: [CaptureRecord] = [Conversation.begin()] + Conversation.heartRate(), filter: String? = nil,
    flag: String? = nil
  ) throws -> ScreenModel {
    var model = try ScreenModel(title: "run", decoder: PacketDecoder(), filter: filter, flag: flag) { $0 }
    model.resize(rows: 24, columns: 160)
    for record in records { model.add(record) }
    return model
  }

  private static func type(_ text: String, _ model: inout ScreenModel) {
    for character in text {
      let goesOn = model.press(character == "\r" ? .enter : .character(character))
      #expect(goesOn)
    }
  }

  private static func flagged(_ model: ScreenModel) -> [Int] {
    model.entries.filter(\.record.isFlagged).map(\.summary.number)
  }

  private static func selected(_ model: ScreenModel) -> Int? { model.selected?.entry.summary.number }

  @Test("F flags a packet or removes its flag, and the list shows flags")
  func flag() throws {
    var model = try Self.screen()
    Self.type("F", &model)
    #expect(Self.flagged(model) == [10])
    let line = model.lines.first { $0.text.hasPrefix("10     ⚑") }
    #expect(line?.text.hasSuffix("# flagged") == true || line?.text.contains("  # flagged ") == true)
    Self.type("F", &model)
    #expect(Self.flagged(model) == [])
    #expect(!model.lines.contains { $0.text.contains("⚑") })
    var empty = try Self.screen([])
    Self.type("F", &empty)
    #expect(empty.lines.last?.text.contains("no packet to flag") == true)
  }

  @Test("n and N go from flag to flag among the shown packets, and say if there is none")
  func jumps() throws {
    var model = try Self.screen(flag: "number == 2 || number == 5 || number == 9")
    #expect(Self.flagged(model) == [2, 5, 9])
    Self.type("g", &model)
    var visited: [Int?] = []
    for key in "nnnNNN" {
      Self.type(String(key), &model)
      visited.append(Self.selected(model))
    }
    #expect(visited == [2, 5, 9, 5, 2, 2])
    #expect(model.lines.last?.text.contains("no packet above is flagged") == true)
    Self.type("/number != 5\rgnn", &model)
    #expect(Self.selected(model) == 9)
    Self.type("n", &model)
    #expect(model.lines.last?.text.contains("no packet below is flagged") == true)
    // The list does not scroll away from a selected flag.
    model.add(Conversation.sent([0x1B, 3, 0, 0, 99]))
    #expect(Self.selected(model) == 9)
  }

  @Test("c edits the comment of the selected packet, and an empty comment is removed")
  func comment() throws {
    var model = try Self.screen()
    Self.type("cWhy", &model)
    #expect(model.lines.last?.text.hasPrefix("comment: Why") == true)
    // A new packet arrives, and is selected.
    model.add(Conversation.sent([0x1B, 3, 0, 0, 99]))
    Self.type("?\r", &model)
    #expect(model.entries.map(\.record.comment) == [String?](repeating: nil, count: 9) + ["Why?", nil])
    #expect(model.lines.contains { $0.text.contains("  # Why?") })
    Self.type("kc", &model)
    #expect(model.lines.last?.text.hasPrefix("comment: Why?") == true)
    for key in [ScreenKey.control("u"), .enter] { _ = model.press(key) }
    #expect(model.entries.allSatisfy { $0.record.comment == nil })
    var empty = try Self.screen([])
    Self.type("c", &empty)
    #expect(empty.lines.last?.text.contains("no packet to comment on") == true)
  }

  @Test("The filter `flagged` selects flagged packets, together with its other conditions")
  func filter() throws {
    var model = try Self.screen(flag: "att.write || att.mtu")
    Self.type("/flagged && sent\r", &model)
    #expect(model.shown.map { model.entries[$0].summary.number } == [3])
    Self.type("F", &model)
    // It stays until the filter is applied again.
    #expect(model.shown.count == 1)
    Self.type("/\r", &model)
    #expect(model.shown.isEmpty)
  }

  @Test(
    "w writes the shown packets, with flags and comments if the format supports them",
    arguments: [("a.pcapng", true), ("a.pklg", true), ("a.btsnoop", false), ("a.btmon", false), ("a.pcap", false)])
  func write(path: String, keepsFlags: Bool) throws {
    var records = [Conversation.begin()] + Conversation.heartRate()
    records[9].comment = "Why?"
    var model = try Self.screen(records, filter: "att", flag: "att.write")
    Self.type("w\(path)\r", &model)
    let taken = [model.takeSaving(), model.takeSaving()]
    let saving = try #require(taken[0])
    #expect(taken[1] == nil)
    #expect(saving.path == path)
    #expect(saving.success.hasPrefix("9 packets are written") && saving.success.hasSuffix(": \(path)"))
    #expect(saving.success.contains(", 2 without their flags and comments") == !keepsFlags)
    var parser = CaptureParser()
    parser.push(saving.octets.span)
    parser.end()
    var found: [CaptureRecord] = []
    var record = CaptureRecord()
    while try parser.next(into: &record) { found.append(record) }
    #expect(found.map(\.octets) == Conversation.heartRate().map(\.octets))
    #expect(found.indices.filter { found[$0].isFlagged } == (keepsFlags ? [6] : []))
    #expect(found.last?.comment == (keepsFlags ? "Why?" : nil))
  }

  @Test("The screen reports data that the format cannot hold, and asks again after an unknown extension")
  func writeFaults() throws {
    let air = CaptureRecord(.air(AirReception(accessAddress: 0x5065_5D43)), octets: [0x01, 0x00])
    var model = try Self.screen([Conversation.begin(), air])
    Self.type("wrun.txt\r", &model)
    var saving = model.takeSaving()
    #expect(saving == nil)
    #expect(model.lines.last?.text.contains("the extension selects the format") == true)
    for _ in "txt" { _ = model.press(.backspace) }
    Self.type("pklg\r", &model)
    saving = model.takeSaving()
    #expect(saving?.success.contains("1 packets are written, 1 cannot be stored in this format: run.pklg") == true)
    Self.type("w\r", &model)
    saving = model.takeSaving()
    #expect(saving == nil && model.mode == .list)
    Self.type("wa.pcapng", &model)
    _ = model.press(.escape)
    saving = model.takeSaving()
    #expect(saving == nil && model.mode == .list)
  }
}
