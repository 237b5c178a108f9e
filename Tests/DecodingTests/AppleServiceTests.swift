import BLECore
import BLEHCI
import Capture
import Testing

@testable import Decoding

/// Values of the services that Apple's devices offer, as an iPhone and an accessory exchange them: the phone is the server.
@Suite("Apple's services in captures")
struct AppleServiceTests {
  private static let source: UInt16 = 0x21
  private static let controlPoint: UInt16 = 0x24
  private static let dataSource: UInt16 = 0x26
  private static let remoteCommand: UInt16 = 0x31
  private static let entityUpdate: UInt16 = 0x34
  private static let entityAttribute: UInt16 = 0x37

  private var decoder = PacketDecoder()

  /// The accessory has discovered the phone's characteristics.
  init() throws {
    let uuids: [(UInt16, String)] = [
      (Self.source, "9FBF120D-6301-42D9-8C58-25E699A21DBD"),
      (Self.controlPoint, "69D1D8F3-45E1-49A8-9821-9BBDFDAAD9D9"),
      (Self.dataSource, "22EAC6E9-24D6-4BB5-BE44-B36ACE7C7BFB"),
      (Self.remoteCommand, "9B3C81D8-57B1-4A8A-B8DF-0E56F7CA51C2"),
      (Self.entityUpdate, "2F7CABCE-808D-411F-9A0C-BB92BA96C102"),
      (Self.entityAttribute, "C6B2F38C-23AB-46D8-A6AB-A3A870BBD5D7"),
    ]
    for (handle, text) in uuids {
      let uuid = try #require(BluetoothUUID(text))
      _ = receive(.hostToController, [0x08, UInt8(handle - 1), 0, UInt8(handle - 1), 0, 0x03, 0x28])
      let declaration = [UInt8(handle - 1), 0, 0x18, UInt8(handle), 0] + uuid.littleEndianOctets
      _ = receive(.controllerToHost, [0x09, UInt8(declaration.count)] + declaration)
    }
  }

  private mutating func receive(_ direction: CapturedPacket.Direction, _ pdu: [UInt8]) -> (String, [DecodedLayer]) {
    let head: [UInt8] = [2, 0x44, direction == .hostToController ? 0x00 : 0x20]
    let lengths = [pdu.count + 4, pdu.count].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    let record = CaptureRecord(.hci(direction), octets: head + lengths + [4, 0] + pdu)
    let summary = decoder.receive(record)
    return (decoder.text(of: summary, in: record), decoder.tree(of: summary, in: record))
  }

  private mutating func written(_ handle: UInt16, _ value: [UInt8]) -> String {
    receive(.hostToController, [0x12, UInt8(handle), 0] + value).0
  }

  private mutating func notified(_ handle: UInt16, _ value: [UInt8]) -> String {
    receive(.controllerToHost, [0x1B, UInt8(handle), 0] + value).0
  }

