import BLECore
import Capture
import Decoding
import Testing

@testable import Viewing

/// A capture like that of a virtual radio: both hosts, and the air.
@Suite("Points of view on the screen")
struct ScreenViewTests {
  private static func seen(_ records: [CaptureRecord], by source: UInt32) -> [CaptureRecord] {
    records.map { record in
      var record = record
      record.source = source
      return record
    }
  }

  private static var peripheral: [CaptureRecord] {
    seen([Conversation.begin(handle: 0x40)] + Conversation.heartRate(handle: 0x40), by: 1)
  }

  /// The packets that the peripheral's host has sent, as the central's host receives them.
  private static var central: [CaptureRecord] {
    var begin = Conversation.begin(handle: 0x41)
    begin.octets[7] = 0
    let others = Conversation.heartRate(handle: 0x41).map { record in
      var record = record
      if case .hci(let direction) = record.content {
        record.content = .hci(direction == .hostToController ? .controllerToHost : .hostToController)
      }
      return record
    }
    return seen([begin] + others, by: 2)
  }

  private static var air: [CaptureRecord] {
    let notification: [UInt8] = [0x02, 9, 5, 0, 4, 0, 0x1B, 3, 0, 0, 80]
    return seen(
      [CaptureRecord(.air(AirReception(accessAddress: 0x5065_5D43, kind: .toCentral)), octets: notification)], by: 3)
  }

  private static func screen(
    _ records: [CaptureRecord], filter: String? = nil, follow: String? = nil
  ) throws -> ScreenModel {
    var model = try ScreenModel(title: "run", decoder: PacketDecoder(), filter: filter, follow: follow) { $0 }
    model.resize(rows: 24, columns: 160)
    for record in records { model.add(record) }
    return model
  }

  private static func press(_ text: String, _ model: inout ScreenModel) {
    for character in text {
      let goesOn = model.press(character == "\r" ? .enter : .character(character))
      #expect(goesOn)
    }
  }

  private static func sources(_ model: ScreenModel) -> Set<UInt32> {
    Set(model.shown.map { model.entries[$0].record.source })
  }

  @Test(
    "A conversation is shown from the preferred point of view, and v goes through the others and all",
    arguments: [true, false])
  func conversation(isFollowedFromTheStart: Bool) throws {
    let records = Self.peripheral + Self.central + Self.air
    var model = try Self.screen(records, follow: isFollowedFromTheStart ? "0x0003" : nil)
    if !isFollowedFromTheStart {
      #expect(Self.sources(model) == [1, 2, 3])
      Self.press("/att.notification\rgf/\r", &model)
    }
    #expect(Self.sources(model) == [1])
    #expect(model.lines[0].text.contains("view: the peripheral's host"))
    for (source, text) in [([2], "view: the central's host"), ([3], "view: the air")] as [(Set<UInt32>, String)] {
      Self.press("v", &model)
      #expect(Self.sources(model) == source)
      #expect(model.lines[0].text.contains(text))
    }
    Self.press("v", &model)
    #expect(Self.sources(model) == [1, 2, 3])
    #expect(!model.lines[0].text.contains("view:"))
    Self.press("v", &model)
    #expect(Self.sources(model) == [1])
    // Everything is shown from all points of view again.
    Self.press("f", &model)
    #expect(Self.sources(model) == [1, 2, 3])
  }

  @Test("Without a peripheral's host, the central's is preferred, or else the air", arguments: [true, false])
  func others(hasCentral: Bool) throws {
    let model = try Self.screen((hasCentral ? Self.central : []) + Self.air, follow: "0x0003")
    #expect(Self.sources(model) == (hasCentral ? [2] : [3]))
  }

  @Test("Without a conversation, v narrows the list, including new packets")
  func list() throws {
    var model = try Self.screen(Self.peripheral + Self.central + Self.air)
    Self.press("vv", &model)
    #expect(Self.sources(model) == [2])
    #expect(model.shown.count == Self.central.count)
    for record in Self.peripheral.suffix(1) + Self.central.suffix(1) { model.add(record) }
    #expect(model.shown.count == Self.central.count + 1)
    Self.press("x", &model)
    #expect(Self.sources(model) == [1, 2, 3])
  }

  @Test(
    "A filter with hci or air selects the point of view",
    arguments: [("air", [3]), ("hci && att", [1, 2])] as [(String, Set<UInt32>)])
  func filtered(filter: String, sources: Set<UInt32>) throws {
    let model = try Self.screen(Self.peripheral + Self.central + Self.air, filter: filter, follow: "0x0003")
    #expect(Self.sources(model) == sources)
  }

  @Test("In a capture with one point of view, v changes nothing")
  func single() throws {
    var model = try Self.screen(Self.peripheral, follow: "0x0003")
    Self.press("v", &model)
    #expect(model.lines.last?.text.contains("all packets have the same point of view") == true)
    #expect(!model.lines[0].text.contains("view:"))
    #expect(model.shown.count == 3)
  }
}