  @Test("a notification is announced with its event, flags, category and number")
  mutating func notificationSource() {
    #expect(
      notified(Self.source, [0, 0x1A, 6, 2, 7, 0, 0, 1])
        == "Handle Value Notification - Handle: 0x0021 - ANCS Notification Source - EventID: Added - "
        + "EventFlags: Important, Positive Action, Negative Action - CategoryID: Email - CategoryCount: 2 - "
        + "NotificationUID: 16777223")
    let removed = notified(Self.source, [2, 0, 12, 0, 7, 0, 0, 0])
    #expect(removed.contains("EventID: Removed - EventFlags: none - CategoryID: 0x0C - CategoryCount: 0"))
  }

  @Test("requests to the control point name what they request")
  mutating func controlPoint() {
    #expect(
      written(Self.controlPoint, [0, 7, 0, 0, 0, 0, 1, 64, 0, 5]).hasSuffix(
        "ANCS Control Point - CommandID: Get Notification Attributes - NotificationUID: 7 - AttributeID: App Identifier - "
          + "AttributeID: Title - Maximum Length: 64 - AttributeID: Date"))
    #expect(
      written(Self.controlPoint, [1, 0x61, 0x2E, 0x62, 0, 0]).hasSuffix(
        "CommandID: Get App Attributes - AppIdentifier: \"a.b\" - Terminator: 00 - AttributeID: Display Name"))
    #expect(
      written(Self.controlPoint, [2, 7, 0, 0, 0, 1]).hasSuffix(
        "CommandID: Perform Notification Action - NotificationUID: 7 - ActionID: Negative"))
    #expect(written(Self.controlPoint, [9, 1]).hasSuffix("CommandID: 0x09 - Parameters: 01"))
  }

  @Test("a response in one notification is shown with its attributes, and so in the tree")
  mutating func dataSource() throws {
    _ = written(Self.controlPoint, [0, 7, 0, 0, 0, 1, 8, 0])
    let (text, layers) = receive(.controllerToHost, [0x1B, 0x26, 0, 0, 7, 0, 0, 0, 1, 2, 0, 0x48, 0x69])
    #expect(
      text.hasSuffix("ANCS Data Source - CommandID: Get Notification Attributes - NotificationUID: 7 - Title: \"Hi\""))
    let value = try #require(layers.last?.fields.last)
    #expect(value.children.map(\.name) == ["CommandID", "NotificationUID", "Title"])
    #expect(value.children.last?.children.map(\.range) == [8..<9, 9..<11, 11..<13])
  }

  @Test("a response in several notifications is reassembled")
  mutating func splicedResponse() {
    _ = written(Self.controlPoint, [0, 7, 0, 0, 0, 1, 8, 0, 5])
    let first = notified(Self.dataSource, [0, 7, 0, 0, 0, 1, 5, 0, 0x48])
    #expect(first.hasSuffix("ANCS Data Source - Part 1 of a response, 9 octets so far"))
    // It begins with octets that alone would be another command.
    let second = notified(Self.dataSource, [0x65, 0x6C, 0x6C, 0x6F])
    #expect(second.hasSuffix("Part 2 of a response, 13 octets so far"))
    let last = notified(Self.dataSource, [5, 1, 0, 0x31])
    #expect(
      last.hasSuffix(
        "the last - CommandID: Get Notification Attributes - NotificationUID: 7 - Title: \"Hello\" - Date: \"1\""))
    // Without a request, a value is shown by itself.
    #expect(notified(Self.dataSource, [1, 0x61, 0, 0, 1, 0, 0x41]).hasSuffix("Terminator: 00 - Display Name: \"A\""))
  }

  @Test("truncated data is marked, and extra data is shown")
  mutating func odd() {
    #expect(notified(Self.dataSource, [0, 7, 0, 0, 0, 1, 9, 0, 0x48]).hasSuffix("Title: \"H\" (cut off)"))
    #expect(notified(Self.source, [0, 0]).hasSuffix("EventID: Added - EventFlags: none"))
    #expect(notified(Self.source, [0, 0, 0, 1, 1, 0, 0, 0, 0xFF]).hasSuffix("NotificationUID: 1 - Undecoded: ff"))
  }

  @Test("the player's attributes are named, requested, changed and read")
  mutating func mediaService() {
    #expect(
      written(Self.entityUpdate, [0, 0, 1, 2]).hasSuffix(
        "AMS Entity Update - EntityID: Player - AttributeID: Name - AttributeID: Playback Info - AttributeID: Volume"))
    let update = notified(Self.entityUpdate, [0, 1, 0] + Array("1,1.0,3.5".utf8))
    #expect(
      update.hasSuffix(
        "EntityID: Player - AttributeID: Playback Info - EntityUpdateFlags: none - Value: \"1,1.0,3.5\" (Playing, rate 1.0, 3.5 s)"
      ))
    #expect(
      notified(Self.entityUpdate, [1, 3, 0, 0x32]).hasSuffix(
        "AttributeID: Repeat Mode - EntityUpdateFlags: none - Value: \"2\" (All)"))
    #expect(
      notified(Self.entityUpdate, [2, 2, 1, 0x41]).hasSuffix(
        "AttributeID: Title - EntityUpdateFlags: Truncated - Value: \"A\""))
    #expect(
      written(Self.entityAttribute, [2, 2]).hasSuffix("AMS Entity Attribute - EntityID: Track - AttributeID: Title"))
    _ = receive(.hostToController, [0x0A, UInt8(Self.entityAttribute), 0])
    #expect(receive(.controllerToHost, [0x0B, 0x41, 0x42]).0.hasSuffix("AMS Entity Attribute - Value: \"AB\""))
    #expect(written(Self.remoteCommand, [3]).hasSuffix("AMS Remote Command - RemoteCommandID: Next Track"))
    #expect(
      notified(Self.remoteCommand, [0, 13]).hasSuffix("Supported Command: Play - Supported Command: Bookmark Track"))
    #expect(notified(Self.entityUpdate, [7, 7, 0, 0x41]).contains("EntityID: 0x07 - AttributeID: 0x07"))
  }

  @Test("no octets trap, and the kept part of a response is bounded", arguments: [1, 2, 3] as [UInt64])
  mutating func anyOctets(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<2_000 {
      let value = (0..<Int.random(in: 0..<24, using: &random)).map { _ in UInt8.random(in: 0...12, using: &random) }
      let handle =
        [Self.source, Self.controlPoint, Self.dataSource, Self.entityUpdate, Self.remoteCommand].randomElement(
          using: &random) ?? Self.source
      _ = Bool.random(using: &random) ? written(handle, value) : notified(handle, value)
    }
  }
}
